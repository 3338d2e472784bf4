"""autopilot:11.6: a model that runs in circles is told, and then stopped."""

import asyncio
from collections.abc import Mapping
from typing import TypeAlias, cast

import pytest

from pilothouse.autopilot.breakers import STOP_AND_ASK, failures_like, tripped
from pilothouse.base import failpoints
from pilothouse.features.chat import Draft, Event, events
from pilothouse.kit.json import Json, JsonObject
from tests.autopilot.bridge import Said
from tests.autopilot.stage import BYE, Stage, calls, numbered
from tests.autopilot.switch import Switched
from tests.autopilot.workshop import Workshop
from tests.base.waiting import until

Made: TypeAlias = tuple[str, Mapping[str, Json], bool]  # tool, arguments, whether it succeeded

OUTPUT = events.TOOL_OUTPUT_AVAILABLE
EMPTY: Mapping[str, Json] = {}
TOOLS = Workshop().tools


def made(*calls: Made) -> list[Event]:
    """The events of these calls."""
    drafts: list[Draft] = []
    for number, (tool, asked, success) in enumerate(calls):
        drafts.append(events.tool_input_available(f"c{number}", tool, dict(asked)))
        drafts.append(events.tool_output_available(f"c{number}", tool, {"type": "done"}, success=success))
    return [Event(number, draft.type, "t", 0, draft.data) for number, draft in enumerate(drafts, 1)]


def code_of(*calls: Made) -> str | None:
    why = tripped(made(*calls), TOOLS)
    return None if why is None else why[0]


NOTHING: Made = ("count_up", EMPTY, False)
SOMETHING: Made = ("count_up", {"n": 1}, True)


def test_four_empty_calls_are_no_circle_and_the_fifth_is():
    """11.6"""
    assert code_of(*[NOTHING] * 4) is None
    assert code_of(*[NOTHING, ("rest", EMPTY, False)] * 2, ("risk", EMPTY, False)) == "circuit_breaker_empty_tool_calls"


@pytest.mark.parametrize("place", range(1, 5))
def test_empty_calls_count_only_in_a_row(place: int):
    """11.6: one with arguments begins the count anew."""
    many: list[Made] = [("count_up" if n % 2 else "rest", EMPTY, False) for n in range(9)]
    many.insert(place, SOMETHING)
    assert code_of(*many[: place + 5]) is None
    assert code_of(*many[: place + 6]) == "circuit_breaker_empty_tool_calls"


def test_a_tool_that_needs_no_arguments_may_be_called_without():
    """11.6: also one that is there no more."""
    assert code_of(*[("stumble", EMPTY, True)] * 9, *[("gone", EMPTY, True)] * 9) is None


def test_the_fifth_identical_failure_ends_the_turn_and_others_between_do_not_help():
    """11.6"""
    failing: Made = ("stumble", {"n": 1, "m": 2}, False)
    turned: Made = ("stumble", {"m": 2, "n": 1}, False)  # the same, in another order
    assert code_of(*[failing, SOMETHING] * 4) is None
    assert code_of(*[failing, SOMETHING, turned] * 2, failing) == "repeated_tool_failure"


def test_calls_that_differ_or_succeed_are_not_identical_failures():
    """11.6"""
    assert code_of(*[("stumble", {"n": n}, False) for n in range(9)]) is None
    assert code_of(*[("stumble", {"n": 1}, True)] * 9) is None
    own = made(*[("stumble", {"n": n % 2}, n > 1) for n in range(4)], ("stumble", {"n": 2}, True), SOMETHING)
    assert [failures_like(own, f"c{n}") for n in range(6)] == [1, 1, 1, 1, 0, 0]


async def test_the_third_is_not_made_but_tells_the_model_to_ask_and_one_that_listens_goes_on(stage: Stage):
    """11.6"""
    script = await stage.play(*[numbered(n, "stumble", '{"n": 1}') for n in range(3)], BYE)
    said = await stage.bridge.ask("go")
    assert (said.status, stage.shop.done) == ("completed", [1, 1])
    told = [str(message["content"]) for message in script.asked[-1]["messages"] if message["role"] == "tool"]
    assert [STOP_AND_ASK in words for words in told] == [False, False, True]
    await stage.play(numbered(9, "stumble", '{"n": 1}'), BYE)
    await stage.bridge.ask("again")
    assert stage.shop.done == [1, 1, 1], "a new turn begins the count anew"


def test_empty_calls_in_a_row_are_seen_though_one_that_is_not_empty_stands_behind_them():
    """11.6: they may all be of one round."""
    assert code_of(*[NOTHING] * 5, SOMETHING) == "circuit_breaker_empty_tool_calls"


FAILING = ("stumble", '{"n": 1}')


def codes(said: Said) -> list[object]:
    """What each failed call was told, in the order of the calls."""
    told = {event.data["tool_call_id"]: event.data for event in said.of(events.TOOL_OUTPUT_ERROR)}
    told |= {event.data["tool_call_id"]: cast(JsonObject, event.data["output"]) for event in said.of(OUTPUT)}
    asked = [event.data["tool_call_id"] for event in said.of(events.TOOL_INPUT_AVAILABLE)]
    return [told[call_id]["code"] for call_id in asked]


MADE, TOLD = "internal", "repeated_tool_failure"


@pytest.mark.parametrize(
    ("rounds", "told", "ends"),
    [
        ([3], [MADE, MADE, TOLD], "completed"),
        ([4], [MADE, MADE, TOLD, TOLD], "completed"),
        ([5], [MADE, MADE, TOLD, TOLD, TOLD], "failed"),
        ([1, 3], [MADE, MADE, TOLD, TOLD], "completed"),
        ([1, 4], [MADE, MADE, TOLD, TOLD, TOLD], "failed"),
        ([2, 1, 1], [MADE, MADE, TOLD, TOLD], "completed"),
        ([2, 2, 1], [MADE, MADE, TOLD, TOLD, TOLD], "failed"),
    ],
    ids=str,
)
async def test_identical_failing_calls_of_one_round_are_counted_like_those_of_several(
    stage: Stage, rounds: list[int], told: list[str], ends: str
):
    """11.6"""
    script = await stage.play(*[calls(*[FAILING] * many) for many in rounds], BYE)
    said = await stage.bridge.ask("go")
    assert (said.status, codes(said)) == (ends, told)
    assert stage.shop.done == [1, 1]
    assert len(script.asked) == len(rounds) + (ends == "completed")
    if ends == "failed":
        assert said.of(events.ERROR)[0].data["code"] == TOLD


async def test_identical_calls_of_one_round_that_do_not_fail_are_all_made(stage: Stage):
    """11.6, 8.1"""
    await stage.play(calls(*[("rest", '{"n": 1}')] * 6), BYE)
    stage.shop.gate.set()
    said = await stage.bridge.ask("go")
    assert (said.status, stage.shop.done) == ("completed", [1] * 6)


@pytest.mark.parametrize("asked", [("nobody", '{"n": 1}'), ("stumble", "{"), ("stumble", f'{{"n": {2**70}}}')])
async def test_calls_that_reach_no_tool_are_counted_and_told_the_same(stage: Stage, asked: tuple[str, str]):
    """11.6: no such tool, arguments that are no JSON or cannot be kept; and the model reads what the log says."""
    script = await stage.play(calls(asked), calls(asked, asked), calls(asked), BYE)
    said = await stage.bridge.ask("go")
    assert (said.status, codes(said)[2:]) == ("completed", [TOLD, TOLD]), said.events
    assert codes(said)[0] == codes(said)[1] != TOLD
    read = [str(message["content"]) for message in script.asked[-1]["messages"] if message["role"] == "tool"]
    assert [STOP_AND_ASK in words for words in read] == [False, False, True, True]
    await stage.play(calls(*[asked] * 5), BYE)
    again = await stage.bridge.ask("again")
    assert (again.status, again.of(events.ERROR)[0].data["code"]) == ("failed", TOLD)


async def test_whoever_goes_on_after_a_loss_counts_the_same(stage: Stage, switched: Switched):
    """11.6, 11.1: lost in the middle of a round, one of whose calls has failed"""
    await stage.play(calls(FAILING, ("rest", '{"n": 7}')), calls(*[FAILING] * 2, ("risk", '{"n": 8}')), BYE)
    turn_id = await stage.bridge.start("go")
    await until(lambda: 7 in stage.shop.done)
    await switched[1].replace_worker(switched[0])
    stage.shop.gate.set()
    assert await stage.bridge.ended(turn_id) == "completed"
    said = Said("completed", await stage.bridge.events())
    assert [event.data["code"] for event in said.of(events.TOOL_OUTPUT_ERROR)] == [TOLD]
    assert stage.shop.done.count(1) == 2


async def test_a_turn_that_ran_in_circles_asks_nobody_though_its_worker_is_lost_then(
    stage: Stage, switched: Switched, monkeypatch: pytest.MonkeyPatch
):
    """11.6, 11.1: lost between the fifth failure and the end of the turn"""
    script = await stage.play(calls(*[FAILING] * 5), BYE)
    lost = asyncio.Event()

    def stop(name: str) -> None:
        if name == "turn_between_rounds" and not lost.is_set():
            lost.set()
            switched[1].turns[-1].hold.stopping.set()

    monkeypatch.setattr(failpoints, "hit", stop)
    said = await stage.bridge.ask("go")
    assert (said.status, said.of(events.ERROR)[0].data["code"]) == ("failed", TOLD)
    assert len(said.of(events.TURN_RESUMED)) == 1
    assert len(script.asked) == 1


async def test_arguments_that_are_no_text_at_all_are_empty_too(stage: Stage):
    """11.6"""
    await stage.play(*[numbered(n, "count_up", "") for n in range(9)], BYE)
    said = await stage.bridge.ask("go")
    assert said.of(events.ERROR)[0].data["code"] == "circuit_breaker_empty_tool_calls"
    assert len(said.tools) == 5
