"""One serving process per data directory: on SQLite the lock proves that nobody else runs our jobs."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pilothouse.kit.errors import PilothouseError


class DirectoryTaken(PilothouseError):
    """Another Pilothouse serves this data directory."""

    hint = "Stop that process, or set PILOTHOUSE_DATA_DIR to another directory."


@contextmanager
def hold_directory(directory: Path) -> Generator[None]:
    """Hold the directory until the block ends or the process dies. Raises `DirectoryTaken`."""
    descriptor = os.open(directory / "serve.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise DirectoryTaken(f"Process {holder} serves {directory} already.", pid=holder) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
