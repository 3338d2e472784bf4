"""A process that stops hands its runs over at the end of the steps in flight (architecture: shutdown)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import Entry
from pilothouse.engine.ports import Fires, HandedOver, Limits, RunStuck
from pilothouse.graph.catalogue import Effects
from pilothouse.kit.json import JsonObject
from tests.engine.toys import Toy, graph, node, play, shelf, spec


async def _nap(inputs: JsonObject, ctx: StepContext) -> Fires:
    await asyncio.sleep(0.05)
    return [("out", inputs.get("value"))]


async def test_what_runs_is_finished_and_nothing_new_is_started():
    blocks = shelf(Toy(spec("nap", ["value"], ["out"], effects=Effects.READS), _nap))
    doc = graph(
        [node("a", "nap", value=1), node("b", "nap"), node("c", "echo")], "a.out -> b.value", "b.out -> c.value"
    )
    stopping = asyncio.Event()
    asyncio.get_running_loop().call_later(0.02, stopping.set)

    left = await play(doc, blocks, stopping=stopping)

    assert isinstance(left.outcome, HandedOver)
    assert left.fired("a") == [1]
    assert left.started("b") == []

    went_on = await play(doc, blocks, log=left.log)

    assert went_on.status == "completed"
    assert [len(blocks.toys[name].calls) for name in ("nap",)] == [2], "no finished step ran again"
    assert went_on.fired("c") == [1]


async def test_a_run_that_is_asked_back_before_it_starts_calls_nothing():
    stopping = asyncio.Event()
    stopping.set()
    blocks = shelf()

    left = await play(graph([node("a", "echo", value=1)]), blocks, stopping=stopping)

    assert isinstance(left.outcome, HandedOver)
    assert left.started("a") == []


async def test_a_run_that_holds_its_worker_for_nothing_is_given_up():
    """engine:D6: its step is over, but the block does not go"""

    async def lingers(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
        try:
            yield [("error", "no")]
        finally:
            await asyncio.sleep(60)

    blocks = shelf(Toy(spec("lingers", [], ["out"]), lingers, is_generator=True))
    log: list[Entry] = []
    with pytest.raises(RunStuck):
        await play(graph([node("a", "lingers")]), blocks, log=log, limits=Limits(stuck_s=0.05, patience_s=0.01))
    assert [entry[0] for entry in log] == ["q", "g", "s", "f"]


async def test_a_step_that_runs_for_long_is_not_stuck():
    """engine:D6"""

    async def slow(inputs: JsonObject, ctx: StepContext) -> Fires:
        await asyncio.sleep(0.15)
        return [("out", 1)]

    blocks = shelf(Toy(spec("slowly", [], ["out"], effects=Effects.READS), slow))
    played = await play(graph([node("a", "slowly")]), blocks, limits=Limits(stuck_s=0.05))
    assert played.status == "completed"
