"""Sandboxes that are kept from one step to the next: the files of their folder, as one archive each, for a while."""

import asyncio
import hashlib
import time
from contextlib import suppress
from pathlib import Path

from pilothouse.base.sandbox.errors import SandboxGone, TooManySandboxes

MAX_KEPT = 64
MAX_OF_OWNER = 8
LIFE_SECONDS = 3600.0  # since it was last used


class Shelf:
    """On this machine's disk, under the data directory. Only the owner named at the beginning may use one."""

    def __init__(self, folder: Path, life: float = LIFE_SECONDS) -> None:
        self._folder = folder
        self._life = life
        self._locks: dict[str, asyncio.Lock] = {}
        self._ends: dict[str, asyncio.TimerHandle] = {}

    def open(self) -> None:
        """Forget what is too old, and set an end to the rest."""
        for path in self._folder.glob("*.tar"):
            self._set_end(path, self._left(path))

    def close(self) -> None:
        for end in self._ends.values():
            end.cancel()
        self._ends.clear()

    def create(self, owner: str, key: str) -> str:
        """An empty one; the same again for the same owner and key."""
        sandbox_id = f"{_short(owner)}-{_short(key)}"
        path = self._folder / f"{sandbox_id}.tar"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        others = [each for each in self._folder.glob("*.tar") if each != path]
        if len(others) >= MAX_KEPT:
            raise TooManySandboxes(f"{MAX_KEPT} sandboxes are kept on this machine, and that is the limit.")
        if sum(each.name.startswith(f"{_short(owner)}-") for each in others) >= MAX_OF_OWNER:
            raise TooManySandboxes(f"This run keeps {MAX_OF_OWNER} sandboxes, and that is the limit.")
        path.write_bytes(b"")
        path.chmod(0o600)
        self._set_end(path, self._life)
        return sandbox_id

    def alone(self, sandbox_id: str) -> asyncio.Lock:
        """Held by whoever uses it."""
        return self._locks.setdefault(sandbox_id, asyncio.Lock())

    def take(self, owner: str, sandbox_id: str) -> bytes:
        """Raises `SandboxGone`."""
        try:
            return self._path(owner, sandbox_id).read_bytes()
        except FileNotFoundError:
            raise SandboxGone from None

    def put(self, owner: str, sandbox_id: str, content: bytes) -> None:
        """All or nothing, so that a crash leaves what was there."""
        path = self._path(owner, sandbox_id)
        part = path.with_suffix(".part")
        part.touch(0o600)
        part.write_bytes(content)
        part.replace(path)

    def renew(self, owner: str, sandbox_id: str) -> None:
        self._set_end(self._path(owner, sandbox_id), self._life)

    def dispose(self, owner: str, sandbox_id: str) -> None:
        """Whether it is there or not."""
        self._forget(self._path(owner, sandbox_id))

    def _path(self, owner: str, sandbox_id: str) -> Path:
        """The id says whose it is, and is a file name of ours only then."""
        begin, _, rest = sandbox_id.partition("-")
        if begin != _short(owner) or len(rest) != len(begin) or not rest.isalnum():
            raise SandboxGone
        return self._folder / f"{sandbox_id}.tar"

    def _left(self, path: Path) -> float:
        return path.stat().st_mtime + self._life - time.time()

    def _set_end(self, path: Path, seconds: float) -> None:
        if (old := self._ends.pop(path.stem, None)) is not None:
            old.cancel()
        self._ends[path.stem] = asyncio.get_running_loop().call_later(max(seconds, 0), self._end, path)

    def _end(self, path: Path) -> None:
        """Another process may have used it meanwhile."""
        with suppress(FileNotFoundError):
            left = self._left(path)
            if left > 0:
                self._set_end(path, left)
                return
        self._forget(path)

    def _forget(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._locks.pop(path.stem, None)
        if (end := self._ends.pop(path.stem, None)) is not None:
            end.cancel()


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
