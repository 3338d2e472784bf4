"""When a run's snapshot is worth its bytes: recovery must not fold for ever, nor snapshots outweigh the log."""

from dataclasses import dataclass
from typing import Final

from pilothouse.engine.large import LIMIT, Kept, pack_snapshot
from pilothouse.engine.run import Run
from pilothouse.kit.json import dump_bytes

ENTRIES: Final = 5_000
REST_SHARE: Final = 4  # a sleeping run may write so many times what its log grew by


@dataclass(slots=True)
class Shots:
    """What a run's log weighs since its last snapshot. A snapshot is a cache: none has to be there."""

    run: Run
    entries: int = 0
    size: int = 0
    last_size: int = 0
    stored: bool = False

    def grow(self, entries: int, size: int) -> None:
        self.entries += entries
        self.size += size

    def take(self, seq: int, kept: Kept, *, at_rest: bool = False) -> str | None:
        """The state after this entry, if it is time for one and that is where the run stands."""
        worth = self.size * REST_SHARE >= self.last_size if at_rest else self.size >= self.last_size
        if not worth or (self.entries < ENTRIES and not at_rest) or self.run.out or self.run.head != seq:
            return None
        snapshot = self.run.snapshot()
        text = dump_bytes(snapshot)
        if len(text) > LIMIT:
            text = dump_bytes(pack_snapshot(snapshot, kept))
        self.entries = self.size = 0
        self.last_size, self.stored = len(text), True
        return text.decode()
