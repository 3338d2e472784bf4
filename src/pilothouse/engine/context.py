"""What the engine gives a block beside its inputs."""

from collections.abc import Callable, Mapping

from pilothouse.engine.keys import idempotency_key
from pilothouse.engine.state import Pause, Step
from pilothouse.engine.usage import COST, TOKENS, Usage, add_usage, no_usage
from pilothouse.kit.json import Json


class Waiting(BaseException):
    """Leaves a block that has to wait. No `Exception`, so that a block's own handlers let it through."""

    def __init__(self, pause: Pause) -> None:
        super().__init__(pause.kind)
        self.pause = pause


class StepContext:
    """One call of a block. After a wait the block is called again from its start, and its n-th wait
    returns what came of it the first time; outputs that the journal already holds are dropped.

    A block that waits often keeps something with each wait and goes on from what it `kept`: its first wait is then
    that one, and what it fired before is behind it. Else many waits would cost the square of their number.
    """

    __slots__ = ("_waits", "drops", "now", "run_id", "step", "used")

    def __init__(self, run_id: str, step: Step, clock: Callable[[], int]) -> None:
        self.run_id = run_id
        self.step = step
        self.drops = _since(step) if step.yields else None
        self.now = clock  # microseconds since 1970
        self.used: Usage | None = None  # what this call spent
        self._waits = 0

    @property
    def step_id(self) -> int:
        return self.step.id

    @property
    def node_id(self) -> str:
        return self.step.node.id

    @property
    def attempt(self) -> int:
        return self.step.attempt

    @property
    def is_last_attempt(self) -> bool:
        return self.step.attempt >= self.step.node.policy.retry.max_attempts

    @property
    def resumed(self) -> list[Json]:
        """What the waits of this step came to so far."""
        return list(self.step.facts)

    @property
    def kept(self) -> Json:
        """What the block kept with the wait from which it goes on; null at its first call."""
        return self.step.kept

    def idempotency_key(self, label: str = "") -> str:
        """The name of this step's effect, equal over crashes and retries."""
        return idempotency_key(self.run_id, self.step.id, label)

    def spend(self, provider: str, microdollars: int, tokens: Mapping[str, int] | None = None) -> None:
        """Count money and tokens of this call; they stand in the log when it ends or fails."""
        if self.used is None:
            self.used = no_usage()
        add_usage(self.used, {COST: {provider: microdollars}, TOKENS: tokens or {}})

    async def wait_timer(self, seconds: float, *, keep: Json = None) -> int:
        """Wait, across restarts if need be, and return when that was due, the same at every call.

        A block that waits must ask in the same order each time.
        """
        due = await self.wait("timer", due=self.now() + round(seconds * 1_000_000), keep=keep)
        return due if isinstance(due, int) else self.now()

    async def wait(
        self, kind: str, *, due: int | None = None, ref: Json = None, keep: Json = None, gate: bool = False
    ) -> Json:
        """Wait for a moment or a fact from outside, and return that fact. Null keeps nothing.

        A `gate` stands before the block: it is the first to wait, and its fact stays whatever the block keeps later.
        """
        facts = self.step.facts
        if self._waits < len(facts):
            self._waits += 1
            return facts[self._waits - 1]
        raise Waiting(Pause(kind, due, ref, keep, gate))


def _since(step: Step) -> dict[str, int]:
    """The outputs journaled since the step kept something, by pin."""
    before = step.before
    if before is None:
        return dict(step.yields)
    return {pin: more for pin, count in step.yields.items() if (more := count - before.get(pin, 0))}
