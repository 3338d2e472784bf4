"""A parcel as a zip, made while it is sent: neither the zip nor any of its files is ever held whole."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from tempfile import TemporaryFile
from typing import IO, Final, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pilothouse.base.files import FileStoreUnavailable
from pilothouse.features.files.cabinet import MEGABYTE, Cabinet
from pilothouse.features.files.errors import FileCorrupt
from pilothouse.features.files.parcels import Item, Parcel, Skipped, told
from pilothouse.features.files.zip_names import LINKS, SKIPPED

_PIECE: Final = MEGABYTE
_LARGE: Final = 1024 * MEGABYTE  # from some size on an entry needs longer numbers, and must say so at its head
_QUICK: Final = 1  # how hard to compress: the reader waits


class _Sink:
    """Where the zip is written to. It cannot go back, so sizes follow what they belong to."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._waiting.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """All of it is taken anyway."""

    def take(self) -> bytes:
        taken, self._waiting = b"".join(self._waiting), []
        return taken


async def zipped(cabinet: Cabinet, parcel: Parcel) -> AsyncGenerator[bytes]:
    """The bytes of the zip. A file that cannot be read is left out, and said so in it; the others are not touched.

    One file is read after another, so of a parcel no more than one read of the store is under way.
    """
    sink, left = _Sink(), [*parcel.skipped]
    with ZipFile(cast(IO[bytes], sink), "w", ZIP_DEFLATED, compresslevel=_QUICK) as archive:
        for item in parcel.items:
            with TemporaryFile() as whole:
                if not await _fetched(cabinet, item, whole):
                    left.append(Skipped(item.name, item.size, "unreadable"))
                    continue
                async with aclosing(_added(archive, item, whole, sink)) as pieces:
                    async for piece in pieces:
                        yield piece
        _add_notes(archive, left, parcel.links)
        yield sink.take()
    yield sink.take()


async def item_chunks(cabinet: Cabinet, item: Item) -> AsyncGenerator[bytes]:
    """What one thing holds, as it is."""
    if isinstance(item.content, bytes):
        yield item.content
        return
    async with aclosing(cabinet.chunks(item.content)) as chunks:
        async for chunk in chunks:
            yield chunk


async def _fetched(cabinet: Cabinet, item: Item, whole: IO[bytes]) -> bool:
    """Whether all of it is there now. What is half sent could not be left out any more."""
    try:
        async with aclosing(item_chunks(cabinet, item)) as chunks:
            async for chunk in chunks:
                await asyncio.to_thread(whole.write, chunk)
    except (FileCorrupt, FileStoreUnavailable):
        return False
    await asyncio.to_thread(whole.seek, 0)
    return True


async def _added(archive: ZipFile, item: Item, whole: IO[bytes], sink: _Sink) -> AsyncGenerator[bytes]:
    with archive.open(_info(item.name), "w", force_zip64=item.size > _LARGE) as entry:
        while piece := await asyncio.to_thread(whole.read, _PIECE):
            await asyncio.to_thread(entry.write, piece)
            yield sink.take()
    yield sink.take()


def _add_notes(archive: ZipFile, left: Sequence[Skipped], links: Sequence[str]) -> None:
    if links:
        archive.writestr(_info(LINKS), "\n".join([*links, ""]))
    if left:
        archive.writestr(_info(SKIPPED), told(left))


def _info(name: str) -> ZipInfo:
    info = ZipInfo(name, time.gmtime()[:6])
    info.compress_type = ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info
