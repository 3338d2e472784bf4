"""autopilot:11.6: a model that runs in circles is told, and then stopped."""

from collections.abc import Mapping
from typing import TypeAlias

import pytest

from pilothouse.autopilot.breakers import STOP_AND_ASK, failures_like, tripped
from pilothouse.features.chat import Draft, Event, events
from pilothouse.kit.json import Json
from tests.autopilot.stage import BYE, Stage, numbered
from tests.autopilot.workshop import Workshop

Made: TypeAlias = tuple[str, Mapping[str, Json], bool]  # tool, arguments, whether it succeeded

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
    own = made(*[("stumble", {"n": n % 2}, n > 1) for n in range(4)])
    assert [failures_like(own, "stumble", {"n": n}) for n in range(3)] == [1, 1, 0]
    assert failures_like(own, "count_up", {"n": 1}) == 0


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


async def test_arguments_that_are_no_text_at_all_are_empty_too(stage: Stage):
    """11.6"""
    await stage.play(*[numbered(n, "count_up", "") for n in range(9)], BYE)
    said = await stage.bridge.ask("go")
    assert said.of(events.ERROR)[0].data["code"] == "circuit_breaker_empty_tool_calls"
    assert len(said.tools) == 5
