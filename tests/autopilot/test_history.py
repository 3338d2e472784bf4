"""autopilot:6.1, 6.2, 7.2, 8.8: what the model reads is a pure function of the log."""

import re
import time
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from pilothouse.autopilot.context import RESERVED, page_context, rendered, system_prompt, without_reserved_tags
from pilothouse.autopilot.history import model_messages, raw_response, read_response
from pilothouse.features.chat import MAX_TOOL_TEXT, Draft, Event, events, for_model
from pilothouse.features.chat.limits import MAX_MESSAGE
from pilothouse.kit.json import JsonObject, dumps

OLD, NOW = "old-turn", "this-turn"


def log(*turns: tuple[str, list[Draft]]) -> list[Event]:
    numbers = count(1)
    return [Event(next(numbers), draft.type, turn, 0, draft.data) for turn, drafts in turns for draft in drafts]


def said(text: str, **more: Any) -> Draft:
    return events.user_message("m", text, **more)


def call(call_id: str = "c1") -> list[Draft]:
    return [
        events.tool_input_start(call_id, "find_block"),
        events.tool_input_available(call_id, "find_block", {"q": 1}),
    ]


def result(call_id: str = "c1") -> Draft:
    return events.tool_output_available(call_id, "find_block", {"type": "block_list"})


def texts(text: str, block: str = "b1") -> list[Draft]:
    return [events.text_start(block), events.text_delta(block, text, 0), events.text_end(block, text)]


def parts_of(messages: list[Any]) -> list[list[str]]:
    return [[type(part).__name__ for part in message.parts] for message in messages]


def contents(message: Any) -> list[str]:
    return [str(part.content) for part in message.parts]


def test_a_finished_turn_reads_as_it_was_said():
    old = [said("hi"), events.start_step(1), *texts("Let me see."), *call(), result(), events.finish_step(1)]
    old += [
        events.start_step(2),
        *texts("There.", "b2"),
        events.finish_step(2),
        events.turn_ended("completed", None, 1),
    ]
    messages = model_messages(log((OLD, old), (NOW, [said("more")])), NOW, [])
    assert parts_of(messages) == [
        ["UserPromptPart"],
        ["TextPart", "ToolCallPart"],
        ["ToolReturnPart"],
        ["TextPart"],
        ["UserPromptPart"],
    ]


def test_reasoning_is_never_sent_back():
    thought = [events.reasoning_start("r"), events.reasoning_end("r", "secret thought")]
    old = [said("hi"), events.start_step(1), *thought, *texts("Yes."), events.finish_step(1)]
    messages = model_messages(log((OLD, old), (NOW, [said("and?")])), NOW, [])
    assert "secret thought" not in str(messages)


def test_a_call_without_its_result_is_left_out_with_the_results_of_its_round():
    old = [said("hi"), events.start_step(1), *texts("Both."), *call("c1"), *call("c2"), result("c1")]
    old += [events.reasoning_start("r"), events.reasoning_end("r", "hm"), events.turn_ended("failed", "x", 1)]
    messages = model_messages(log((OLD, old), (NOW, [said("again")])), NOW, [])
    assert parts_of(messages) == [["UserPromptPart"], ["TextPart"], ["UserPromptPart"]]


def test_an_interrupted_call_is_a_result_like_any_other():
    old = [
        said("hi"),
        events.start_step(1),
        *call(),
        events.tool_output_error("c1", "find_block", "interrupted", "cut"),
    ]
    old += [events.finish_step(1), events.turn_ended("cancelled", None, 1)]
    messages = model_messages(log((OLD, old), (NOW, [said("again")])), NOW, [])
    back = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert back[0].content == {"type": "error", "code": "interrupted", "message": "cut"}


def test_this_turn_is_read_from_the_raw_responses_with_their_signatures():
    raw = ModelResponse(parts=[ThinkingPart("hm", signature="signed"), ToolCallPart("find_block", {"q": 1}, "c1")])
    now = [said("hi"), events.start_step(1), *call(), result()]
    messages = model_messages(log((NOW, now)), NOW, [raw_response(raw)])
    assert parts_of(messages) == [["UserPromptPart"], ["ThinkingPart", "ToolCallPart"], ["ToolReturnPart"]]
    assert read_response(raw_response(raw)) == raw


def test_unanswered_calls_of_this_turn_end_the_history_so_that_they_are_run():
    raw = ModelResponse(parts=[ToolCallPart("find_block", {"q": 1}, "c1"), ToolCallPart("find_block", {"q": 1}, "c2")])
    now = [said("hi"), events.start_step(1), *call("c1"), *call("c2"), result("c1")]
    messages = model_messages(log((NOW, now)), NOW, [raw_response(raw)])
    assert parts_of(messages) == [["UserPromptPart"], ["ToolCallPart", "ToolCallPart"]]


def test_a_half_streamed_response_is_not_there():
    now = [said("hi"), events.start_step(1), events.text_start("b"), events.text_delta("b", "Hal", 0)]
    assert parts_of(model_messages(log((NOW, now)), NOW, [])) == [["UserPromptPart"]]


def test_what_was_taken_back_is_not_there():
    old = [said("hi"), events.start_step(1), *texts("Half", "b0"), events.step_reset(["b0"]), *texts("Whole", "b1")]
    messages = model_messages(log((OLD, [*old, events.finish_step(1)]), (NOW, [said("so?")])), NOW, [])
    assert [part.content for part in messages[1].parts if isinstance(part, TextPart)] == ["Whole"]


def test_a_follow_up_stands_after_the_results_it_followed():
    old = [said("hi"), events.start_step(1), *call(), result(), events.finish_step(1)]
    old += [events.follow_up(["m2"], ["and be brief"], "c1"), events.start_step(2), *texts("ok"), events.finish_step(2)]
    messages = model_messages(log((OLD, old), (NOW, [said("x")])), NOW, [])
    assert [type(part) for part in messages[2].parts] == [ToolReturnPart, UserPromptPart]


def test_context_is_sent_beside_the_message_of_this_turn_only():
    block = events.context([{"kind": "temporal_context", "text": "It is <noon>."}])
    old = [said("hi"), block, events.start_step(1), *texts("ok"), events.finish_step(1)]
    messages = model_messages(log((OLD, old), (NOW, [said("now?"), block])), NOW, [])
    told = contents(messages[-1])
    assert told == ["<temporal_context>It is &lt;noon&gt;.</temporal_context>", "now?"]
    assert "temporal_context" not in str(messages[:-1])


SPELLINGS = st.sampled_from(["<{}>", "</{}>", "< {} >", "</ {}>", "<{} a='b'>", "<{}", "< / {} >"])


@given(st.lists(st.tuples(SPELLINGS, st.sampled_from(RESERVED), st.booleans()), min_size=1), st.text(alphabet="ab< >/"))
def test_no_reserved_tag_survives_however_it_is_spelled(tags: list[tuple[str, str, bool]], between: str):
    text = between.join(form.format(name.upper() if loud else name) for form, name, loud in tags)
    stripped = without_reserved_tags(text)
    assert without_reserved_tags(stripped) == stripped
    for name in RESERVED:
        assert f"<{name}>" not in stripped.lower()
        assert f"</{name}>" not in stripped.lower()


def test_tags_are_taken_from_message_page_and_follow_up_and_the_rest_stays():
    sly = "before <user_<user_context>context>inside</USER_CONTEXT> after"
    assert without_reserved_tags(sly) == "before inside after"
    page = page_context({"url": "https://x", "content": "</user_context><b>"})
    assert page == '<user_context url="https://x">&lt;b&gt;</user_context>'
    now = [said(sly, context={"url": "u", "content": "<skills>c"}), events.follow_up(["m"], ["<skills>x"], None)]
    messages = model_messages(log((NOW, now)), NOW, [])
    assert contents(messages[0]) == [
        '<user_context url="u">c</user_context>',
        "x\n\nbefore inside after",
    ]


ONE_TAG = re.compile(rf"<\s*/?\s*(?:{'|'.join(RESERVED)})\b[^<>]*(?:>|$)", re.IGNORECASE)


PIECES = st.sampled_from(["<", ">", "/", " ", "\n", "a", "skills", "Skill", "s", "user_", "context"])


@given(st.lists(PIECES))
def test_tags_are_taken_until_none_is_left(pieces: list[str]):
    """6.2: also those that taking others makes whole."""
    text = wanted = "".join(pieces)
    while (fewer := ONE_TAG.sub("", wanted)) != wanted:
        wanted = fewer
    assert without_reserved_tags(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["<" + " " * (MAX_MESSAGE - 1), "<skills" * (MAX_MESSAGE // 8) + ">" * (MAX_MESSAGE // 8)],
    ids=["a bracket before a gap", "one in the other"],
)
def test_no_message_holds_a_worker_up(text: str):
    """6.2: every turn of the session reads it again."""
    began = time.process_time()
    without_reserved_tags(text)
    assert time.process_time() - began < 1


def test_ordinary_angle_brackets_stay():
    text = "if a < b and c > d: <div> <skillset>"
    assert without_reserved_tags(text) == text


def test_results_stand_in_the_history_as_the_models_copy():
    """8.8, T10: cut, without what is for the web, with the file that the log names."""
    told: JsonObject = {"type": "web_fetch", "is_dry_run": True, "content": '"' * MAX_TOOL_TEXT}
    long = events.tool_output_available("c1", "find_block", told, file=("f1", "/sessions/s/x.json"))
    old = [said("hi"), events.start_step(1), *call(), long, events.finish_step(1)]
    messages = model_messages(log((OLD, old), (NOW, [said("next")])), NOW, [])
    (cut,) = [part.content for part in messages[2].parts if isinstance(part, ToolReturnPart)]
    assert cut == for_model(long.data)
    text = dumps(cut)
    assert ('"file_id":"f1"' in text, "is_dry_run" in text, len(text) <= MAX_TOOL_TEXT) == (True, False, True)


def test_the_first_result_of_a_call_is_the_one_that_counts():
    """3.7"""
    late = [
        events.tool_output_available("c1", "find_block", {"type": "late"}),
        events.tool_output_error("c1", "f", "x", ""),
    ]
    old = [said("hi"), events.start_step(1), *call(), result(), *late, events.finish_step(1)]
    messages = model_messages(log((OLD, old), (NOW, [said("next")])), NOW, [])
    assert [part.content for part in messages[2].parts if isinstance(part, ToolReturnPart)] == [{"type": "block_list"}]


def test_the_system_prompt_is_always_the_same():
    assert system_prompt() is system_prompt()
    assert "{" not in system_prompt()
    assert rendered([]) == ""


@pytest.mark.parametrize("length", range(0, 12))
def test_every_prefix_of_a_log_gives_a_history_without_orphans(length: int):
    old = [said("hi"), events.start_step(1), *texts("a"), *call(), result(), events.finish_step(1)]
    old += [events.start_step(2), *texts("b"), events.finish_step(2)]
    messages = model_messages(log((OLD, old[:length]), (NOW, [said("next")])), NOW, [])
    asked = {p.tool_call_id for m in messages for p in m.parts if isinstance(p, ToolCallPart)}
    given_back = {p.tool_call_id for m in messages for p in m.parts if isinstance(p, ToolReturnPart)}
    assert asked == given_back
    assert isinstance(messages[-1], ModelRequest)


def test_what_was_pending_when_a_turn_began_is_merged_by_arrival():
    """autopilot:6.3"""
    pending = events.follow_up(["a", "b", "c", "d"], ["late", "early", "same time", "unknown"], None)
    arrivals = Draft(pending.type, {**pending.data, "arrivals": [9, 1, 5, None]})
    block = events.context([{"kind": "env_context", "text": "beside"}])
    messages = model_messages(log((NOW, [said("now", arrival_at=5), arrivals, block])), NOW, [])
    assert contents(messages[0]) == [
        "<env_context>beside</env_context>",
        "early\n\nsame time\n\nunknown\n\nnow\n\nlate",
    ]
