"""Rules of the flow that show only while steps are under way: streams, places, skips, time-outs."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import accepted
from pilothouse.engine.facts import BrokenLog
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.ports import Fires
from pilothouse.engine.run import Run
from pilothouse.engine.state import Pause, Step
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.document import Policy
from pilothouse.kit.json import Json, JsonObject
from tests.engine.toys import Toy, graph, node, play, shelf, spec


@pytest.mark.parametrize("effects", [Effects.NONE, Effects.READS])
async def test_what_a_stream_fires_is_routed_while_it_still_runs(effects: Effects):
    """engine:F1: it goes on only when the step behind it has run"""
    reached = asyncio.Event()

    async def streams(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
        yield [("out", 1)]
        async with asyncio.timeout(5):
            await reached.wait()
        yield [("out", 2)]

    async def marks(inputs: JsonObject, ctx: StepContext) -> Fires:
        reached.set()
        return [("out", inputs["value"])]

    blocks = shelf(
        Toy(spec("streams", [], ["out"], effects=effects), streams, is_generator=True),
        Toy(spec("marks", ["value"], ["out"]), marks),
    )
    played = await play(graph([node("s", "streams"), node("m", "marks")], "s.out -> m.value"), blocks)
    assert played.fired("m") == [1, 2]


def two_steps(policy: Policy | None = None) -> tuple[Run, Step, Step]:
    """A run in which two steps of one node run, the first the older."""
    doc = graph(
        [node("all", "items", items=[1, 2]), node("a", "echo", policy), node("b", "echo")],
        *("all.item -> a.value", "a.out -> b.value"),
    )
    run = Run(compile_plan(doc, shelf().catalogue)).fold([accepted(1, {})])
    run.begin(2)
    source = run.ready[0]
    run.start(source, 3)
    for item in (1, 2):
        run.output(source, "item", item, 3)
    run.finish(source, 3)
    older, younger = run.ready
    run.start(older, 4)
    run.start(younger, 4)
    return run, older, younger


def test_only_a_step_that_waits_for_a_human_gives_up_its_place():
    """engine:F7"""
    run, older, younger = two_steps()
    run.wait(older, Pause("timer", 9, None), 5)
    run.output(younger, "out", 2, 6)
    assert not run.ready
    run.resume(older, None, 7)
    run.start(older, 7)
    run.wait(older, Pause("review", None, None), 8)
    assert [step.filled for step in run.ready] == [{"value": 2}]
    run.finish(younger, 9)
    run.resume(older, "yes", 10)
    run.start(older, 10)
    run.output(older, "out", 1, 11)
    assert [step.filled for step in run.ready] == [{"value": 2}, {"value": 1}]


def test_a_step_that_gave_up_its_place_stands_behind_those_that_started_meanwhile():
    """engine:F7"""
    run, older, younger = two_steps()
    run.wait(older, Pause("review", None, None), 5)
    run.resume(older, "yes", 6)
    run.start(older, 6)
    run.output(older, "out", 1, 7)
    assert not run.ready
    run.output(younger, "out", 2, 8)
    run.finish(younger, 8)
    assert [step.filled["value"] for step in run.ready] == [2, 1]


def test_what_a_step_fired_before_it_asked_a_human_is_not_lost():
    """engine:F7: it was held back behind an older step, and that one is over when the answer comes"""
    run, older, younger = two_steps()
    run.output(younger, "out", 2, 5)
    run.wait(younger, Pause("review", None, None), 6)
    run.finish(older, 7)
    run.resume(younger, "yes", 8)
    run.start(younger, 9)
    run.output(younger, "out", 3, 9)
    run.finish(younger, 10)
    assert [step.filled["value"] for step in run.ready] == [2, 3]
    assert (run.held, run.status) == (0, "running")


def test_what_was_held_back_is_released_in_the_order_it_was_fired():
    """engine:F7, engine:F8"""
    run, older, younger = two_steps()
    for value in (2, 3):
        run.output(younger, "out", value, 5)
    run.finish(older, 6)
    assert [step.filled["value"] for step in run.ready] == [2, 3]


def test_after_a_crash_what_was_in_flight_goes_first_and_what_is_over_not_at_all():
    """engine:F8, engine:D4"""
    lived, older, younger = two_steps()
    lived.output(older, "out", 1, 5)
    behind = lived.ready[0]
    lived.output(younger, "out", 2, 5)
    log = [accepted(1, {}), *lived.drain()]
    again = Run(lived.plan).fold(log)
    again.begin(9)
    assert [step.id for step in again.ready] == [older.id, younger.id, behind.id]

    lived.finish(younger, 6)  # over, but held behind the older one
    again = Run(lived.plan).fold([*log, *lived.drain()])
    again.begin(9)
    assert [step.id for step in again.ready] == [older.id, behind.id]


async def test_a_log_that_does_not_follow_from_its_beginning_is_refused():
    """engine:D1: neither a result that nothing fired, nor another one than was fired"""
    doc = graph([node("x", "echo", value=1), node("o", "output", name="y")], "x.out -> o.value")
    played = await play(doc, shelf())
    nth = next(nth for nth, entry in enumerate(played.log) if entry[0] == "v")
    twice = [*played.log[: nth + 1], *played.log[nth:]]
    other = [*played.log[:nth], [*played.log[nth][:5], 2], *played.log[nth + 1 :]]
    for log in (twice, other):
        with pytest.raises(BrokenLog):
            Run(played.plan).fold(log)


def test_places_are_the_same_after_a_snapshot():
    """engine:D1, engine:F7"""
    before, older, younger = two_steps()
    before.output(younger, "out", 2, 5)
    run = Run.restore(before.plan, before.snapshot())
    run.finish(run.steps[younger.id], 6)
    assert not run.ready
    run.output(run.steps[older.id], "out", 1, 7)
    run.finish(run.steps[older.id], 7)
    assert [step.filled["value"] for step in run.ready] == [1, 2]


async def test_a_skipped_node_runs_no_step_and_fires_nothing():
    """engine:S4"""
    blocks = shelf()
    doc = graph(
        [node("x", "echo", value=1), node("a", "echo"), node("b", "echo")], "x.out -> a.value", "a.out -> b.value"
    )
    played = await play(doc, blocks, skips=["a"])
    assert played.status == "completed"
    assert played.run.stats()["steps"] == {"completed": 1, "skipped": 1}
    assert (played.fired("a"), played.run.not_reached()) == ([], ["b"])
    assert len(blocks.toys["echo"].calls) == 1
    again = Run(played.plan).fold(played.log)
    assert again.stats() == played.run.stats()


def test_who_has_how_much_time():
    """engine:T2"""
    kinds = {"agent": Kind.AGENT, "review": Kind.REVIEW, "plain": Kind.STANDARD}
    blocks = shelf(
        *(Toy(spec(name, [], [], kind=kind, timeout_s=1_800.0), _never) for name, kind in kinds.items()),
        Toy(spec("timed", [], [], timeout_s=None), _never),
    )
    given = Policy(timeout_s=5)
    nodes = [
        node(f"{name}{nth}", name, policy) for name in (*kinds, "timed") for nth, policy in enumerate((None, given))
    ]
    plan = compile_plan(graph(nodes), blocks.catalogue)
    assert {name: plan.by_id[name].timeout_s for name in plan.by_id} == {
        **{"agent0": None, "agent1": None, "review0": None, "review1": None},
        **{"plain0": 1_800.0, "plain1": 5, "timed0": None, "timed1": 5},
    }


async def _never(inputs: JsonObject, ctx: StepContext) -> Fires:
    raise AssertionError


def test_only_the_time_in_a_workers_hands_is_active():
    """engine:E3: until it slept, until the last that is known of a worker that died, until it ended"""
    doc = graph([node("x", "echo", value=1)])
    run = Run(compile_plan(doc, shelf().catalogue)).fold([accepted(0, {}), ["g", 100]])
    (step,) = run.ready
    run.start(step, 130)
    run.wait(step, Pause("timer", 900, None), 150)
    run.suspend(160, 900)
    died = [["g", 900], ["u", 910, step.id, 0, None], ["g", 2_000], ["s", 2_005, step.id, 0, 1, None]]
    log = [accepted(0, {}), ["g", 100], *run.drain(), *died]
    folded = Run(run.plan).fold(log)
    folded.begin(5_000)
    folded.start(folded.ready[0], 5_001)
    folded.finish(folded.running[step.id], 5_040)
    folded.end(5_050)
    assert folded.active_us == 60 + 10 + 5 + 50


@pytest.mark.parametrize("value", ["text", 1, None, [1], {"a": 1}])
async def test_several_values_on_one_pin_each_make_a_step(value: Json):
    """engine:F1, engine:F3"""
    items: list[Json] = [value, value, value]
    doc = graph([node("all", "items", items=items), node("a", "echo")], "all.item -> a.value")
    assert (await play(doc, shelf())).fired("a") == items
