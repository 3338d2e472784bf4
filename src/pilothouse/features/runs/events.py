"""A run's log as events: live or stored, from any id on, each exactly once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from pilothouse.base.actor import Actor
from pilothouse.base.fanout import Fanout, follow
from pilothouse.base.logs import numbered, read_after
from pilothouse.base.reader import Reader
from pilothouse.engine.entries import FINISHED, Entry, render
from pilothouse.engine.large import shown
from pilothouse.engine.plan import Plan
from pilothouse.features.agents import Plans
from pilothouse.features.runs import queries
from pilothouse.features.runs.errors import EventBeyondHead, EventsExpired
from pilothouse.features.runs.queries import LogHead
from pilothouse.features.runs.steps import StepPage, is_simulated
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import Json, JsonObject

QUIET_SECONDS = 2.0
AT_ONCE = 500  # entries that are read and shown before others get a turn


class RunEvents:
    """Reads logs for the doors."""

    def __init__(self, reader: Reader, fanout: Fanout, plans: Plans) -> None:
        self._reader, self._fanout, self._plans = reader, fanout, plans

    async def open(self, actor: Actor, run_id: RunId, after: int) -> tuple[LogHead, Plan]:
        """Check that the actor may read on from there. Raises `RunNotFound`, `EventBeyondHead`, `EventsExpired`."""
        head = await queries.log_head(self._reader, actor, run_id)
        if after > head.head:
            raise EventBeyondHead(head=head.head)
        if head.expired and after < head.head:
            raise EventsExpired(head=head.head)
        return head, await self._plans.outline(head.agent_id, head.version)

    async def read(self, run_id: RunId, plan: Plan, after: int, limit: int) -> list[JsonObject]:
        """Stored events after an id."""
        return [event(seq, item, plan) for seq, item in await read_after(self._reader, run_id, after, limit=limit)]

    async def stream(self, run_id: RunId, plan: Plan, after: int) -> AsyncGenerator[list[JsonObject]]:
        """Events after an id as they are committed, until the run has ended."""

        async def stored(position: int) -> list[tuple[int, Json]]:
            return await read_after(self._reader, run_id, position, limit=AT_ONCE)

        live = follow(self._fanout, run_id, after, stored, numbered, quiet=QUIET_SECONDS)
        async with aclosing(live) as batches:
            async for batch in batches:
                for start in range(0, len(batch), AT_ONCE):
                    yield [event(seq, item, plan) for seq, item in batch[start : start + AT_ONCE]]
                    await asyncio.sleep(0)
                if batch and cast(Entry, batch[-1][1])[0] == FINISHED:
                    return
                if not batch and await self._is_over(run_id, after):
                    return

    async def steps(self, actor: Actor, run_id: RunId, after: int, limit: int) -> tuple[list[JsonObject], int | None]:
        """The steps that started after an event, and the event after which the next ones did (None: there are no more).

        Of a run whose log has expired, their summaries; then `after` counts those.
        """
        head = await queries.log_head(self._reader, actor, run_id)
        if head.expired:
            kept = await queries.kept_steps(self._reader, run_id)
            more = after + limit
            return kept[after:more], more if more < len(kept) else None
        plan = await self._plans.outline(head.agent_id, head.version)
        return await read_steps(self._reader, run_id, plan, after, limit)

    async def _is_over(self, run_id: RunId, after: int) -> bool:
        """A reader that began at the very end of an ended log has nothing to wait for; nor one of a deleted run."""
        rows = await self._reader.rows("select head, status is not null from runs where id=?1", run_id)
        return not rows or bool(rows[0][1] and rows[0][0] <= after)


def event(seq: int, item: Json, plan: Plan) -> JsonObject:
    return render(seq, cast(Entry, shown(item)), plan)


async def read_steps(
    reader: Reader, run_id: str, plan: Plan, after: int, limit: int
) -> tuple[list[JsonObject], int | None]:
    """From the log. Reads on until the last of them is over; the rest of it is not looked at."""
    page, position = StepPage(limit), after
    if after:
        page.simulated = any(
            is_simulated(cast(Entry, item)) for _, item in await read_after(reader, run_id, 0, limit=1)
        )
    while not page.is_complete:
        batch = await read_after(reader, run_id, position, limit=AT_ONCE)
        if not batch:
            break
        for seq, item in batch:
            page.take(seq, cast(Entry, shown(item)), plan)
        position = batch[-1][0]
        await asyncio.sleep(0)
    return page.steps(), page.next_after
