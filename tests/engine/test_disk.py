"""What runs ask of the disk: blocks that wait often, runs that are faster than it, effects in a row."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise

import pytest

from pilothouse.engine.context import StepContext
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.ports import Fires, Limits
from pilothouse.engine.run import Run
from pilothouse.graph.catalogue import Effects
from pilothouse.graph.document import Policy, Retry
from pilothouse.kit.json import JsonObject
from tests.base.waiting import until
from tests.engine.toys import RUN_ID, Crash, Lease, MemoryJournal, Ticks, Toy, graph, node, play, play_on, shelf, spec


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


class LazyJournal(MemoryJournal):
    """Commits in the background, as the real one does: what is added until then goes along."""

    def __init__(self, log: list[Entry]) -> None:
        super().__init__(log)
        self.commits: list[str] = []
        self.gathered = ""
        self.flushing: asyncio.Task[None] | None = None

    def add(self, entries: list[Entry]) -> None:
        super().add(entries)
        self.gathered += "".join(entry[0] for entry in entries)

    def flush_now(self) -> None:
        if self.gathered and self.flushing is None:
            self.flushing = asyncio.create_task(self._flush())

    async def _flush(self) -> None:
        self.commits.append(self.gathered)
        self.gathered = ""
        await asyncio.sleep(0.001)
        self.flushing = None

    async def barrier(self) -> None:
        while self.gathered or self.flushing:
            self.flush_now()
            if self.flushing:
                await self.flushing


async def test_the_result_of_an_effect_and_the_start_of_the_next_are_one_commit():
    """engine:D2, engine:D3"""
    names = ["a", "b", "c"]
    doc = graph([node("a", "write", value=1), node("b", "write"), node("c", "write")], *_in_a_row(names, "value"))
    blocks = shelf()
    log = [accepted(1, {})]
    journal = LazyJournal(log)
    run = Run(compile_plan(doc, blocks.catalogue)).fold(log)
    await drive(run, RUN_ID, blocks, journal, Lease(), clock=Ticks(), cancelled=asyncio.Event())
    assert journal.commits == ["gs", "ofs", "ofs", "ofz"]


async def test_what_has_ended_is_committed_while_a_process_that_stops_waits_for_the_rest():
    """engine:D2: it may be killed once its grace is over, and what it knew of an effect would be lost"""
    quick, slow, stopping = asyncio.Event(), asyncio.Event(), asyncio.Event()
    toys = [
        Toy(spec(name, [], ["out"], effects=Effects.WRITES), _after(gate))
        for name, gate in (("quick", quick), ("slow", slow))
    ]
    blocks = shelf(*toys)
    log = [accepted(1, {})]
    journal = LazyJournal(log)
    run = Run(compile_plan(graph([node("a", "quick"), node("b", "slow")]), blocks.catalogue)).fold(log)
    driving = drive(run, RUN_ID, blocks, journal, Lease(), clock=Ticks(), cancelled=asyncio.Event(), stopping=stopping)
    async with asyncio.TaskGroup() as group:
        group.create_task(driving)
        await until(lambda: all(toy.calls for toy in toys), 5)
        stopping.set()
        await asyncio.sleep(0)
        quick.set()
        await until(lambda: "f" in "".join(journal.commits), 5)
        assert not slow.is_set()
        slow.set()


def _after(gate: asyncio.Event) -> Callable[[JsonObject, StepContext], Awaitable[Fires]]:
    async def call(inputs: JsonObject, ctx: StepContext) -> Fires:
        await gate.wait()
        return []

    return call


def _in_a_row(names: list[str], pin: str) -> list[str]:
    return [f"{name}.out -> {after}.{pin}" for name, after in pairwise(names)]
