"""Follows a run from another process: by reading its log, whoever works on it."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from typing import Any, cast

from pilothouse.app.cli.terminal import hint
from pilothouse.base.actor import Actor
from pilothouse.base.logs import read_after
from pilothouse.base.reader import Reader
from pilothouse.engine.entries import FINISHED, Entry, render
from pilothouse.engine.plan import Plan
from pilothouse.features.runs import queries
from pilothouse.features.runs.present import RunFacts
from pilothouse.kit.errors import Unavailable
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import JsonObject

SHORTEST, LONGEST = 0.02, 0.25


async def events_of(reader: Reader, run_id: RunId, plan: Plan) -> AsyncGenerator[JsonObject]:
    """Every event of the run, from the first to the last, as they are committed; through outages."""
    position, pause = 0, SHORTEST
    while True:
        try:
            batch = await read_after(reader, run_id, position)
        except Unavailable:
            batch = []
        for seq, item in batch:
            entry = cast(Entry, item)
            position = seq
            yield render(seq, entry, plan)
            if entry[0] == FINISHED:
                return
        pause = SHORTEST if batch else min(pause * 1.5, LONGEST)
        if not batch:
            await asyncio.sleep(pause)


async def follow_run(reader: Reader, actor: Actor, run_id: RunId, plan: Plan, *, quiet: bool) -> RunFacts:
    """Tell each step on stderr until the run has ended."""
    async for event in events_of(reader, run_id, plan):
        if not quiet and (line := _line(event)):
            hint(line)
    return await queries.get_run(reader, actor, run_id)


def _line(event: dict[str, Any]) -> str | None:
    match event["type"]:
        case "step.started" if sys.stderr.isatty():
            return f"  {event['node_id']}: started"
        case "step.finished":
            error = event.get("error")
            return f"  {event['node_id']}: {event['status']}" + (f" ({error['message']})" if error else "")
        case "step.retry":
            return f"  {event['node_id']}: tried again after: {event['error']['message']}"
        case "step.waiting" if not event.get("over"):
            return f"  {event['node_id']}: waits" + (f" until {event['due']}" if event.get("due") else "")
        case _:
            return None
