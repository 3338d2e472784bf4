"""Files by key: what is stored is whole or not there, and no key leads out of the store."""

import asyncio
import errno
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol, TypeVar

from pilothouse.kit.errors import Invalid, NotFound, Unavailable
from pilothouse.kit.ids import new_id

T = TypeVar("T")

MAX_KEY: Final = 512
_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")  # begins with no dot: neither `..` nor a hidden file
_TEMPORARY: Final = ".incoming"


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


def checked_key(key: str) -> tuple[str, ...]:
    """The parts of a key; raises `FileKeyRefused` for one that could mean something else to a file system."""
    parts = tuple(key.split("/"))
    if len(key) > MAX_KEY or not all(_PART.fullmatch(part) for part in parts):
        raise FileKeyRefused(key=key[:MAX_KEY])
    return parts


class DirectoryStore:
    """Files in a directory, written beside their place and moved there when they are on disk."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, key: str, content: bytes) -> FileStat:
        path = self._path(key)
        try:
            return await _in_thread(lambda: self._write(key, path, content))
        except FileNotFound as error:  # a part of the key is a file, or the whole is a folder
            raise FileKeyRefused(key=key) from error

    async def get(self, key: str) -> bytes:
        path = self._path(key)
        return await _in_thread(lambda: _read(self._inside(path)))

    async def stat(self, key: str) -> FileStat:
        path = self._path(key)
        return await _in_thread(lambda: _stat(key, self._inside(path)))

    async def delete(self, key: str) -> None:
        path = self._path(key)
        await _in_thread(lambda: _remove(self._inside(path)))

    def _path(self, key: str) -> Path:
        return self._root.joinpath(*checked_key(key))

    def _write(self, key: str, path: Path, content: bytes) -> FileStat:
        incoming = self._root / _TEMPORARY
        incoming.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._inside(path)
        temporary = incoming / new_id()
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
        return _stat(key, path)

    def _inside(self, path: Path) -> Path:
        """A link that somebody put into the store must not lead out of it."""
        if not path.parent.resolve().is_relative_to(self._root.resolve()):
            raise FileKeyRefused
        return path


def _read(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        return file.read()


def _stat(key: str, path: Path) -> FileStat:
    found = path.stat(follow_symlinks=False)
    return FileStat(key, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC))


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    if path.parent.exists():
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """A file's name is on disk only when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


async def _in_thread(act: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(act)
    except (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise FileNotFound from error
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link in place of a file
            raise FileNotFound from error
        raise FileStoreUnavailable(reason=error.strerror) from error
