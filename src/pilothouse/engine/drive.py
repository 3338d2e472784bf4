"""Runs what a run owes: pure blocks in place, others as tasks; what has outside effects waits for the disk."""

import asyncio
import random as chance
from collections.abc import Callable

from pilothouse.engine.facts import Failure
from pilothouse.engine.ports import (
    Blocks,
    Ear,
    Ended,
    Guard,
    HandedOver,
    Journal,
    Limits,
    Outcome,
    RunStuck,
    Signal,
    Suspended,
    WaitingStep,
)
from pilothouse.engine.run import Run
from pilothouse.engine.stage import Stage


async def drive(
    run: Run,
    run_id: str,
    blocks: Blocks,
    journal: Journal,
    guard: Guard,
    *,
    clock: Callable[[], int],
    cancelled: Signal,
    stopping: Signal | None = None,
    ear: Ear | None = None,
    limits: Limits | None = None,
    random: Callable[[], float] = chance.random,
) -> Outcome:
    """Go on with a run until it ends, only waits, or `stopping` asks for it back. What `ear` hears meanwhile is heeded.

    Raises `LeaseLost` when another worker may own it; the `Run` is then to be thrown away. On return the last
    entries have been added to the journal but not committed: the owner commits them with the rows that say so.
    """
    driver = Driver(
        Stage(run, run_id, blocks, journal, guard, clock, random, limits or Limits()), cancelled, stopping, ear
    )
    run.begin(clock())
    try:
        return await driver.go()
    finally:
        await driver.close()


class Driver:
    """The loop of one run in one worker."""

    def __init__(self, stage: Stage, cancelled: Signal, stopping: Signal | None = None, ear: Ear | None = None) -> None:
        self.stage = stage
        self.run = stage.run
        self.cancelled = cancelled
        self.stopping = stopping
        self.ear = ear
        self._watchers: list[asyncio.Task[None]] = []
        self._listener: asyncio.Task[None] | None = None

    async def go(self) -> Outcome:
        stage, run = self.stage, self.run
        while True:
            if stage.broken is not None:
                raise stage.broken
            if self.cancelled.is_set():
                return await self._stop(lambda: run.cancel(stage.clock()))
            if run.fault is not None:
                return await self._stop(lambda: run.end(stage.clock()))
            if run.refusal is not None or run.opened > stage.limits.steps:
                return await self._stop(self._refuse)
            if self.stopping is not None and self.stopping.is_set():
                if not stage.busy:
                    return self._hand_over()
                await self._rest()
                stage.journal.flush_now()  # an effect may have ended while others go on past our grace
                continue
            if run.waiting:
                await self._end_waits()
            if stage.burst():
                await self._breathe()
            elif stage.busy or self._is_near():
                await self._rest()
            elif run.waiting:
                return self._suspend()
            else:
                return await self._stop(lambda: run.end(stage.clock()))

    async def _breathe(self) -> None:
        """Let others run; and let the disk catch up with a run that makes entries faster than it takes them.

        A run with nothing to do at once ends, sleeps or rests: it need not come back to find that out.
        """
        if self.stage.journal.is_full:
            await self.stage.journal.room()
        elif self.stage.has_more:
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Leave no task behind, however the loop ended."""
        await self.stage.close()
        watchers = [*self._watchers, *([self._listener] if self._listener is not None else [])]
        for watcher in watchers:
            watcher.cancel()
        if watchers:
            await asyncio.wait(watchers)

    async def _stop(self, end: Callable[[], None]) -> Outcome:
        """End the run; its tasks get a moment to notice, and nothing that they still say is heard."""
        await self.stage.close()
        end()
        self.stage.push()
        return Ended(self.run.status, self.run.reason)

    def _refuse(self) -> None:
        most = self.stage.limits.steps
        limit: Failure = {"code": "step_limit", "message": f"The run opened more than {most} steps."}
        self.run.fail(at=self.stage.clock(), **(self.run.refusal or limit))

    def _hand_over(self) -> HandedOver:
        self.stage.push()
        return HandedOver()

    def _suspend(self) -> Suspended:
        run, wake_at = self.run, self.run.next_due()
        run.suspend(self.stage.clock(), wake_at)
        self.stage.push()
        waits = (WaitingStep(step.id, *step.pause[:3]) for step in run.waiting.values() if step.pause)
        return Suspended(wake_at, tuple(waits))

    async def _end_waits(self) -> None:
        """Heed what was sent, then wake the steps whose time has come."""
        if self.ear is not None and self.ear.is_told():
            await self.ear.heed()
        now = self.stage.clock()
        for step in self.run.due(now):
            self.run.resume(step, step.pause and step.pause.due, now)  # when it was due, not when someone looked

    def _is_near(self) -> bool:
        """Whether a wait is so short that giving the worker back would cost more."""
        now, limits = self.stage.clock(), self.stage.limits
        return any(
            step.pause.due - now <= (limits.retry_linger_us if step.pause.kind == "retry" else limits.linger_us)
            for step in self.run.waiting.values()
            if step.pause and step.pause.due is not None
        )

    async def _rest(self) -> None:
        """Sleep until a task has something to say, a timer is due, or someone cancels."""
        if not self._watchers:
            signals = [signal for signal in (self.cancelled, self.stopping) if signal is not None]
            self._watchers = [asyncio.create_task(self._watch(signal)) for signal in signals]
        if self.ear is not None and self.run.waiting and (self._listener is None or self._listener.done()):
            self._listener = asyncio.create_task(self._watch(self.ear))
        due = self.run.next_due()
        if due is not None:
            await self._wake_within(max(0.0, (due - self.stage.clock()) / 1_000_000))
        elif self.run.running:
            await self.stage.wake.wait()
        elif not await self._wake_within(self.stage.limits.stuck_s):
            raise RunStuck
        self.stage.wake.clear()

    async def _wake_within(self, seconds: float) -> bool:
        """Sleep so long at most; answers whether something woke it."""
        try:
            async with asyncio.timeout(seconds):
                await self.stage.wake.wait()
        except TimeoutError:
            return False
        return True

    async def _watch(self, signal: Signal | Ear) -> None:
        await signal.wait()
        self.stage.wake.set()
