"""Files as blocks see them: named by a reference, an address or a data URI, written with the step."""

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from typing import Final, NamedTuple, Protocol
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from pilothouse.blocks.pins import BlockFailed

MAX_READ: Final = 32 * 1024 * 1024  # bytes that one step may hold of a file
MAX_INLINE: Final = 1024 * 1024  # bytes that a data URI may hold where a file is asked for

_DATA: Final = re.compile(
    r"data:(?P<type>(?:[\w.+-]+/[\w.+-]+)?)(?:;(?!base64,)[\w=.+\"-]*)*(?P<base64>;base64)?,", re.IGNORECASE | re.ASCII
)
MAX_NAME: Final = 200  # bytes; a place for files takes 255
MAX_ENDING: Final = 20
_ODD: Final = re.compile(r'[\x00-\x1f\x7f-\x9f/\\<>:"|?*]+')
_ENDINGS: Final = {"text/plain": ".txt", "text/csv": ".csv", "application/json": ".json", "image/png": ".png"}


class FileBytes(NamedTuple):
    """A file that was read."""

    name: str
    mime_type: str
    content: bytes

    @property
    def data_uri(self) -> str:
        return f"data:{self.mime_type};base64,{b64encode(self.content).decode()}"


class Files(Protocol):
    """The files of the person whose run it is. Whoever reads names a `workspace://` reference, http(s) or `data:`.

    What a step writes is there when the step ends or waits; a step that fails writes nothing.
    """

    async def read(self, source: str, *, limit: int = MAX_READ) -> FileBytes:
        """All of it. Fails the step when it is not there or larger than `limit`."""
        ...

    async def keep(self, source: str) -> str:
        """A reference to what the source holds, which is stored first if it is not in the workspace."""
        ...

    async def write(self, path: str, content: bytes, *, mime_type: str | None = None, overwrite: bool = False) -> str:
        """A reference to the new file. A relative path is one in the run's own folder."""
        ...


def is_address(source: str) -> bool:
    return source[:8].lower().startswith(("https://", "http://"))


def is_data(source: str) -> bool:
    return source[:5].lower() == "data:"


def read_data(source: str, limit: int = MAX_INLINE) -> FileBytes:
    """What a data URI holds. Fails the step with `invalid_input` and `file_too_large`."""
    found = _DATA.match(source)
    if found is None:
        raise BlockFailed("invalid_input", "This is not a data URI.")
    if len(source) - found.end() > limit * 3:  # each byte may be written as three characters
        raise too_large(limit)
    try:
        rest = source[found.end() :]
        content = b64decode(unquote(rest), validate=True) if found["base64"] else unquote_to_bytes(rest)
    except (NotBase64, ValueError):
        raise BlockFailed("invalid_input", "What the data URI holds cannot be read.") from None
    if len(content) > limit:
        raise too_large(limit)
    kind = found["type"].lower() or "text/plain"
    return FileBytes(f"data{_ENDINGS.get(kind, '')}", kind, content)


def too_large(limit: int) -> BlockFailed:
    return BlockFailed("file_too_large", f"The file is larger than {limit} bytes.", {"limit_bytes": limit})


def name_in(address: str) -> str:
    """A name for what was fetched from there."""
    return plain_name(unquote(urlsplit(address).path).rpartition("/")[2])


def plain_name(told: str) -> str:
    """A name that every place for files takes."""
    name = _ODD.sub("_", told).strip(". ")
    if len(name.encode()) > MAX_NAME:
        stem, dot, ending = name.rpartition(".")
        ending = f"{dot}{ending}" if stem and len(ending.encode()) <= MAX_ENDING else ""
        name = name.encode()[: MAX_NAME - len(ending.encode())].decode(errors="ignore").strip(". ") + ending
    return name or "file"
