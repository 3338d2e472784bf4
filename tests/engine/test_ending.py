"""How steps and runs end: errors, retries, limits, cancel (S1-S5, T1-T3, F15-F18, W6)."""

import asyncio
import time

import pytest

from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import accepted
from pilothouse.engine.plan import PlanImpossible, compile_plan
from pilothouse.engine.ports import Ended, Fires, Limits, RunRefused, StepFailed, Suspended
from pilothouse.engine.run import IllegalMove, Run
from pilothouse.graph.catalogue import Effects
from pilothouse.graph.document import Policy, Retry
from pilothouse.kit.json import JsonObject
from tests.engine.toys import Ticks, Toy, graph, node, play, play_on, shelf, spec


async def test_a_failure_that_nobody_takes_ends_its_branch_only():
    """engine:F15, engine:S2, engine:S3"""
    doc = graph(
        [node("bad", "boom", value=1), node("after", "echo"), node("other", "echo", value=2)], "bad.out -> after.value"
    )
    played = await play(doc, shelf())
    assert played.status == "completed_with_errors"
    assert played.outcome == Ended("completed_with_errors", {"code": "step_failed", "message": "boom 1", "step_id": 1})
    assert played.fired("other") == [2]
    assert played.run.not_reached() == ["after"]
    assert played.run.stats()["errors_unhandled"] == 1


async def test_a_message_that_goes_over_a_link_counts_as_handled():
    """engine:F15, engine:S3"""
    doc = graph([node("bad", "boom", value=1), node("rescue", "echo")], "bad.error -> rescue.value")
    played = await play(doc, shelf())
    assert played.fired("rescue") == ["boom 1"]
    assert played.status == "completed_with_errors"
    assert [played.run.errors_handled, played.run.errors_unhandled] == [1, 0]


async def _says_error(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("out", 1), ("error", "no more"), ("out", 2)]


async def test_firing_error_ends_the_step_and_what_came_before_stands():
    """engine:F15"""
    blocks = shelf(Toy(spec("says_error", [], ["out"]), _says_error))
    played = await play(graph([node("a", "says_error")]), blocks)
    assert played.fired("a") == [1]
    assert played.run.stats()["steps"] == {"failed": 1}


async def test_on_error_fail_stops_the_run_and_its_other_steps():
    """engine:T3, engine:S2, engine:S5"""
    doc = graph(
        [node("slow", "hang"), node("x", "slow", value=1), node("bad", "boom", Policy(on_error="fail"))],
        "x.out -> bad.value",
    )
    blocks = shelf(Toy(spec("hang", [], ["out"], effects=Effects.READS), _hang))
    played = await play(doc, blocks)
    assert played.outcome == Ended("failed", {"code": "step_failed", "message": "boom 1", "step_id": 3})
    assert played.run.stats()["steps"] == {"cancelled": 1, "completed": 1, "failed": 1}
    assert not played.run.steps


async def _lacks(inputs: JsonObject, ctx: StepContext) -> Fires:
    raise RunRefused("credentials_missing", "The key is gone.", retryable=True)


@pytest.mark.parametrize("effects", [Effects.NONE, Effects.READS])
async def test_a_step_that_the_run_cannot_do_without_ends_it(effects: Effects):
    """engine:S2, engine:S5: in place or in a task, and it is not tried again."""
    retry = Policy(retry=Retry(max_attempts=3, backoff_s=0))
    doc = graph(
        [node("slow", "hang"), node("bad", "lacks", retry), node("rescue", "echo")], "bad.error -> rescue.value"
    )
    blocks = shelf(
        Toy(spec("hang", [], ["out"], effects=Effects.READS), _hang),
        Toy(spec("lacks", [], ["out"], effects=effects), _lacks),
    )
    played = await play(doc, blocks)
    reason: JsonObject = {"code": "credentials_missing", "message": "The key is gone.", "step_id": 2}
    assert played.outcome == Ended("failed", reason)
    assert (played.run.stats()["steps"], played.run.retries) == ({"cancelled": 2}, 0)
    assert not played.run.steps


async def _hang(inputs: JsonObject, ctx: StepContext) -> Fires:
    await asyncio.sleep(60)
    return []


async def test_a_retried_step_holds_its_outputs_until_an_attempt_succeeds():
    """engine:T1"""
    retry = Policy(retry=Retry(max_attempts=3, backoff_s=0.001))
    played = await play_on(graph([node("f", "flaky", retry)]), shelf())
    assert played.status == "completed"
    assert played.fired("f") == [3]
    assert played.run.retries == 2
    assert [entry[4] for entry in played.log if entry[0] == "y"] == [1, 2]


async def test_the_last_attempt_ends_the_step_failed():
    """engine:T1"""
    retry = Policy(retry=Retry(max_attempts=2, backoff_s=0.001))
    played = await play_on(graph([node("f", "flaky", retry)]), shelf())
    assert played.status == "completed_with_errors"
    assert played.fired("f") == []


async def test_only_what_the_policy_names_is_retried():
    """engine:T1"""
    blocks = shelf()
    await play_on(graph([node("b", "boom", Policy(retry=Retry(max_attempts=3, backoff_s=0)))]), blocks)
    assert len(blocks.get("boom").calls) == 1
    await play_on(graph([node("b", "boom", Policy(retry=Retry(max_attempts=3, backoff_s=0, on="any")))]), blocks)
    assert len(blocks.get("boom").calls) == 4


async def test_a_long_backoff_gives_the_worker_back():
    """engine:T1"""
    retry = Policy(retry=Retry(max_attempts=3, backoff_s=11, jitter=0))
    clock, blocks = Ticks(), shelf()
    began = clock.now
    played = await play(graph([node("f", "flaky", retry)]), blocks, clock=clock)
    assert isinstance(played.outcome, Suspended)
    assert played.outcome.wake_at is not None
    assert abs(played.outcome.wake_at - began - 11_000_000) < 1_000_000
    clock.now = played.outcome.wake_at
    assert (await play_on(graph([node("f", "flaky", retry)]), blocks, clock=clock, log=played.log)).fired("f") == [3]


async def _throttled(inputs: JsonObject, ctx: StepContext) -> Fires:
    if ctx.attempt == 1:
        raise StepFailed("throttled", "slow down", retryable=True, retry_after=30)
    return [("out", 1)]


async def test_a_wish_to_wait_is_obeyed():
    """engine:T1"""
    blocks = shelf(Toy(spec("throttled", [], ["out"], effects=Effects.READS), _throttled))
    clock = Ticks()
    played = await play(
        graph([node("t", "throttled", Policy(retry=Retry(max_attempts=2, backoff_s=1)))]), blocks, clock=clock
    )
    assert isinstance(played.outcome, Suspended)
    assert played.outcome.wake_at is not None
    assert played.outcome.wake_at >= clock.now + 29_000_000


async def test_a_step_that_takes_too_long_fails_with_timeout():
    """engine:T2"""
    blocks = shelf(Toy(spec("hang", [], ["out"], effects=Effects.READS, timeout_s=0.02), _hang))
    played = await play(graph([node("h", "hang")]), blocks)
    errors = [entry[5]["code"] for entry in played.log if entry[0] == "f"]
    assert errors == ["timeout"]


async def test_a_pure_block_that_really_waits_becomes_a_task_with_a_time_limit():
    """engine:T2"""
    blocks = shelf(Toy(spec("hang", [], ["out"], timeout_s=0.02), _hang))
    played = await play(graph([node("h", "hang"), node("x", "echo", value=1)]), blocks)
    assert played.fired("x") == [1]
    assert played.run.stats()["steps"] == {"completed": 1, "failed": 1}


async def test_a_run_of_too_many_steps_fails():
    """engine:F18"""
    doc = graph([node("x", "echo", value=1), node("loop", "echo")], "x.out -> loop.value", "loop.out -> loop.value")
    played = await play(doc, shelf(), limits=Limits(steps=50))
    assert isinstance(played.outcome, Ended)
    assert played.outcome.reason is not None
    assert played.outcome.reason["code"] == "step_limit"
    assert played.run.opened == 51


async def test_a_disabled_block_is_refused_when_its_step_would_start():
    """engine:S2, engine:Z11"""
    blocks = shelf(Toy(spec("off", [], ["out"], disabled=True), _hang))
    played = await play(graph([node("a", "off")]), blocks)
    assert isinstance(played.outcome, Ended)
    assert played.outcome.reason == {"code": "disabled_block", "message": "off is switched off.", "step_id": 1}
    assert blocks.get("off").calls == []


def test_a_plan_without_its_blocks_is_impossible():
    """engine:Z11"""
    with pytest.raises(PlanImpossible) as caught:
        compile_plan(graph([node("a", "gone")]), {})
    assert caught.value.code == "unknown_block"


async def _deaf(inputs: JsonObject, ctx: StepContext) -> Fires:
    for _ in range(3):
        try:
            await asyncio.sleep(0.3)
        except asyncio.CancelledError:
            continue
    return [("out", "too late")]


async def test_cancel_ends_the_run_and_abandons_what_resists():
    """engine:W6, engine:S5"""
    blocks = shelf(
        Toy(spec("deaf", [], ["out"], effects=Effects.READS), _deaf),
        Toy(spec("hang", [], ["out"], effects=Effects.READS), _hang),
    )
    cancelled = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, cancelled.set)
    began = time.monotonic()
    played = await play(
        graph([node("d", "deaf"), node("h", "hang")]), blocks, cancelled=cancelled, limits=Limits(patience_s=0.1)
    )
    assert time.monotonic() - began < 0.5
    assert played.status == "cancelled"
    assert played.run.stats()["steps"] == {"cancelled": 2}
    length = len(played.log)
    await asyncio.sleep(1.0)
    assert len(played.log) == length


async def test_a_run_that_is_cancelled_before_it_starts_calls_nothing():
    """engine:W6"""
    cancelled = asyncio.Event()
    cancelled.set()
    blocks = shelf()
    played = await play(graph([node("a", "echo", value=1)]), blocks, cancelled=cancelled)
    assert played.status == "cancelled"
    assert blocks.get("echo").calls == []


def test_a_final_run_changes_no_more():
    """engine:S1"""
    run = Run(compile_plan(graph([node("a", "echo", value=1)]), shelf().catalogue))
    run.fold([accepted(1, {})])
    run.cancel(2)
    before = run.snapshot()
    for move in (lambda: run.begin(3), lambda: run.cancel(3), lambda: run.end(3), lambda: run.fail("x", "y", 3)):
        with pytest.raises(IllegalMove):
            move()
    assert run.snapshot() == before


def test_a_step_moves_only_as_it_may():
    """engine:S4"""
    run = Run(compile_plan(graph([node("a", "echo", value=1)]), shelf().catalogue))
    run.fold([accepted(1, {})])
    step = run.ready[0]
    for move in (lambda: run.finish(step, 2), lambda: run.output(step, "out", 1, 2), lambda: run.resume(step, 0, 2)):
        with pytest.raises(IllegalMove):
            move()
    run.start(step, 3)
    with pytest.raises(IllegalMove):
        run.start(step, 4)
    with pytest.raises(IllegalMove):
        run.end(5)
