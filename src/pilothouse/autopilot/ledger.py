"""The calls of a turn: each is made once, or found in the log. One that waits for other work is asked again later."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic_ai.messages import ToolCallPart

from pilothouse.autopilot.breakers import REPEATED, STOP_AND_ASK, TOLD_TO_STOP, failures_like
from pilothouse.autopilot.parking import ParkedWork
from pilothouse.autopilot.record import TurnRecord, arguments_of, can_be_kept
from pilothouse.autopilot.shelving import shelved_result
from pilothouse.base import failpoints
from pilothouse.base.committer import CommitterOverloaded, DatabaseUnavailable
from pilothouse.base.deferred import Deferred
from pilothouse.base.jobs.moves import micros
from pilothouse.base.loops import end_tasks
from pilothouse.base.tools import Outcome, Tool, ToolBox, ToolContext
from pilothouse.features.chat import MAX_BACKGROUND_TASKS
from pilothouse.kit.json import JsonObject

PARALLEL_CALLS: Final = MAX_BACKGROUND_TASKS  # of one turn: no round is so long in practice, and all may be parked
INTERRUPTED: Final = "interrupted"
MAY_HAVE_HAPPENED: Final = "The process that ran this was lost. It may have happened; it was not done again."
NOT_KEPT: Final = "The arguments hold what cannot be stored: a number of more than 64 bits, or half a character."
TOOL_GONE: Final = "This tool is there no more; what it began may go on."
HEARING_MICROS: Final = 2_000_000  # how long a call may still wait when the user has said something more


@dataclass(slots=True)
class Ledger:
    """One per claim of a turn."""

    tools: ToolBox
    record: TurnRecord
    context: ToolContext
    background: ParkedWork
    _seats: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL_CALLS))
    _before: frozenset[str] = frozenset()
    _away: Exception | None = None  # what a call that can be made again has met instead of the database

    async def run(self, calls: Sequence[ToolCallPart], heard: Callable[[], None]) -> None:
        """Make the calls of a round, in parallel. Afterwards each has a result, or waits, or was never a call of ours:
        no such tool, or arguments that are no JSON. Raises, when all have ended, that the database was away from one
        that can be made again: whoever goes on makes it under the same key. Each that begins or ends is `heard`.
        """
        self._before = frozenset(self.record.tools_used)  # what is used within a round counts from the next one on
        made: list[tuple[ToolCallPart, asyncio.Task[None]]] = []
        for call in filter(self._is_open, calls):
            alike = [task for one, task in made if _asks_the_same(one, call)]
            made.append((call, asyncio.create_task(self._call(call, alike, heard))))
        tasks = [task for _, task in made]
        try:
            await asyncio.gather(*tasks)
        finally:
            await end_tasks(*tasks)
        if self._away is not None:
            raise self._away

    def _is_open(self, call: ToolCallPart) -> bool:
        known = call.tool_call_id in self.record.results or call.tool_call_id in self.record.waits
        return not known and call.tool_name in self.tools and arguments_of(call) is not None

    async def _call(self, call: ToolCallPart, alike: Sequence["asyncio.Task[None]"], heard: Callable[[], None]) -> None:
        call_id, tool, asked = call.tool_call_id, self.tools[call.tool_name], arguments_of(call) or {}
        began = time.monotonic()  # its budget is what the turn waits for it, also before it has a seat
        if call_id in self.record.begun and not tool.repeat_safe:
            await self.record.keep_failure(call_id, tool.name, INTERRUPTED, MAY_HAVE_HAPPENED)
        elif await self._is_in_vain(call_id, alike):
            await self.record.keep_failure(call_id, tool.name, REPEATED, STOP_AND_ASK)
        elif not can_be_kept(asked):
            await self.record.keep_failure(call_id, tool.name, "invalid_arguments", NOT_KEPT)
        else:
            async with self._seats:
                heard()
                await self._make(tool, call_id, asked, began)
                heard()

    async def _is_in_vain(self, call_id: str, alike: Sequence["asyncio.Task[None]"]) -> bool:
        """Whether the same has failed often enough. So many as may fail are made side by side; one more of the same
        round waits for those, to be made with all the rest if one of them does not fail.
        """
        left = TOLD_TO_STOP - 1 - failures_like(self.record.own, call_id)
        if 0 < left <= len(alike):
            await asyncio.gather(*alike[:left])
            left = TOLD_TO_STOP - 1 - failures_like(self.record.own, call_id)
        return left <= 0

    async def _make(self, tool: Tool, call_id: str, asked: JsonObject, began: float) -> None:
        failpoints.hit("turn_call_committed")
        try:
            answer = await self._within_budget(tool, ctx := self._told(call_id), asked, began)
        except (CommitterOverloaded, DatabaseUnavailable) as away:
            await self._leave_open(tool, call_id, away)
            return
        failpoints.hit("turn_tool_done")
        if isinstance(answer, Deferred):
            await self.record.keep_wait(call_id, answer)
        else:
            await self._keep(ctx, tool, answer, round((time.monotonic() - began) * 1000))

    async def _keep(self, ctx: ToolContext, tool: Tool, outcome: Outcome, duration_ms: int) -> None:
        async with shelved_result(ctx, tool.name, outcome.output) as file:
            await self.record.keep_result(ctx.tool_call_id, tool.name, outcome, duration_ms, file)

    async def _leave_open(self, tool: Tool, call_id: str, away: Exception) -> None:
        """The database was away, and nobody knows what the call did."""
        if tool.repeat_safe:
            self._away = away
        else:
            await self.record.keep_failure(call_id, tool.name, INTERRUPTED, MAY_HAVE_HAPPENED)

    async def _within_budget(self, tool: Tool, ctx: ToolContext, asked: JsonObject, began: float) -> Outcome | Deferred:
        """What the call gives; work that takes longer than its tool may is parked, and the call tells where."""
        budget = tool.timeout_seconds
        left = None if budget is None else max(0.0, began + budget - time.monotonic())
        task = asyncio.create_task(tool.call(ctx, asked))
        kept = False
        try:
            done, _ = await asyncio.wait([task], timeout=left)
            answer = task.result() if done else await self.background.park_local(ctx, tool, task)
            kept = True
            return answer
        finally:
            if not kept:  # cancelled before it was parked: nothing of it may be left
                await end_tasks(task)
                self._note_begun(ctx.tool_call_id, task)

    def _note_begun(self, call_id: str, task: "asyncio.Task[Outcome | Deferred]") -> None:
        """A call that was cancelled in the moment it began to wait: whoever ends the turn stops what it began."""
        if task.cancelled() or task.exception() is not None:
            return
        if isinstance(answer := task.result(), Deferred):
            self.record.waits[call_id] = answer

    async def look(self, *, heard: bool) -> None:
        """Give a result to each call that waits and need not any more. `heard`: the user has said something more."""
        now = micros()
        for call_id, waiting in list(self.record.waits.items()):
            tool, ctx = self.tools.get(self.record.tool_of(call_id)), self._told(call_id)
            if tool is None or tool.finish is None:  # it was there when the call was made
                await self.record.keep_failure(call_id, self.record.tool_of(call_id), "unknown_tool", TOOL_GONE)
                continue
            outcome = await tool.look(ctx, waiting, late=False)
            if outcome is None and ends_at(waiting, heard=heard) <= now:
                if waiting.owned:
                    await self.background.park_wait(ctx, tool, waiting)
                    failpoints.hit("turn_parked")
                outcome = await tool.look(ctx, waiting, late=True)
            if outcome is not None:
                await self._keep(ctx, tool, outcome, (micros() - waiting.since) // 1000)

    def wake_at(self, *, heard: bool) -> int:
        """When the first of those that wait has waited long enough."""
        return min(ends_at(waiting, heard=heard) for waiting in self.record.waits.values())

    def waits_for(self) -> list[JsonObject]:
        """As the log tells it."""
        return [
            {"kind": waiting.kind, "id": waiting.id, "tool_call_id": call_id}
            for call_id, waiting in self.record.waits.items()
        ]

    def _told(self, call_id: str) -> ToolContext:
        key = f"{self.context.turn_id}:{call_id}"
        return replace(self.context, tool_call_id=call_id, idempotency_key=key, tools_used=self._before)


def _asks_the_same(one: ToolCallPart, other: ToolCallPart) -> bool:
    return one.tool_name == other.tool_name and arguments_of(one) == arguments_of(other)


def ends_at(waiting: Deferred, *, heard: bool) -> int:
    """A wait ends in its time, or soon when the user has said something that the model should hear."""
    return min(waiting.until, waiting.since + HEARING_MICROS) if heard else waiting.until
