"""3.3: the view is a pure function of the log; live and later agree, for every prefix."""

from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pilothouse.features.chat import Event, events
from pilothouse.features.chat.fold import DELTAS, Fold, fold
from pilothouse.kit.json import dump_bytes
from tests.features.chat.logs import logs


@given(logs, st.randoms())
def test_folding_in_parts_gives_what_folding_at_once_gives(log: list[Event], chance: Random):
    live = Fold()
    for n, event in enumerate(log, 1):
        live.see(event)
        if chance.random() < 0.2:
            assert live.messages == fold(log[:n])
    assert live.messages == fold(log)


@given(logs)
def test_folding_leaves_the_log_alone_and_gives_json(log: list[Event]):
    before = deepcopy(log)
    dump_bytes(fold(log))
    assert log == before


@given(logs)
def test_an_ended_turn_has_nothing_open(log: list[Event]):
    """4.4: whatever was cut off, the closing events end it."""
    messages: list[Any] = fold(log)
    for message in messages:
        if message["role"] == "assistant":
            states = {part.get("state") for part in message["parts"]}
            assert not {"streaming", "input-streaming", "input-available", "running"} & states
            assert message["status"] in ("completed", "failed", "cancelled")


@given(logs)
def test_deltas_may_be_trimmed(log: list[Event]):
    """3.4: the end of a block sets its text."""
    kept = [event for event in log if event.type not in DELTAS]
    assert fold(kept) == fold(log)


def told(*drafts: events.Draft) -> list[Event]:
    return [Event(n, draft.type, "t", n, draft.data) for n, draft in enumerate(drafts, 1)]


def test_a_result_that_comes_twice_counts_once():
    """3.7."""
    call = events.tool_input_available("c", "find", {})
    first, second = events.tool_output_available("c", "find", 1), events.tool_output_available("c", "find", 2)
    failed = events.tool_output_error("c", "find", "late", "Too late.")
    messages: list[Any] = fold(told(call, first, second, failed))
    assert [(part["state"], part["output"]) for part in messages[0]["parts"]] == [("output-available", 1)]


def test_a_step_that_was_given_up_is_gone():
    """11.3."""
    drafts = [
        events.start_step(1),
        events.text_start("a"),
        events.text_delta("a", "half", 0),
        events.tool_input_start("c", "find"),
        events.text_end("a", "half"),
        events.tool_output_error("c", "find", "interrupted", ""),
        events.finish_step(1),
        events.step_reset(["a", "c"]),
        events.text_start("b"),
        events.text_end("b", "whole"),
    ]
    messages: list[Any] = fold(told(*drafts))
    assert [part["text"] for part in messages[0]["parts"] if part["type"] != "step"] == ["whole"]
