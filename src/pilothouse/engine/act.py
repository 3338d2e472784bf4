"""One call of one block: what it fires, how it ends. The driver decides when it goes on."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from typing import Any, TypeVar

from pilothouse.engine.context import StepContext, Waiting
from pilothouse.engine.facts import Failure
from pilothouse.engine.ports import Fires, Runnable, RunRefused, StepFailed
from pilothouse.engine.retry import backoff_s, may_retry
from pilothouse.engine.run import Run
from pilothouse.graph.fields import ERROR_PIN
from pilothouse.kit.json import JsonObject

_T = TypeVar("_T")


class Act:
    """A step while its block runs."""

    __slots__ = (
        *("_clock", "_random", "_run", "abandoned", "buffer", "ctx", "inputs", "keeps_nothing", "over"),
        *("pending", "runnable", "step", "stream"),
    )

    def __init__(
        self,
        run: Run,
        runnable: Runnable,
        inputs: JsonObject,
        ctx: StepContext,
        random: Callable[[], float],
    ) -> None:
        self._run = run
        self._clock = ctx.now
        self._random = random
        self.step = ctx.step
        self.runnable = runnable
        self.inputs = inputs
        self.ctx = ctx
        self.keeps_nothing = ctx.step.node.policy.retry.max_attempts > 1
        self.buffer: Fires | None = [] if self.keeps_nothing or not runnable.spec.streams else None
        self.stream: AsyncIterator[Fires] | None = None
        self.pending: Awaitable[Fires] | None = None
        self.over = False
        self.abandoned = False  # the run ended without it

    def fire(self, fires: Fires) -> None:
        """Take what the block fired; `error` ends the step."""
        if self.over or self.abandoned:
            return
        at = self._clock()
        for pin, value in fires:
            if pin == ERROR_PIN:
                self.fail(StepFailed("block_error", value if isinstance(value, str) else str(value)))
                return
            if self.buffer is not None:
                self.buffer.append((pin, value))
            else:
                self._journal(pin, value, at)

    def complete(self) -> None:
        """The block is through."""
        if not self.over and not self.abandoned:
            self._empty_buffer()
            self.over = True
            self._run.finish(self.step, self._clock(), used=self.ctx.used)

    def fail(self, failed: StepFailed) -> None:
        """The block failed: try again if the policy says so, else end the step."""
        if self.over or self.abandoned:
            return
        self.over = True
        if isinstance(failed, RunRefused):
            self._run.refuse(self.step, failed.code, failed.message)
            return
        failure: Failure = {"code": failed.code, "message": failed.message, "detail": failed.detail}
        at, retry, attempt = self._clock(), self.step.node.policy.retry, self.step.attempt
        if may_retry(retry, attempt, failed):
            rest = backoff_s(retry, attempt, failed.retry_after, self._random())
            self._run.retry(self.step, failure, at + round(rest * 1_000_000), at, used=self.ctx.used)
            return
        if not self.keeps_nothing:
            self._empty_buffer()
        self._run.finish(self.step, at, failure, self.ctx.used)

    def wait(self, waiting: Waiting) -> None:
        """The block asked to be called again later; what it fired before stands."""
        if not self.over and not self.abandoned:
            pause = waiting.pause
            if self.keeps_nothing:  # the next call fires it all again
                pause = pause._replace(keep=None)
            else:
                self._empty_buffer()
            self.over = True
            self._run.wait(self.step, pause, self._clock())

    async def close(self) -> None:
        """Let its generator go, if it has one."""
        aclose = getattr(self.stream, "aclose", None)
        if aclose is not None:
            await aclose()

    def _empty_buffer(self) -> None:
        if self.buffer:
            at = self._clock()
            for pin, value in self.buffer:
                self._journal(pin, value, at)
            self.buffer.clear()

    def _journal(self, pin: str, value: Any, at: int) -> None:
        drops = self.ctx.drops
        if drops and drops.get(pin, 0):
            drops[pin] -= 1  # the journal holds this one from an earlier call
        else:
            self._run.output(self.step, pin, value, at)


class RestOf(Generator[Any, Any, _T]):
    """Awaits what is left of a coroutine that was driven by hand up to its first real wait."""

    def __init__(self, begun: Generator[Any, Any, _T], awaited: object) -> None:
        self._begun = begun
        self._awaited = awaited
        self._handed_on = False

    def __await__(self) -> Generator[Any, Any, _T]:
        return self

    def send(self, value: object) -> object:
        if self._handed_on:
            return self._begun.send(value)
        self._handed_on = True
        return self._awaited

    def throw(self, *thrown: Any) -> object:
        return self._begun.throw(*thrown)
