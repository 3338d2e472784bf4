"""The bell that tells workers of new work. A ring may be lost: the table is the truth, and idle workers look."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

# Takes the kind, the ids and what to call when they have been claimed (or found taken).
OnWork: TypeAlias = Callable[[str, Sequence[str], Callable[[], None]], None]
OnCancel: TypeAlias = Callable[[Sequence[str]], None]


class Bell(Protocol):
    """Rings after a commit. Never blocks and never fails its caller."""

    def ring(self, kind: str, ids: Sequence[str]) -> None:
        """There is work of this kind."""
        ...

    def ring_cancel(self, ids: Sequence[str]) -> None:
        """Somebody asked to cancel these; whoever runs them looks at once instead of at the next heartbeat."""
        ...

    async def listen(self, kinds: Sequence[str], on_work: OnWork, on_cancel: OnCancel) -> None:
        """Start to hand rings to a worker of this process."""
        ...

    async def stop_listening(self) -> None:
        """Take no more work; what was handed over is still acknowledged."""
        ...

    async def close(self) -> None: ...


class LocalBell:
    """Rings within one process."""

    def __init__(self) -> None:
        self._kinds: frozenset[str] = frozenset()
        self._on_work: OnWork | None = None
        self._on_cancel: OnCancel | None = None

    def ring(self, kind: str, ids: Sequence[str]) -> None:
        if self._on_work is not None and kind in self._kinds:
            self._on_work(kind, ids, _nothing)

    def ring_cancel(self, ids: Sequence[str]) -> None:
        if self._on_cancel is not None:
            self._on_cancel(ids)

    async def listen(self, kinds: Sequence[str], on_work: OnWork, on_cancel: OnCancel) -> None:
        self._kinds, self._on_work, self._on_cancel = frozenset(kinds), on_work, on_cancel

    async def stop_listening(self) -> None:
        self._on_work = None

    async def close(self) -> None:
        self._on_cancel = None


def _nothing() -> None:
    """Nobody waits for an acknowledgement in process."""
