"""The committer: one per process, it lands the hot path's write sets in groups, one commit for many.

While a commit is in flight the next group gathers; there is no timer. A set whose guard matches no row is
refused alone. A set whose fate is unknown (the connection broke during the commit) is asked for by its proof
and applied again when it had not landed: every set is safe to repeat.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from pilothouse.base.statements import Params, Statement
from pilothouse.kit.errors import Unavailable

MAX_GROUP = 256
MAX_GROUP_BYTES = 4 * 1024 * 1024
MAX_WAITING = 10_000


class CommitterOverloaded(Unavailable):
    """More writes are waiting than can be landed soon."""

    wire_code = "unavailable"


class DatabaseUnavailable(Unavailable):
    """The database cannot be reached or cannot write."""

    wire_code = "unavailable"


class Refused(Exception):
    """The guard of a write set matched no row: its writer lost the right to write."""


class Clash(Exception):
    """A row with that key is there already (or one that it points to is not); the set changed nothing."""


Write: TypeAlias = tuple[Statement, Params]


@dataclass(frozen=True, slots=True)
class WriteSet:
    """Writes that land together or not at all. Guards come first."""

    writes: tuple[Write, ...]
    proof: Write | None = None  # a select that finds a row exactly when the set has landed
    size: int = 0  # bytes, roughly, for the group's cap
    locks: tuple[str, ...] = ()  # lanes that the set will touch; locked for the whole group, in key order
    doubtful: bool = False  # an earlier try may have landed: ask the proof first

    @property
    def kind(self) -> tuple[int, ...]:
        """Sets of one kind can share their statements on PostgreSQL."""
        return tuple(id(statement) for statement, _ in self.writes)


@dataclass(slots=True)
class Pending:
    """A set that waits for its commit."""

    writes: WriteSet
    future: "asyncio.Future[list[Any]]"
    tries: int = 0


class Committer(Protocol):
    """Lands write sets durably."""

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[Any]]":
        """Queue a set; the future ends with each statement's answer, after the commit."""
        ...

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[Any]:
        """Queue a set (an urgent one before all others) and wait for its commit.

        Raises `Refused` when a guard matched no row, `Clash` on a key that exists, `Unavailable` when the
        database cannot write.
        """
        ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class WaitingSets:
    """The queue before the commit."""

    items: deque[Pending] = field(default_factory=deque[Pending])
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    open: int = 0  # waiting or in flight

    def put(self, writes: WriteSet, *, urgent: bool = False) -> "asyncio.Future[list[Any]]":
        if len(self.items) >= MAX_WAITING and not urgent:
            raise CommitterOverloaded
        pending = Pending(writes, asyncio.get_running_loop().create_future())
        self.open += 1
        self.idle.clear()
        if urgent:
            self.items.appendleft(pending)
        else:
            self.items.append(pending)
        self.bell.set()
        return pending.future

    def put_back(self, group: Sequence[Pending]) -> None:
        """Return sets to the head of the queue, in their order."""
        self.items.extendleft(reversed(group))
        self.open += len(group)
        self.bell.set()

    def done(self, count: int) -> None:
        """So many sets are no longer in flight."""
        self.open -= count
        if self.open == 0:
            self.idle.set()

    async def drained(self) -> None:
        """Wait until nothing waits and nothing is in flight."""
        if self.open:
            await self.idle.wait()

    async def take(self) -> list[Pending]:
        """The next group; waits while there is none."""
        while not self.items:
            self.bell.clear()
            await self.bell.wait()
        return self.take_now()

    def take_now(self) -> list[Pending]:
        """What is there, up to the group's caps."""
        group: list[Pending] = []
        size = 0
        while self.items and len(group) < MAX_GROUP and size < MAX_GROUP_BYTES:
            pending = self.items.popleft()
            if pending.future.cancelled():
                self.done(1)  # nobody waits and nothing was written yet
                continue
            size += pending.writes.size
            group.append(pending)
        return group


def settle_future(pending: Pending, answer: list[Any] | Exception) -> None:
    """Tell the waiting caller, unless it has gone."""
    if pending.future.done():
        return
    if isinstance(answer, Exception):
        pending.future.set_exception(answer)
        pending.future.exception()  # a caller that only submits need not look
    else:
        pending.future.set_result(answer)
