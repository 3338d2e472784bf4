"""Files by key: what is stored is whole or not there, and no key leads out of the store."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from pilothouse.kit.errors import Invalid, NotFound, Unavailable

MAX_KEY: Final = 512
_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")  # begins with no dot: neither `..` nor a hidden file


class FileKeyRefused(Invalid):
    """A file's key is parts of letters, digits, dots, dashes and underscores, divided by slashes."""


class FileNotFound(NotFound):
    """There is no such file."""


class FileStoreUnavailable(Unavailable):
    """The file store cannot be read or written."""

    wire_code = "unavailable"


@dataclass(frozen=True, slots=True)
class FileStat:
    """What is known of a file without reading it."""

    key: str
    size: int
    stored_at: datetime


class Incoming(Protocol):
    """A file that is being written. Nobody sees it until it is kept; it must be kept or dropped."""

    async def write(self, chunk: bytes) -> None: ...

    async def keep(self, key: str) -> FileStat:
        """Put it in its place, durably, instead of what was there."""
        ...

    async def drop(self) -> None:
        """Does nothing when it was kept."""
        ...


class FileStore(Protocol):
    """Keeps files by key, such as `users/<id>/report.pdf`."""

    async def put(self, key: str, content: bytes) -> FileStat:
        """Store, durably, in place of what was there; readers see the old or the new file, never a part."""
        ...

    async def get(self, key: str) -> bytes:
        """Raises `FileNotFound`."""
        ...

    async def stat(self, key: str) -> FileStat:
        """Raises `FileNotFound`."""
        ...

    async def delete(self, key: str) -> None:
        """Does nothing when it is gone already."""
        ...

    async def receive(self) -> Incoming:
        """Begin a file that is too large to hold."""
        ...

    def chunks(self, key: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        """The bytes from `start` up to but not with `end`, piece by piece. Raises `FileNotFound` at the first."""
        ...

    async def free_bytes(self) -> int | None:
        """What can still be stored; None where that is nobody's concern."""
        ...

    async def drop_abandoned(self, age: timedelta) -> int:
        """Remove what began to come in longer ago than this and never came to an end."""
        ...


def checked_key(key: str) -> tuple[str, ...]:
    """The parts of a key; raises `FileKeyRefused` for one that could mean something else to a file system."""
    parts = tuple(key.split("/"))
    if len(key) > MAX_KEY or not all(_PART.fullmatch(part) for part in parts):
        raise FileKeyRefused(key=key[:MAX_KEY])
    return parts
