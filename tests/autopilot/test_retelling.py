"""autopilot:14.3: a turn that may use no tool, in a session whose history holds calls."""

from typing import cast

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from pilothouse.autopilot.retelling import in_words
from pilothouse.features.chat import events
from pilothouse.kit.json import JsonObject
from tests.autopilot.till import Till
from tests.providers.script import Answer, Body, Tool

NOTHING: JsonObject = {"tools": [], "tools_exclude": False}
BYE = Answer(text=("Done.",))
FINDS = Answer(text=("I look.",), tools=(Tool("c1", "find_block", '{"query": "template <b>"}'),))
MAKERS = [("anthropic", "claude-sonnet-4-6"), ("openrouter", "anthropic/claude-sonnet-4-6"), ("openai", "gpt-5")]


def blocks(body: Body) -> list[str]:
    """Everything of a conversation that stands for a call or its result, on whichever wire."""
    messages = cast(list[Body], body["messages"])
    spoken = [cast(list[Body], one["content"]) for one in messages if isinstance(one["content"], list)]
    kinds = [str(block["type"]) for many in spoken for block in many] + [str(one["role"]) for one in messages]
    return [kind for kind in kinds if kind.startswith("tool")] + [str(one) for one in messages if "tool_calls" in one]


@pytest.mark.parametrize(("wire", "model"), MAKERS)
async def test_a_turn_without_tools_goes_on_with_a_conversation_that_holds_calls(till: Till, wire: str, model: str):
    """14.3: no tool is advertised, and what was done before is told in words."""
    script = await till.play(wire, FINDS, BYE, model=model)
    assert (await till.bridge.ask("find it")).status == "completed"
    said = await till.bridge.ask("and what was it?", permissions=NOTHING)
    assert (said.status, said.text) == ("completed", "Done.")
    last = script.asked[-1]
    assert (last.get("tools"), last.get("tool_choice"), blocks(last)) == (None, None, [])
    told = str([message for message in last["messages"] if message["role"] != "system"])
    assert "template &lt;b&gt;" in told
    assert told.index("I look.") < told.index("find_block") < told.index("and what was it?")


@pytest.mark.parametrize(("wire", "model"), MAKERS)
async def test_a_call_that_a_model_makes_all_the_same_is_unknown_and_the_turn_goes_on(
    till: Till, wire: str, model: str
):
    """14.3"""
    script = await till.play(wire, FINDS, BYE, model=model)
    said = await till.bridge.ask("find it", permissions=NOTHING)
    assert (said.status, said.text) == ("completed", "I look.\nDone.")
    assert [event.data["code"] for event in said.of(events.TOOL_OUTPUT_ERROR)] == ["unknown_tool"]
    assert blocks(script.asked[-1]) == []
    assert "There is no tool" in str(script.asked[-1]["messages"])


@pytest.mark.parametrize(("wire", "model"), MAKERS)
async def test_its_closing_round_asks_for_words_without_naming_tools(till: Till, wire: str, model: str):
    """6.11, 14.3: providers refuse a choice of tools where there are none."""
    script = await till.play(wire, FINDS, Answer(thinking=("Hm.",)), BYE, model=model)
    said = await till.bridge.ask("find it", permissions=NOTHING)
    assert (said.status, said.text) == ("completed", "I look.\nDone.")
    assert len(script.asked) == 3
    assert "tool_choice" not in script.asked[-1]


def asked(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


CALL = ToolCallPart("look", {"at": "sky"}, "c1")
RESULT = ToolReturnPart("look", {"seen": "blue"}, "c1")


def words(messages: list[ModelMessage]) -> list[tuple[str, list[str]]]:
    return [(one.kind, [str(getattr(part, "content", part)) for part in one.parts]) for one in messages]


def test_what_was_thought_before_a_call_goes_with_it_and_what_was_said_stays():
    """14.3"""
    spoken = ModelResponse(parts=[ThinkingPart("Hm."), TextPart("I look."), CALL])
    told = in_words([asked("go"), spoken, ModelRequest(parts=[RESULT, UserPromptPart("quick")])])
    work = (
        '<conversation_history>AutoPilot calls look: {"at":"sky"}\nlook gives: {"seen":"blue"}</conversation_history>'
    )
    assert words(told) == [("request", ["go"]), ("response", ["I look."]), ("request", [work, "quick"])]


def test_a_round_in_which_nothing_was_said_leaves_one_request():
    """14.3"""
    told = in_words([asked("go"), ModelResponse(parts=[CALL]), ModelRequest(parts=[RESULT]), asked("and?")])
    assert [(kind, len(parts)) for kind, parts in words(told)] == [("request", 3)]


def test_a_conversation_without_calls_and_calls_that_wait_for_their_answer_stay_as_they_are():
    """14.3"""
    plain: list[ModelMessage] = [
        asked("go"),
        ModelResponse(parts=[ThinkingPart("Hm."), TextPart("Yes.")]),
        asked("so?"),
    ]
    assert in_words(plain) == plain
    waiting: list[ModelMessage] = [asked("go"), ModelResponse(parts=[ThinkingPart("Hm."), CALL])]
    assert in_words(waiting) == waiting
