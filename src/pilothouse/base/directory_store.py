"""Files in a directory, which every process of an installation must see."""

import asyncio
import errno
import os
import shutil
import time
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from pilothouse.base.files import FileKeyRefused, FileNotFound, FileStat, FileStoreUnavailable, checked_key
from pilothouse.kit.ids import new_id

T = TypeVar("T")

CHUNK: Final = 256 * 1024
_TEMPORARY: Final = ".incoming"


class DirectoryStore:
    """Files are written beside their place and moved there when they are on disk."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, key: str, content: bytes) -> FileStat:
        checked_key(key)
        incoming = await self.receive()
        try:
            await incoming.write(content)
            return await incoming.keep(key)
        finally:
            await incoming.drop()

    async def get(self, key: str) -> bytes:
        path = self._path(key)
        return await _in_thread(lambda: _read(self._inside(path)))

    async def stat(self, key: str) -> FileStat:
        path = self._path(key)
        return await _in_thread(lambda: _stat(key, self._inside(path)))

    async def delete(self, key: str) -> None:
        path = self._path(key)
        await _in_thread(lambda: _remove(self._inside(path)))

    async def receive(self) -> "IncomingFile":
        folder = self._root / _TEMPORARY
        return await _in_thread(lambda: IncomingFile(self, folder))

    async def chunks(self, key: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        path = self._path(key)
        file = await _in_thread(lambda: _open(self._inside(path)))
        try:
            file.seek(start)
            at = start
            while chunk := await _in_thread(partial(file.read, CHUNK if end is None else min(CHUNK, end - at))):
                at += len(chunk)
                yield chunk
        finally:
            file.close()

    async def free_bytes(self) -> int | None:
        return await _in_thread(lambda: shutil.disk_usage(_nearest(self._root)).free)

    async def drop_abandoned(self, age: timedelta) -> int:
        return await _in_thread(lambda: _drop_older(self._root / _TEMPORARY, time.time() - age.total_seconds()))

    def place_for(self, key: str) -> Path:
        """Where this key's file is to be, its folder made."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._inside(path)

    def _path(self, key: str) -> Path:
        return self._root.joinpath(*checked_key(key))

    def _inside(self, path: Path) -> Path:
        """A link that somebody put into the store must not lead out of it."""
        if not path.parent.resolve().is_relative_to(self._root.resolve()):
            raise FileKeyRefused
        return path


class IncomingFile:
    """Written under a name of its own, which no key can have."""

    def __init__(self, store: DirectoryStore, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._store = store
        self._path = folder / new_id()
        self._file = os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

    async def write(self, chunk: bytes) -> None:
        await _in_thread(lambda: self._file.write(chunk))

    async def keep(self, key: str) -> FileStat:
        try:
            return await _in_thread(lambda: self._move(key))
        except FileNotFound as error:  # a part of the key is a file, or the whole is a folder
            raise FileKeyRefused(key=key) from error

    async def drop(self) -> None:
        await _in_thread(self._forget)

    def _move(self, key: str) -> FileStat:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        path = self._store.place_for(key)
        self._path.replace(path)
        _sync_folder(path.parent)
        return _stat(key, path)

    def _forget(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)


def _open(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")


def _read(path: Path) -> bytes:
    with _open(path) as file:
        return file.read()


def _stat(key: str, path: Path) -> FileStat:
    found = path.stat(follow_symlinks=False)
    return FileStat(key, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC))


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    if path.parent.exists():
        _sync_folder(path.parent)


def _drop_older(folder: Path, moment: float) -> int:
    if not folder.is_dir():
        return 0
    old = [path for path in folder.iterdir() if path.lstat().st_mtime < moment]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _nearest(path: Path) -> Path:
    """The store's directory is made by its first file; its disk is known before."""
    return next(place for place in (path, *path.parents) if place.exists())


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
