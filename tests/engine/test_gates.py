"""W3: what came to the gate before a block stays, whatever the block keeps while it waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import WAIT, Entry, accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.ports import Fires
from pilothouse.engine.run import Run
from pilothouse.kit.json import Json, JsonObject, dumps, loads
from tests.engine.toys import Crash, Toy, graph, node, play, shelf, spec

MOST = 500  # entries: a block that is asked about again and again would never end


def gated(keeps: list[bool]) -> Toy:
    """Asks leave first, as the house does for a sensitive block, then waits as often as told and keeps where told."""

    async def body(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
        leave = await ctx.wait("review", due=0, ref="leave", gate=True)
        begin = ctx.kept if isinstance(ctx.kept, int) else 0
        for lap in range(begin, len(keeps)):
            await ctx.wait("timer", due=0, ref=lap, keep=lap if keeps[lap] else None)
            yield [("out", [leave, lap])]

    return Toy(spec("gated", [], ["out"]), body, is_generator=True)


def asked(log: list[Entry]) -> int:
    return sum(entry[0] == WAIT and entry[6] == "leave" for entry in log)


async def cut_and_go_on(keeps: list[bool], crash: int, shot: int) -> list[Entry]:
    document, blocks = graph([node("t", "gated")]), shelf(gated(keeps))
    log: list[Entry] = []
    with suppress(Crash):
        await play(document, blocks, log=log, crash_after=crash)
        return log
    await play(document, blocks, log=log, shot_at=min(shot, len(log)), crash_after=MOST)
    return log


@settings(deadline=None, max_examples=100)
@given(st.lists(st.booleans(), max_size=5), st.integers(2, 40), st.integers(1, 40))
def test_leave_is_asked_once_however_the_block_waits_and_whenever_it_is_cut(keeps: list[bool], crash: int, shot: int):
    """W3: after a crash at any entry, from any snapshot, the same leave counts, and it is not asked for again"""
    log = asyncio.run(cut_and_go_on(keeps, crash, shot))
    assert asked(log) == 1
    assert [entry[6] for entry in log if entry[0] == "o"] == [[0, lap] for lap in range(len(keeps))]


@given(st.booleans())
def test_a_snapshot_has_the_gate_and_an_old_one_has_none(old: bool):
    """W3, D1"""
    plan = compile_plan(graph([node("t", "gated")]), shelf(gated([])).catalogue)
    run = Run(plan).fold([accepted(1, {})])
    run.begin(2)
    step = run.ready[0]
    step.facts.extend(["yes", 1])
    step.gates = 1
    shot = loads(dumps(run.snapshot()))
    assert isinstance(shot, dict)
    if old:
        shot["steps"] = [cast(list[Json], row)[:-1] for row in cast(list[Json], shot["steps"])]
    assert Run.restore(plan, shot).ready[0].gates == (0 if old else 1)
