"""What the driver needs from outside: blocks to call, a journal to write to, and leave to act."""

from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import Entry
from pilothouse.graph.catalogue import BlockSpec, Effects
from pilothouse.kit.json import Json, JsonObject

Fires: TypeAlias = list[tuple[str, Json]]


class StepFailed(Exception):
    """A block could not do its work; the only exception that ends a step and not the driver."""

    def __init__(
        self,
        code: str,
        message: str,
        detail: Json = None,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail = detail
        self.retryable = retryable
        self.retry_after = retry_after  # seconds that the other side asked for


class RunRefused(StepFailed):
    """A step lacks what the whole run was admitted with: the run ends with it."""


class LeaseLost(Exception):
    """Another worker may own this run by now: nothing more may be done for it here."""


class RunStuck(Exception):
    """No step runs and no timer is set, yet something keeps the run from ending: it is to be taken up anew."""


class Runnable(Protocol):
    """A block that can be called. It checks and converts its inputs itself and must not change them.

    Everything it raises is a `StepFailed`, but for what it lets pass: `Waiting` and cancellation.
    """

    @property
    def spec(self) -> BlockSpec: ...

    @property
    def is_generator(self) -> bool:
        """Whether to `stream` it; else it is to be `call`ed."""
        ...

    def effects_of(self, inputs: JsonObject) -> Effects:
        """What these inputs make it do; never more than its spec says. Must not raise."""
        ...

    def call(self, inputs: JsonObject, ctx: StepContext) -> Coroutine[Any, Any, Fires]: ...

    def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]: ...


class Blocks(Protocol):
    """The installed blocks."""

    def get(self, block_id: str) -> Runnable: ...


class Journal(Protocol):
    """The run's log, written in groups by its owner."""

    def add(self, entries: list[Entry]) -> None:
        """Take entries that belong together; they are committed some time soon."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether so much waits for the disk that the run should wait for `room`."""
        ...

    async def room(self) -> None:
        """Return when there is room; raises `LeaseLost` when there will be none."""
        ...

    async def barrier(self) -> None:
        """Return when everything added so far is committed; raises `LeaseLost` when it cannot be."""
        ...

    def flush_now(self) -> None:
        """Start to commit what was added, without waiting for it."""
        ...


class Guard(Protocol):
    """Knows whether the lease is good."""

    def may_act(self) -> bool:
        """Whether an effect may be started now."""
        ...


class Signal(Protocol):
    """Says that the run is to be cancelled; an `asyncio.Event` is one."""

    def is_set(self) -> bool: ...

    async def wait(self) -> object: ...


class Ear(Protocol):
    """Hears that somebody sent the run something while it works."""

    def is_told(self) -> bool: ...

    async def wait(self) -> object:
        """Return when it is told."""
        ...

    async def heed(self) -> None:
        """Let what was sent end the waits that are for it; it is then no longer told."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one run may take at once."""

    parallel_steps: int = 64
    steps: int = 100_000
    ready_steps: int = 1_000  # while more are ready, generators pause
    slice_s: float = 0.002  # how long pure steps may keep the loop
    patience_s: float = 1.0  # how long cancelled tasks get: a cancelled run ends within two seconds
    linger_us: int = 20_000  # timers due sooner are waited for in place
    retry_linger_us: int = 10_000_000  # so are retries
    stuck_s: float = 60.0  # so long may a run hold its worker without a step that runs


@dataclass(frozen=True, slots=True)
class WaitingStep:
    """A step that waits, for the row that will wake the run."""

    step_id: int
    kind: str
    due: int | None
    ref: Json


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over; its last entries are in the journal and are to be committed with its final row."""

    status: str
    reason: JsonObject | None


@dataclass(frozen=True, slots=True)
class Suspended:
    """Only waiting steps are left; the rest of the journal is to be committed with the wait rows."""

    wake_at: int | None
    waits: tuple[WaitingStep, ...]


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The process stops: what ran has ended, the rest is another worker's, once the journal is committed."""


Outcome: TypeAlias = Ended | Suspended | HandedOver
