"""What the driver does around blocks: barriers, leases, limits, waits (C4, D2-D5, W1, W5)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pilothouse.engine.context import StepContext
from pilothouse.engine.keys import idempotency_key
from pilothouse.engine.ports import Ended, Fires, LeaseLost, Limits, StepFailed, Suspended, WaitingStep
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.kit.json import Json, JsonObject
from tests.engine.toys import (
    RUN_ID,
    Crash,
    Lease,
    MemoryJournal,
    Ticks,
    Toy,
    graph,
    node,
    play,
    play_on,
    shelf,
    spec,
)


async def test_an_effect_starts_only_when_its_causes_and_its_start_are_committed(monkeypatch: pytest.MonkeyPatch):
    """engine:D3, engine:D2"""
    seen: list[str] = []

    async def pay(inputs: JsonObject, ctx: StepContext) -> Fires:
        seen.append(f"effect {ctx.node_id}")
        return [("out", 1)]

    async def barrier(journal: MemoryJournal) -> None:
        await asyncio.sleep(0.005)
        seen.append(f"commit {''.join(entry[0] for entry in journal.log)}")

    monkeypatch.setattr(MemoryJournal, "barrier", barrier)
    blocks = shelf(Toy(spec("pay", ["value"], ["out"], effects=Effects.WRITES), pay))
    doc = graph(
        [node("x", "echo", value=1), node("p", "pay"), node("q", "pay")], "x.out -> p.value", "p.out -> q.value"
    )
    played = await play(doc, blocks)
    assert seen == ["commit qgsofs", "effect p", "commit qgsofsofs", "effect q"]
    assert played.journal.flushes == 2


async def test_pure_and_reading_blocks_do_not_wait_for_the_disk():
    """engine:D3"""
    doc = graph([node("x", "echo", value=1), node("s", "slow")], "x.out -> s.value")
    played = await play(doc, shelf())
    assert played.journal.barriers == 0


@pytest.mark.parametrize("kind", ["slow", "write", "ai"])
async def test_without_a_good_lease_nothing_that_looks_outside_is_started(kind: str):
    """engine:Z4"""
    blocks = shelf(Toy(spec("ai", ["value"], ["out"], kind=Kind.AI), _never))
    with pytest.raises(LeaseLost):
        await play(graph([node("a", kind, value=1)]), blocks, guard=Lease(good=False))
    assert blocks.get(kind).calls == []


async def _never(inputs: JsonObject, ctx: StepContext) -> Fires:
    raise AssertionError


async def test_pure_blocks_need_no_lease():
    played = await play(graph([node("a", "echo", value=1)]), shelf(), guard=Lease(good=False))
    assert played.status == "completed"


async def test_a_fault_that_is_no_step_failure_ends_the_driver():
    async def broken(inputs: JsonObject, ctx: StepContext) -> Fires:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    blocks = shelf(Toy(spec("broken", [], ["out"], effects=Effects.READS), broken))
    with pytest.raises(ZeroDivisionError):
        await play(graph([node("a", "broken")]), blocks)


async def test_at_most_so_many_steps_run_at_once():
    """engine:C4"""
    now = most = 0

    async def count(inputs: JsonObject, ctx: StepContext) -> Fires:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return []

    blocks = shelf(Toy(spec("count", ["value"], [], effects=Effects.READS), count))
    doc = graph([node("all", "items", items=list(range(60))), node("c", "count")], "all.item -> c.value")
    await play(doc, blocks, limits=Limits(parallel_steps=8))
    assert most == 8


@pytest.mark.parametrize("source", ["items", "slow_items"])
async def test_generators_pause_while_too_much_is_ready(source: str):
    """engine:C4"""
    blocks = shelf()
    doc = graph(
        [node("all", source, items=list(range(300))), node("s", "slow"), node("out", "output", name="n")],
        "all.item -> s.value",
        "s.out -> out.value",
    )
    played = await play(doc, blocks, limits=Limits(parallel_steps=4, ready_steps=10))
    ahead = most = 0
    for entry in played.log:
        ahead += (entry[0] == "o" and entry[4] == "item") - (entry[0] == "s" and entry[3] == 1)
        most = max(most, ahead)
    assert played.run.outputs["n"] == list(range(300))
    assert most <= 12


@pytest.mark.parametrize("source", ["items", "slow_items"])
async def test_nested_fan_outs_do_not_block_each_other(source: str):
    """engine:C4"""
    rows: list[Json] = [[[i * 10 + j for j in range(10)]] for i in range(20)]
    doc = graph(
        [
            node("outer", source, items=rows),
            node("middle", source),
            node("inner", source),
            node("s", "slow"),
            node("out", "output", name="n"),
        ],
        "outer.item -> middle.items",
        "middle.item -> inner.items",
        "inner.item -> s.value",
        "s.out -> out.value",
    )
    played = await play(doc, shelf(), limits=Limits(parallel_steps=2, ready_steps=3))
    assert played.run.outputs["n"] == list(range(200))


async def test_the_loop_is_given_back_while_pure_steps_run():
    doc = graph([node("all", "items", items=list(range(3_000))), node("e", "echo")], "all.item -> e.value")
    gaps: list[float] = []
    loop = asyncio.get_running_loop()

    async def watch() -> None:
        last = loop.time()
        while True:
            await asyncio.sleep(0)
            gaps.append(loop.time() - last)
            last = loop.time()

    watcher = asyncio.create_task(watch())
    await play(doc, shelf())
    watcher.cancel()
    assert len(gaps) > 5


# -- waits


async def test_a_timer_gives_the_worker_back_and_goes_on_when_due():
    """engine:W1, engine:W5, engine:S4"""
    doc = graph([node("t", "timer", seconds=60, repeat=2), node("out", "output", name="laps")], "t.out -> out.value")
    clock, blocks = Ticks(), shelf()
    began = clock.now
    played = await play(doc, blocks, clock=clock)
    assert isinstance(played.outcome, Suspended)
    due = played.outcome.wake_at
    assert due is not None
    assert abs(due - began - 60_000_000) < 1_000_000
    assert played.outcome.waits == (WaitingStep(1, "timer", due, None),)
    assert played.run.status == "waiting"

    early = await play(doc, blocks, clock=clock, log=list(played.log))
    assert early.outcome == played.outcome
    done = await play_on(doc, blocks, clock=clock, log=played.log)
    assert done.run.outputs == {"laps": [0, 1]}
    assert clock.now >= began + 120_000_000


async def test_waiting_often_costs_in_proportion():
    """A thousand waits cost ten times a hundred, not a hundred times."""
    work: list[int] = []
    for repeat in (20, 200):
        blocks = shelf()
        played = await play_on(graph([node("t", "timer", seconds=60, repeat=repeat)]), blocks)
        assert played.fired("t") == list(range(repeat))
        work.append(len(played.log))
    assert work[1] < 10.5 * work[0]


async def _two_waits(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
    yield [("out", "before")]
    await ctx.wait_timer(60)
    yield [("out", "between")]
    await ctx.wait_timer(60)
    yield [("out", f"after {len(ctx.resumed)}")]


async def test_a_block_that_waits_is_called_again_and_nothing_is_fired_twice():
    """engine:D5"""
    blocks = shelf(Toy(spec("two", [], ["out"]), _two_waits, is_generator=True))
    played = await play_on(graph([node("t", "two")]), blocks)
    assert played.fired("t") == ["before", "between", "after 2"]
    assert len(blocks.get("two").calls) == 3


async def test_a_timer_says_the_same_due_time_at_every_call():
    """engine:D5"""
    said: list[int] = []

    async def tell(inputs: JsonObject, ctx: StepContext) -> Fires:
        said.append(await ctx.wait_timer(60))
        said.append(await ctx.wait_timer(60))
        return []

    played = await play_on(graph([node("t", "tell")]), shelf(Toy(spec("tell", [], []), tell)))
    assert said[0] == said[1]
    assert said == [said[0], *(entry[5] for entry in played.log if entry[0] == "w")]


async def test_outputs_held_behind_a_waiting_step_do_not_keep_the_worker():
    """engine:C4, engine:W1"""

    async def first_waits(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
        if inputs["value"] == 0:
            await ctx.wait_timer(60)
        for number in range(50):
            yield [("out", number)]

    blocks = shelf(Toy(spec("first_waits", ["value"], ["out"]), first_waits, is_generator=True))
    doc = graph(
        [node("all", "items", items=[0, 1, 2]), node("g", "first_waits"), node("out", "output", name="n")],
        "all.item -> g.value",
        "g.out -> out.value",
    )
    clock = Ticks()
    played = await play(doc, blocks, clock=clock, limits=Limits(ready_steps=10))
    assert isinstance(played.outcome, Suspended)
    assert played.run.outputs == {}
    done = await play_on(doc, blocks, clock=clock, log=played.log)
    assert done.run.outputs["n"] == list(range(50)) * 3


async def test_a_short_wait_is_sat_out():
    doc = graph([node("t", "timer", seconds=0, repeat=3)])
    played = await play(doc, shelf())
    assert played.status == "completed"
    assert played.fired("t") == [0, 1, 2]


async def test_waiting_steps_keep_their_place_and_others_go_on_meanwhile():
    """engine:F7, engine:W1"""
    doc = graph(
        [node("all", "items", items=[30, 10]), node("t", "timer"), node("out", "output", name="laps")],
        "all.item -> t.seconds",
        "t.out -> out.value",
    )
    clock = Ticks()
    played = await play(doc, shelf(), clock=clock)
    assert isinstance(played.outcome, Suspended)
    assert len(played.outcome.waits) == 2
    done = await play_on(doc, shelf(), clock=clock, log=played.log)
    assert [entry[2] for entry in done.log if entry[0] == "f" and entry[3] == 1] == [3, 2]
    assert [entry[2] for entry in done.log if entry[0] == "s" and entry[3] == 2] == [4, 5]


# -- recovery


async def test_a_crash_in_the_middle_of_a_stream_repeats_no_output():
    """engine:D5, engine:D4"""
    doc = graph([node("all", "items", items=list("abcdef")), node("out", "output", name="n")], "all.item -> out.value")
    whole = await play(doc, shelf())
    for cut in range(2, len(whole.log)):
        log: list[list[object]] = []
        with pytest.raises(Crash):
            await play(doc, shelf(), log=log, crash_after=cut)
        again = await play(doc, shelf(), log=log)
        assert again.run.outputs == {"n": list("abcdef")}, cut
        assert again.run.stats() == whole.run.stats()


async def test_a_repeated_effect_gets_the_same_key():
    """engine:D4"""
    keys: list[str] = []

    async def pay(inputs: JsonObject, ctx: StepContext) -> Fires:
        keys.append(ctx.idempotency_key())
        return [("out", 1)]

    blocks = shelf(Toy(spec("pay", [], ["out"], effects=Effects.WRITES), pay))
    log: list[list[object]] = []
    with pytest.raises(Crash):
        await play(graph([node("p", "pay")]), blocks, log=log, crash_after=3)
    played = await play(graph([node("p", "pay")]), blocks, log=log)
    assert keys == [idempotency_key(RUN_ID, 1)] * 2
    assert isinstance(played.outcome, Ended)


def test_keys_differ_by_run_step_and_label():
    """engine:D4"""
    keys = {idempotency_key(run, step, label) for run in ("a", "b") for step in (1, 11) for label in ("", "1", "x")}
    assert len(keys) == 12
    assert idempotency_key("a", 1) == idempotency_key("a", 1, "")


async def test_an_effect_fires_only_at_its_end():
    """engine:D5"""

    async def two(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
        yield [("out", 1)]
        await asyncio.sleep(0.01)
        yield [("out", 2)]
        raise StepFailed("late", "late")

    blocks = shelf(Toy(spec("two", [], ["out"], effects=Effects.WRITES), two, is_generator=True))
    played = await play(graph([node("t", "two"), node("e", "echo")], "t.out -> e.value"), blocks)
    kinds = "".join(entry[0] for entry in played.log)
    assert kinds.startswith("qgsoof")
    assert played.fired("e") == [1, 2]
