"""Properties of recovery, over random graphs, schedules and crashes (D1, D4, D5, E3, F7)."""

import asyncio
import os
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.plan import Plan, compile_plan
from pilothouse.engine.ports import Ended, Limits, Suspended
from pilothouse.engine.run import Run
from pilothouse.engine.state import Pause
from pilothouse.graph.document import Document, Link, Node, Policy, Retry
from pilothouse.kit.json import Json, JsonObject, dumps, loads
from tests.engine.toys import Crash, Ticks, from_disk, graph, node, play, shelf

# `PROPERTIES=20` looks twenty times as long; the seed of a failure is printed.
LONGER = int(os.environ.get("PROPERTIES", "1"))
pytestmark = pytest.mark.timeout(120 * LONGER)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=100 * LONGER)
SHELF = shelf()
SPENT = {"cost_microdollars": {"acme": 3}, "tokens": {"prompt": 2}}
INS = {
    "echo": ["value", "other"],
    "gather": ["item", "count", "item_#_a"],
    "pair": ["a", "b"],
    "collect": ["values_#_a", "values_#_b", "a"],
    "output": ["value"],
}
OUTS = {
    "echo": ["out", "error", "out_#_k"],
    "gather": ["out", "out_$_-1"],
    "pair": ["out", "out_$_0"],
    "collect": ["out", "out_#_a"],
    "output": ["output"],
}


@st.composite
def any_graphs(draw: st.DrawFn) -> Document:
    """Any wiring at all: cycles, merges, static links, paths, masks come on top."""
    kinds = draw(st.lists(st.sampled_from(sorted(INS)), min_size=1, max_size=6))
    nodes: list[Node] = []
    for index, kind in enumerate(kinds):
        policy = Policy(ordered=draw(st.booleans()), on_error=draw(st.sampled_from(["continue", "continue", "fail"])))
        nodes.append(node(f"n{index}", kind, policy, name=f"o{index % 2}", value=index, a=index, count=2))
    links: dict[tuple[str, str, str, str], Link] = {}
    for _ in range(draw(st.integers(0, 8))):
        source, target = draw(st.integers(0, len(kinds) - 1)), draw(st.integers(0, len(kinds) - 1))
        made = Link(
            f"n{source}",
            draw(st.sampled_from(OUTS[kinds[source]])),
            f"n{target}",
            draw(st.sampled_from(INS[kinds[target]])),
            draw(st.booleans()),
        )
        links[made.key] = made
    return graph(nodes, *links.values())


@dataclass
class Schedule:
    """Lives a run by hand with random moves, and keeps what the state was after each."""

    run: Run
    log: list[Entry]
    states: dict[int, JsonObject] = field(default_factory=dict[int, JsonObject])
    clock: Ticks = field(default_factory=Ticks)

    def move(self, data: st.DataObject) -> bool:
        run, at = self.run, self.clock()
        moves = [("crash", 0)]
        moves += (
            [("start", 3)] * bool(run.ready) + [("live", 6)] * bool(run.running) + [("wake", 2)] * bool(run.waiting)
        )
        name = data.draw(st.sampled_from([name for name, weight in moves for _ in range(weight)] or ["crash"]))
        if data.draw(st.integers(0, 30)) == 0:
            name = "crash"
        if name == "start":
            run.start(run.ready[data.draw(st.integers(0, len(run.ready) - 1))], at)
        elif name == "live":
            self._live(data, at)
        elif name == "wake":
            run.resume(data.draw(st.sampled_from(list(run.waiting.values()))), data.draw(st.integers(0, 3)), at)
        else:
            run.begin(at)
        self.note()
        return bool(run.ready or run.running or run.waiting) and run.fault is None

    def _live(self, data: st.DataObject, at: int) -> None:
        run, step = self.run, data.draw(st.sampled_from(list(self.run.running.values())))
        failure = {"code": "bad", "message": "bad", "detail": None}
        match data.draw(
            st.sampled_from(["output", "output", "output", "finish", "finish", "fail", "wait", "review", "retry"])
        ):
            case "output":
                value: Json = data.draw(st.sampled_from([1, None, {"k": 1, "a": 2}, [3, 4]]))
                run.output(step, data.draw(st.sampled_from(["out", "output"])), value, at)
            case "finish":
                run.finish(step, at, used=data.draw(st.sampled_from([None, SPENT])))
            case "fail":
                run.finish(step, at, failure)
            case "retry":
                run.retry(step, failure, at + 5, at, data.draw(st.sampled_from([None, SPENT])))
            case kind:
                keep, gate = data.draw(st.sampled_from([None, 7])), not step.facts and data.draw(st.booleans())
                run.wait(step, Pause("review" if kind == "review" else "timer", at + 5, None, keep, gate), at)

    def note(self) -> None:
        self.log.extend(map(from_disk, self.run.drain()))
        self.states[len(self.log)] = plain(self.run)
        assert self.run.held == sum(len(step.held) for step in self.run.steps.values())


def plain(run: Run) -> JsonObject:
    shot = loads(dumps(run.snapshot()))
    assert isinstance(shot, dict)
    return shot


def lived(data: st.DataObject, plan: Plan, moves: int) -> Schedule:
    masks: dict[str, JsonObject] | None = {"n0": {"value": 9}} if data.draw(st.booleans()) else None
    first = accepted(1, {}, masks)
    schedule = Schedule(Run(plan).fold([first]), [first])
    schedule.states[1] = plain(schedule.run)
    schedule.run.begin(schedule.clock())
    schedule.note()
    for _ in range(moves):
        if not schedule.move(data):
            break
    ending = data.draw(st.sampled_from(["none", "end", "cancel"]))
    if ending == "cancel" or (ending == "end" and (schedule.run.fault or not schedule.run.steps)):
        schedule.run.cancel(schedule.clock()) if ending == "cancel" else schedule.run.end(schedule.clock())
        schedule.note()
    return schedule


@QUICK
@given(st.data())
def test_for_every_prefix_the_fold_is_the_state_that_was(data: st.DataObject):
    """engine:D1, engine:F8"""
    plan = compile_plan(data.draw(any_graphs()), SHELF.catalogue)
    schedule = lived(data, plan, 40)

    folded = Run(plan)
    for length, entry in enumerate(schedule.log, start=1):
        folded.fold([entry])
        if length in schedule.states:
            assert plain(folded) == schedule.states[length]
        else:  # cut inside a batch: the consequences that are missing are exactly the next entries
            owed = loads(dumps(folded.out))
            assert owed == schedule.log[length : length + len(folded.out)]


@QUICK
@given(st.data())
def test_a_snapshot_and_the_rest_of_the_log_are_as_good_as_the_log(data: st.DataObject):
    """engine:D1"""
    plan = compile_plan(data.draw(any_graphs()), SHELF.catalogue)
    schedule = lived(data, plan, 30)
    cut = data.draw(st.integers(1, len(schedule.log)))

    before = Run(plan).fold(schedule.log[:cut])
    after = Run.restore(plan, plain(before))
    assert plain(after) == plain(before)
    assert plain(after.fold(schedule.log[cut:])) == plain(Run(plan).fold(schedule.log))


@st.composite
def networks(draw: st.DrawFn) -> Document:
    """Graphs whose pins are each fed by one link, but for cycles: what they compute depends on no schedule."""
    nodes = [node("in", "input", name="x"), node("all", "items", items=list(range(draw(st.integers(0, 5)))))]
    links = [Link("in", "result", "out_in", "value"), Link("all", "item", "out_all", "value")]
    sources = [("in", "result"), ("all", "item")]
    flaky = Policy(retry=Retry(max_attempts=3, backoff_s=0.001, jitter=0))
    for index in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["echo", "slow", "pair", "write", "boom", "flaky", "timer", "gather", "down"]))
        name = f"n{index}"
        nodes.append(node(name, kind, flaky if kind == "flaky" else None, seconds=60, repeat=2, count=2))
        for pin in {"pair": ("a", "b"), "gather": ("item",)}.get(kind, ("value",)):
            # a cycle takes one value only: between several, its order would be the schedule's
            source, out = ("in", "result") if kind == "down" else draw(st.sampled_from(sources))
            links.append(Link(source, out, name, pin))
        if kind == "down":
            links.append(Link(name, "again", name, "value"))
        out = "error" if kind == "boom" else "out"
        sources.append((name, out))
        links.append(Link(name, out, f"out_{name}", "value"))
    ends = {link.target for link in links if link.target.startswith("out_")}
    nodes.extend(node(end, "output", name=end) for end in sorted(ends))
    return graph(nodes, *links)


async def play_through(doc: Document, cuts: list[int], begun: list[Entry] | None = None) -> tuple[Run, list[Entry]]:
    """Play to the end with a crash after each of these numbers of new entries."""
    log: list[Entry] = begun or []
    clock, blocks, left = Ticks(), shelf(), list(cuts)
    while True:
        finished = {entry[2] for entry in log if entry[0] == "f"}
        for toy in blocks.toys.values():
            toy.calls.clear()
        try:
            crash_after = len(log) + 1 + left.pop() if left else None
            shot_at = len(log) * 2 // 3 if crash_after and crash_after % 2 else None  # now and then from a snapshot
            played = await play(
                doc, blocks, {"x": 7}, log=log, crash_after=crash_after, shot_at=shot_at, clock=clock, limits=Limits()
            )
        except Crash:
            played = None
        again = {step for toy in blocks.toys.values() for step, _ in toy.calls} & finished
        assert not again, "a finished step ran again"
        if played is None:
            continue
        if isinstance(played.outcome, Ended):
            return played.run, log
        assert isinstance(played.outcome, Suspended)
        assert played.outcome.wake_at is not None
        clock.now = max(clock.now, played.outcome.wake_at)


@settings(QUICK, max_examples=60 * LONGER)
@given(networks(), st.lists(st.integers(0, 40), min_size=1, max_size=4))
def test_crashes_change_neither_outputs_nor_status_nor_stats(doc: Document, cuts: list[int]):
    """engine:D4, engine:D5, engine:E3, engine:Z1"""
    calm, _ = asyncio.run(play_through(doc, []))
    stormy, log = asyncio.run(play_through(doc, cuts))
    assert stormy.outputs == calm.outputs
    assert stormy.status == calm.status
    assert stormy.stats() == calm.stats()
    assert plain(Run(stormy.plan).fold(log)) == plain(stormy)


@settings(QUICK, max_examples=25 * LONGER)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 8))
def test_item_pairs_with_item_at_any_branch_speed(naps: list[int], width: int):
    """engine:F7"""
    items: list[Json] = [index * 5 + nap for index, nap in enumerate(naps)]
    doc = graph(
        [
            node("all", "items", items=items),
            node("l", "slow"),
            node("r", "echo"),
            node("r2", "slow"),
            node("j", "pair"),
        ],
        "all.item -> l.value",
        "all.item -> r.value",
        "r.out -> r2.value",
        "l.out -> j.a",
        "r2.out -> j.b",
    )
    played = asyncio.run(play(doc, shelf(), limits=Limits(parallel_steps=width, ready_steps=4)))
    assert played.fired("j") == [[item, item] for item in items]
