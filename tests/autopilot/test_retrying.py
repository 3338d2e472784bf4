"""autopilot:11.8: what the model reads when the message of a failed turn is answered again."""

import pytest

from pilothouse.autopilot.history import RETRYING, model_messages
from pilothouse.features.chat import events
from tests.autopilot.bridge import Said
from tests.autopilot.stage import BYE, Stage, calls
from tests.autopilot.test_history import NOW, OLD, call, contents, log, parts_of, result, said, texts
from tests.providers.script import Answer

FAILED = [events.error("idle_timeout", "Silence."), events.turn_ended("failed", "idle_timeout", 1)]


def test_a_message_that_nothing_came_of_is_said_once():
    """11.8"""
    told = log((OLD, [said("hi"), *FAILED]), (NOW, [events.turn_queued(None, 1)]))
    messages = model_messages(told, NOW, [])
    assert [contents(message) for message in messages] == [["hi"]]


def test_finished_work_stands_before_the_message_that_is_answered_again():
    """11.8"""
    old = [said("hi"), events.start_step(1), *texts("Look."), *call(), result(), events.finish_step(1), *FAILED]
    beside = events.context([{"kind": "temporal_context", "text": "now"}])
    messages = model_messages(log((OLD, old), (NOW, [events.turn_queued(None, 1), beside])), NOW, [])
    assert parts_of(messages)[:2] == [["UserPromptPart"], ["TextPart", "ToolCallPart"]]
    assert contents(messages[2])[1:] == ["<temporal_context>now</temporal_context>", RETRYING, "hi"]


def test_a_second_retry_says_it_once_too():
    """11.8"""
    old = [said("hi"), events.start_step(1), *call(), result(), events.finish_step(1), *FAILED]
    told = log((OLD, old), ("second", [events.turn_queued(None, 1), *FAILED]), (NOW, [events.turn_queued(None, 1)]))
    messages = model_messages(told, NOW, [])
    assert contents(messages[-1])[1:] == [RETRYING, "hi"]


@pytest.mark.usefixtures("hurried")
async def test_a_retry_goes_on_behind_the_finished_calls(stage: Stage):
    """11.8: a tool that was done is not done again, and the user's message is there."""
    cut = Answer(text=("Wor",), ends="cut")
    script = await stage.play(calls(("count_up", '{"n": 1}')), cut, cut, cut, BYE)
    first = await stage.bridge.ask("count for me")
    assert (first.status, first.of(events.ERROR)[0].data["code"]) == ("failed", "all_attempts_exhausted")
    begun = await stage.bridge.chat.retry_turn(stage.bridge.stand.ann.actor, stage.bridge.session_id)
    assert await stage.bridge.ended(begun.turn_id) == "completed"
    again = Said("completed", [event for event in await stage.bridge.events() if event.turn_id == begun.turn_id])
    assert again.text == "Done."
    assert stage.shop.done == [1]
    asked = script.asked[-1]["messages"]
    assert [message["role"] for message in asked[1:5]] == ["user", "assistant", "tool", "user"]
    assert "count for me" in str(asked[-1])
