"""How a parcel leaves the house, whichever door it takes."""

from collections.abc import AsyncGenerator
from typing import Final, NamedTuple

from pilothouse.features.files.cabinet import Cabinet
from pilothouse.features.files.disposition import disposition
from pilothouse.features.files.parcels import Parcel
from pilothouse.features.files.zipping import item_chunks, zipped

CSP: Final = "default-src 'none'; sandbox"


class Sending(NamedTuple):
    """The bytes of an answer, and its headers."""

    chunks: AsyncGenerator[bytes]
    headers: dict[str, str]


async def sending(cabinet: Cabinet, parcel: Parcel, name: str) -> Sending:
    """One file as itself; several as a zip of this name, whose length nobody knows beforehand.

    A single file that is not there is told of before the answer begins.
    """
    headers = {"Cache-Control": "private, no-cache", "Content-Security-Policy": CSP}
    if (only := parcel.only) is None:
        told = {"Content-Type": "application/zip", "Content-Disposition": disposition(name, inline=False)}
        return Sending(zipped(cabinet, parcel), headers | told)
    told = {
        "Content-Type": only.mime_type,
        "Content-Disposition": disposition(only.name, inline=False),
        "Content-Length": str(only.size),
    }
    return Sending(await begun(item_chunks(cabinet, only)), headers | told)


async def begun(chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """The same bytes, of which the first have been read: whatever keeps them from being read is raised here."""
    first = await anext(chunks, b"")
    return _all(first, chunks)


async def _all(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    try:
        yield first
        async for chunk in rest:
            yield chunk
    finally:
        await rest.aclose()
