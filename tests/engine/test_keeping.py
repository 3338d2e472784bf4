"""Blocks that keep something with each wait, and runs that wait for the disk."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import Entry
from pilothouse.engine.ports import Fires, Limits
from pilothouse.graph.document import Policy, Retry
from pilothouse.kit.json import JsonObject
from tests.engine.toys import Crash, MemoryJournal, Ticks, Toy, graph, node, play, play_on, shelf, spec


async def _keeps(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
    """Fires before and after each of three waits, and keeps how many there were."""
    number = ctx.kept if isinstance(ctx.kept, int) else 0
    if ctx.kept is None:
        yield [("out", "first")]
    for lap in range(number, 3):
        await ctx.wait_timer(60, keep=lap)
        yield [("out", f"{lap}a"), ("out", f"{lap}b")]


KEPT = ["first", "0a", "0b", "1a", "1b", "2a", "2b"]


async def test_a_block_that_keeps_something_goes_on_from_there():
    """engine:D5: of each call, only the waits and outputs since then are gone through again."""
    blocks = shelf(Toy(spec("keeps", [], ["out"]), _keeps, is_generator=True))
    played = await play_on(graph([node("t", "keeps")]), blocks)
    assert played.fired("t") == KEPT
    assert [entry[5] for entry in played.log if entry[0] == "o"] == list(range(len(KEPT)))


@pytest.mark.parametrize("crash", range(3, 24))
async def test_a_block_that_keeps_something_fires_nothing_twice_over_a_crash(crash: int):
    """engine:D5"""
    blocks = shelf(Toy(spec("keeps", [], ["out"]), _keeps, is_generator=True))
    log: list[Entry] = []
    clock = Ticks()
    with contextlib.suppress(Crash):
        await play_on(graph([node("t", "keeps")]), blocks, log=log, clock=clock, crash_after=crash)
    played = await play_on(graph([node("t", "keeps")]), blocks, log=log, clock=clock)
    assert played.fired("t") == KEPT


async def test_what_a_block_keeps_counts_for_nothing_while_an_attempt_may_still_fail():
    """engine:T1: its outputs are held back until it succeeds, so it has to make them all again."""
    blocks = shelf(Toy(spec("keeps", [], ["out"]), _keeps, is_generator=True))
    doc = graph([node("t", "keeps", Policy(Retry(max_attempts=2)))])
    assert (await play_on(doc, blocks)).fired("t") == KEPT


async def test_a_run_that_is_faster_than_the_disk_waits_for_it(monkeypatch: pytest.MonkeyPatch):
    """engine:B6: else all that it makes would gather in memory."""
    waited: list[int] = []

    def add(journal: MemoryJournal, entries: list[Entry]) -> None:
        journal.log.extend(entries)
        journal.is_full = True

    async def room(journal: MemoryJournal) -> None:
        waited.append(len(journal.log))
        journal.is_full = False

    monkeypatch.setattr(MemoryJournal, "add", add)
    monkeypatch.setattr(MemoryJournal, "room", room)
    await play(graph([node("all", "items", items=list(range(500)))]), shelf(), limits=Limits(slice_s=0))
    assert len(waited) > 100
    assert waited == sorted(set(waited))
