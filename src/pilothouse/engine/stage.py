"""Where steps are performed: in place while they do not really wait, else as tasks."""

import asyncio
from collections.abc import Callable, Coroutine
from math import inf
from typing import Any

from pilothouse.engine.act import Act, RestOf
from pilothouse.engine.context import StepContext, Waiting
from pilothouse.engine.entries import REHEARSAL
from pilothouse.engine.ports import Blocks, Fires, Guard, Journal, LeaseLost, Limits, Runnable, StepFailed
from pilothouse.engine.records import recall
from pilothouse.engine.replay import Script, records_for
from pilothouse.engine.run import Run
from pilothouse.engine.state import Step
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.fields import ERROR_PIN
from pilothouse.kit.json import JsonObject


class Stage:
    """The acts of one run. Only the loop that owns it starts them; tasks report back by themselves."""

    def __init__(
        self,
        run: Run,
        run_id: str,
        blocks: Blocks,
        journal: Journal,
        guard: Guard,
        clock: Callable[[], int],
        random: Callable[[], float],
        limits: Limits,
    ) -> None:
        self.run = run
        self.run_id = run_id
        self.blocks = blocks
        self.journal = journal
        self.guard = guard
        self.clock = clock
        self.random = random
        self.limits = limits
        self.wake = asyncio.Event()
        self.broken: BaseException | None = None
        self._records = records_for(run)
        self._in_place = REHEARSAL in run.facts  # nothing really waits, and only the order of what is ready counts
        self._runnables: dict[int, Runnable] = {}
        self._tasks: dict[asyncio.Task[None], Act] = {}
        self._paused: list[tuple[Act, asyncio.Future[None] | None]] = []  # generators held back; no future: in place
        self._resting = 0  # tasks among the paused, which hold no slot
        self._acted = False  # an effect or a model call ended: to be committed at once
        self._time = asyncio.get_running_loop().time

    @property
    def busy(self) -> bool:
        return bool(self._tasks)

    @property
    def has_more(self) -> bool:
        """Whether some step could go on at once."""
        return bool(self.run.ready or self._paused)

    def push(self) -> None:
        """Hand the journal what was made."""
        if self.run.out:
            self.journal.add(self.run.drain())

    def burst(self) -> bool:
        """Perform steps for one slice of time; false when there was nothing to do."""
        run, limits, tasks = self.run, self.limits, self._tasks
        end = self._time() + limits.slice_s
        did = False
        while run.fault is None and run.refusal is None and run.opened <= limits.steps:
            if self._paused and isinstance(self._records, Script) and self._continue_one(end):
                pass  # its turn comes before that of what is ready
            elif run.ready and len(tasks) - self._resting < limits.parallel_steps:
                self._perform(run.ready[0] if self._records is None else self._records.first(run), end)
            elif not self._continue_one(end):
                break
            did = True
            if self._time() >= end:
                break
        self.push()
        if self._acted:  # only now, so that the start of what follows an effect is committed with its result
            self._acted = False
            self.journal.flush_now()
        return did

    async def close(self) -> None:
        """Cancel the tasks; those that resist are abandoned."""
        tasks, self._tasks = self._tasks, {}
        for task, act in tasks.items():
            act.abandoned = True
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=self.limits.patience_s)
        acts = [act for act, paused in self._paused if paused is None]
        self._paused.clear()
        for act in acts:
            await act.close()

    def _perform(self, step: Step, end: float) -> None:
        """In place, if it can be."""
        node = step.node
        if self._records is not None and (record := self._records.take(self.run, step)) is not None:
            recall(self.run, step, record, self.clock())
            return
        runnable = self._runnables.get(node.index) or self._find(step)
        if runnable is None:
            return
        inputs = self.run.start(step, self.clock())
        ctx = StepContext(self.run_id, step, self.clock)
        inline = node.inline or self._in_place
        if inline and not runnable.is_generator:
            self._call(runnable, inputs, ctx)
            return
        act = Act(self.run, runnable, inputs, ctx, self.random)
        if inline:
            act.stream = runnable.stream(inputs, ctx)
            self._pump(act, inf if self._in_place else end)
        else:
            self._spawn(act)

    def _find(self, step: Step) -> Runnable | None:
        skips = self.run.facts.get("skips")
        if isinstance(skips, list) and step.node.id in skips:
            self.run.skip(step, self.clock())
            return None
        runnable = self.blocks.get(step.node.block)
        if runnable.spec.disabled:
            self.run.refuse(step, "disabled_block", f"{runnable.spec.name} is switched off.")
            return None
        self._runnables[step.node.index] = runnable
        return runnable

    def _call(self, runnable: Runnable, inputs: JsonObject, ctx: StepContext) -> None:
        """Drive a plain block by hand: most never really wait, and then neither a task nor an act is needed."""
        begun = runnable.call(inputs, ctx)
        try:
            awaited = begun.send(None)
        except StopIteration as stop:
            self._settle(runnable, inputs, ctx, stop.value)
        except StepFailed as failed:
            Act(self.run, runnable, inputs, ctx, self.random).fail(failed)
        except Waiting as waiting:
            Act(self.run, runnable, inputs, ctx, self.random).wait(waiting)
        else:
            act = Act(self.run, runnable, inputs, ctx, self.random)
            act.pending = RestOf(begun.__await__(), awaited)
            self._spawn(act)

    def _settle(self, runnable: Runnable, inputs: JsonObject, ctx: StepContext, fires: Fires) -> None:
        """The plain end of a plain block, without the cost of an act."""
        run, step = self.run, ctx.step
        if ctx.drops or ctx.used or (len(fires) > 1 and step.node.policy.retry.max_attempts > 1):
            act = Act(run, runnable, inputs, ctx, self.random)
            act.fire(fires)
            act.complete()
            return
        at = self.clock()
        for pin, value in fires:
            if pin == ERROR_PIN:
                Act(run, runnable, inputs, ctx, self.random).fire([(pin, value)])
                return
            run.output(step, pin, value, at)
        run.finish(step, at)

    def _pump(self, act: Act, end: float) -> None:
        """Drive a generator by hand until it is through, really waits, or is held back."""
        assert act.stream is not None
        while True:
            begun: Any = act.stream.__anext__().__await__()
            try:
                awaited = begun.send(None)
            except StopIteration as stop:
                act.fire(stop.value)
                if act.over:
                    self._begin(act, act.close())
                    return
            except StopAsyncIteration:
                act.complete()
                return
            except StepFailed as failed:
                act.fail(failed)
                return
            except Waiting as waiting:
                act.wait(waiting)
                return
            else:
                act.pending = RestOf(begun, awaited)
                self._spawn(act)
                return
            if self._is_pressed(act.step) or self._time() >= end:
                self._paused.append((act, None))
                return

    # -- generators that are held back

    def _is_pressed(self, step: Step) -> bool:
        """Too much is ready already, or too much is held back behind an older step of the node."""
        run, most = self.run, self.limits.ready_steps
        if len(run.ready) > most or (isinstance(self._records, Script) and self._records.is_early(run, step)):
            return True
        return run.held > most and step.placed and step.state.order[0] is not step

    def _continue_one(self, end: float) -> bool:
        nothing_else = not self.run.ready and len(self._tasks) == self._resting
        for index, (act, paused) in enumerate(self._paused):
            if nothing_else or not self._is_pressed(act.step):
                del self._paused[index]
                if paused is None:
                    self._pump(act, end)
                else:
                    self._resting -= 1
                    paused.set_result(None)
                return True
        return False

    async def _hold_back(self, act: Act) -> None:
        paused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._paused.append((act, paused))
        self._resting += 1
        self.wake.set()
        await paused

    # -- tasks

    def _spawn(self, act: Act) -> None:
        self.push()
        self._begin(act, self._task(act))

    def _begin(self, act: Act, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks[task] = act
        task.add_done_callback(self._left)

    def _left(self, task: asyncio.Task[None]) -> None:
        left = self._tasks.pop(task, None) is not None
        fault = None if task.cancelled() else task.exception()
        if left and fault is not None and self.broken is None:
            self.broken = fault
        self.wake.set()

    async def _task(self, act: Act) -> None:
        node = act.step.node
        effects = Effects.NONE if node.inline else act.runnable.effects_of(act.inputs)
        await self._may_begin(effects, node.kind)
        scope = asyncio.timeout(node.timeout_s)
        try:
            async with scope:
                await self._through(act, scope)
            act.complete()
        except TimeoutError:
            if not scope.expired():
                raise
            act.fail(StepFailed("timeout", f"This took longer than {node.timeout_s:g} seconds.", retryable=True))
        except StepFailed as failed:
            act.fail(failed)
        except Waiting as waiting:
            act.wait(waiting)
        if not act.abandoned:
            self.push()
            self._acted |= effects is Effects.WRITES or node.kind is Kind.AI

    async def _may_begin(self, effects: Effects, kind: Kind) -> None:
        """An effect starts only when all that led to it is committed; nothing looks outside without a lease."""
        if effects is Effects.WRITES:
            await self.journal.barrier()
        if (effects is not Effects.NONE or kind is Kind.AI) and not self.guard.may_act():
            raise LeaseLost

    async def _through(self, act: Act, scope: asyncio.Timeout) -> None:
        if not act.runnable.is_generator:
            act.fire(await (act.pending or act.runnable.call(act.inputs, act.ctx)))
            return
        if act.stream is None:
            act.stream = act.runnable.stream(act.inputs, act.ctx)
        pending = act.pending or act.stream.__anext__()
        try:
            while not act.over:
                fires: Fires = await pending
                act.fire(fires)
                self.push()
                self.wake.set()
                if self._is_pressed(act.step):
                    await self._pause(act, scope)
                pending = act.stream.__anext__()
        except StopAsyncIteration:
            return
        finally:
            await act.close()

    async def _pause(self, act: Act, scope: asyncio.Timeout) -> None:
        """Hold the generator back; that time is not its own, so its time-out moves."""
        began = self._time()
        await self._hold_back(act)
        when = scope.when()
        if when is not None:
            scope.reschedule(when + self._time() - began)
