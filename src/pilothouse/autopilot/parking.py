"""Work of a turn that goes on after its call was answered: tasks of this process, and runs and sub-sessions."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

from pilothouse.autopilot.record import TurnRecord
from pilothouse.base.committer import Write
from pilothouse.base.deferred import MAX_TOOL_WAIT_SECONDS, Deferred
from pilothouse.base.jobs.lease import LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.loops import end_tasks
from pilothouse.base.tools import Outcome, Tool, ToolBox, ToolContext, ToolError, outcome_of
from pilothouse.features.chat import RUN, Background, Chat, Parked, events, parking
from pilothouse.features.chat.tools.background import InBackground
from pilothouse.kit.json import JsonObject

LOST: Final = ToolError(code="worker_lost", message="The process that did this was lost.")
STOPPED: Final = ToolError(code="cancelled", message="This was stopped.")
UNKNOWN: Final = ToolError(
    code="interrupted", message="The database was away meanwhile. It may have happened; it was not done again."
)


@dataclass(slots=True)
class ParkedWork(Background):
    """What this claim of a turn knows of its session's background work."""

    session_id: str
    record: TurnRecord
    tools: ToolBox
    left_running: bool  # local work that an earlier claim parked, and nobody saw the end of
    tasks: dict[str, "asyncio.Task[Outcome | Deferred]"] = field(
        default_factory=dict[str, "asyncio.Task[Outcome | Deferred]"]
    )
    _parked: dict[str, Parked] = field(default_factory=dict[str, Parked])

    # A turn's side.

    async def open(self) -> None:
        """Local work of an earlier claim was lost with its process."""
        if not self.left_running:
            return
        lost: list[Parked] = await self._land(parking.lose_local(self.session_id)) or []
        for work in lost:
            message = f"Background work was lost with its process: {_name(work)}."
            self.record.add(_event(work, parking.ERROR), events.notice("worker_lost", message, level="warn"))

    @property
    def running(self) -> "list[asyncio.Task[Outcome | Deferred]]":
        """Local work that has not ended: the turn stays awake for it."""
        return [task for task in self.tasks.values() if not task.done()]

    async def park_local(self, ctx: ToolContext, tool: Tool, task: "asyncio.Task[Outcome | Deferred]") -> Outcome:
        """The budget of a call is over: its work goes on, and the call is answered with where to find it."""
        work = await self._park(ctx, tool, parking.LOCAL, None, {})
        self.tasks[work.id] = task
        task.add_done_callback(lambda _: self._keep_end(work))
        message = "This takes longer. It goes on in the background; `check_background_tool` waits for it."
        budget = tool.timeout_seconds or 0
        told = InBackground(message=message, tool=tool.name, background_id=work.id, timeout_seconds=budget)
        return outcome_of(ctx, told)

    async def park_wait(self, ctx: ToolContext, tool: Tool, waiting: Deferred) -> None:
        """The call waited long enough; what it began goes on."""
        await self._park(ctx, tool, waiting.kind, waiting.id, waiting.as_json())

    async def _park(self, ctx: ToolContext, tool: Tool, kind: str, ref_id: str | None, memo: JsonObject) -> Parked:
        turn_id = self.record.turn_id
        work = Parked(ctx.background_id, turn_id, tool.name, kind, ref_id, memo, parking.RUNNING, None, micros())
        evicted: list[Parked] = await self._land(parking.park(self.session_id, work)) or []
        self.record.add(_event(work, parking.RUNNING))
        for old in evicted:
            await self._evict(old)
        self._parked[work.id] = work
        return work

    async def _evict(self, old: Parked) -> None:
        """Too much was parked: local work is stopped, a run or sub-session goes on and is only forgotten here."""
        local = self.tasks.pop(old.id, None)
        if local is not None:
            await end_tasks(local)
        became = parking.CANCELLED if local is not None and local.cancelled() else "detached"
        message = f"Too much goes on in the background, so this was let go: {_name(old)}."
        self.record.add(_event(old, became), events.notice("background_evicted", message, level="warn"))

    def _keep_end(self, work: Parked) -> None:
        task = self.tasks.get(work.id)
        if task is None or task.cancelled():
            return  # whoever stopped it says so
        outcome = _given(task)
        state = parking.COMPLETED if outcome.success else parking.ERROR
        try:
            self._tell_end(work, state, outcome.output)
        except LeaseLost:
            return  # somebody else has the turn, and calls this work lost

    async def close(self, *, ends: bool) -> None:
        """Stop local work. `ends`: the turn is over, so say that it was stopped; else the next claim says it."""
        running = {key: task for key, task in self.tasks.items() if not task.done()}
        await end_tasks(*running.values())
        if not ends:
            return
        for work in (self._parked[key] for key, task in running.items() if task.cancelled()):
            notice = events.notice("background_cancelled", f"Background work ended with its turn: {_name(work)}.")
            self._tell_end(work, parking.CANCELLED, STOPPED.model_dump(), notice)

    def _tell_end(self, work: Parked, state: str, output: JsonObject, *more: events.Draft) -> None:
        """The row and what the log says of it land together: no loss comes between them."""
        self.record.log.write_also(parking.end_parked(self.session_id, work.id, state, output))
        self.record.add(_event(work, state), *more)

    # The tools' side.

    async def ended(self, ctx: ToolContext, work: Parked, seconds: float) -> Outcome | None:
        if work.kind != parking.LOCAL:
            tool = self.tools.get(work.tool)
            waiting = Deferred.of(work.memo)
            return await tool.look(ctx, waiting, late=False) if tool is not None else outcome_of(ctx, LOST)
        task = self.tasks.get(work.id)
        if task is not None:
            await asyncio.wait([task], timeout=min(seconds, MAX_TOOL_WAIT_SECONDS))
            return _given(task) if task.done() else None
        if work.output is not None:
            return Outcome(work.output, work.state == parking.COMPLETED)
        return outcome_of(ctx, LOST) if work.state != parking.RUNNING else None

    def waits_for(self, work: Parked) -> Deferred | None:
        return None if work.kind == parking.LOCAL else Deferred.of(work.memo)

    async def stop(self, ctx: ToolContext, work: Parked) -> bool:
        if work.kind == parking.LOCAL:
            task = self.tasks.get(work.id)
            if task is None or task.done():
                return False
            await end_tasks(task)
            if not task.cancelled():
                return False  # it was done all the same
        elif not await self._stop_outside(ctx, Deferred.of(work.memo)):
            return False
        self._tell_end(work, parking.CANCELLED, STOPPED.model_dump())
        await self.record.log.barrier()
        return True

    async def _stop_outside(self, ctx: ToolContext, waiting: Deferred) -> bool:
        turns = ctx.part(Chat).turns
        if waiting.kind == RUN:
            return await turns.stop_run(ctx.actor.user_id, waiting.id)
        return await turns.stop(waiting.job_id, ctx.actor.user_id) != "absent"

    async def take(self, ctx: ToolContext, work: Parked) -> bool:
        return bool(await self._land(parking.take_parked(self.session_id, work.id, ctx.idempotency_key)))

    async def _land(self, write: Write) -> Any:
        return await self.record.log.land_guarded(write)


def _given(task: "asyncio.Task[Outcome | Deferred]") -> Outcome:
    """A tool raises only where the database was away; one that would wait on has no turn to wait in."""
    if task.cancelled():
        return Outcome(STOPPED.model_dump(), False)
    if task.exception() is not None:
        return Outcome(UNKNOWN.model_dump(), False)
    answer = task.result()
    return answer if isinstance(answer, Outcome) else Outcome({"type": "error", "code": "tool_timeout"}, False)


def _event(work: Parked, state: str) -> events.Draft:
    return events.background(work.id, work.tool, state, work.kind, work.ref_id)


def _name(work: Parked) -> str:
    return f"{work.tool} ({work.id})"
