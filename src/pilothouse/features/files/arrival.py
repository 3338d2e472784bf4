"""Bytes on their way in: hashed while they are written, counted, and asked room for before they are kept."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Protocol

from pilothouse.base.files import Incoming
from pilothouse.features.files.errors import FileTooLarge, QuotaExceeded
from pilothouse.features.files.media_types import HEAD

PIECE: Final = 1024 * 1024  # written at once, beside the event loop
ROOM_STEP: Final = 8 * 1024 * 1024


class Hash(Protocol):
    """A sum that goes on."""

    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


@dataclass(slots=True)
class Arrival:
    """One file. `grow` holds room for so many bytes in all, and raises when there is none."""

    incoming: Incoming
    limit: int
    grow: Callable[[int], Awaitable[None]]
    room: int  # bytes that room is held for
    size: int = 0
    head: bytes = b""
    sum: Hash = field(default_factory=sha256)
    _piece: bytearray = field(default_factory=bytearray)

    async def take(self, chunk: bytes) -> None:
        """Raises `FileTooLarge` and `QuotaExceeded` before what is too much is stored."""
        self.size += len(chunk)
        if self.size > self.limit:
            raise FileTooLarge(limit_bytes=self.limit)
        if self.size > self.room:
            await self._make_room()
        if len(self.head) < HEAD:
            self.head += chunk[: HEAD - len(self.head)]
        self._piece += chunk
        if len(self._piece) >= PIECE:
            await self._write()

    async def _make_room(self) -> None:
        """Some more than is needed, so as not to ask for each piece; just enough where that is all there is."""
        wanted = min(max(self.size, self.room + ROOM_STEP), self.limit)
        try:
            await self.grow(wanted)
        except QuotaExceeded:
            if wanted == self.size:
                raise
            wanted = self.size
            await self.grow(wanted)
        self.room = wanted

    async def end(self) -> str:
        """All of it is written; answers its hash."""
        await self._write()
        return self.sum.hexdigest()

    async def _write(self) -> None:
        if self._piece:
            piece = bytes(self._piece)
            self._piece.clear()
            self.sum.update(piece)
            await self.incoming.write(piece)
