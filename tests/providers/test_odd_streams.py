"""autopilot:7.3, 11.4, 13.5, 13.6: pieces of a stream that are not what they should be, on each wire."""

import pytest
from structlog.testing import capture_logs

from pilothouse.autopilot.faults import Unreadable, fault_of, require_whole
from pilothouse.kit.json import dumps
from tests.providers.listening import ask, loopback
from tests.providers.script import Answer, Body, Tokens
from tests.providers.test_wires import COMPLETIONS, TextPart, ThinkingPart, texts


def block(start: object, *deltas: object) -> tuple[str, ...]:
    """A block of Anthropic's wire, far behind all others."""
    begun = {"type": "content_block_start", "index": 9, "content_block": start}
    grown = [{"type": "content_block_delta", "index": 9, "delta": delta} for delta in deltas]
    return tuple(map(dumps, [begun, *grown, {"type": "content_block_stop", "index": 9}]))


def thought(words: object) -> Body:
    return {"type": "thinking_delta", "thinking": words}


BEGUN = {"type": "thinking", "thinking": "", "signature": ""}
ODD_THOUGHTS = {
    "a number": (block(BEGUN, thought("I "), thought(7), thought(8), thought("see.")), "I see."),
    "an object": (block(BEGUN, thought({"text": "no"})), ""),
    "an odd signature": (block(BEGUN, thought("I see."), {"type": "signature_delta", "signature": 7}), "I see."),
    "an odd beginning": (block({"type": "thinking", "thinking": 7, "signature": ""}, thought("I see.")), "I see."),
    "a bare beginning": (block({"type": "thinking", "signature": ""}, thought("I see.")), "I see."),
    "nothing redacted": (block({"type": "redacted_thinking"}), ""),
}


@pytest.mark.parametrize("name", ODD_THOUGHTS)
async def test_anthropics_malformed_thoughts_warn_once_and_the_stream_goes_on(name: str):
    """7.3"""
    raw, heard = ODD_THOUGHTS[name]
    async with loopback("anthropic", Answer(raw=raw, text=("Yes.",))) as (model, _):
        with capture_logs() as logs:
            response = await ask(model)
    require_whole(response)
    assert (texts(response, TextPart), texts(response, ThinkingPart)) == ("Yes.", heard)
    assert [entry["event"] for entry in logs] == ["model.reasoning_malformed"]


async def test_what_anthropic_redacts_is_never_shown_and_goes_back_as_it_came():
    """7.3"""
    raw = block({"type": "redacted_thinking", "data": "c2VjcmV0"})
    async with loopback("anthropic", Answer(raw=raw, text=("Yes.",))) as (model, _):
        response = await ask(model)
    assert texts(response, ThinkingPart) == ""
    assert [part.signature for part in response.parts if isinstance(part, ThinkingPart)] == ["c2VjcmV0"]


@pytest.mark.parametrize("wire", COMPLETIONS)
async def test_an_odd_beside_of_an_encrypted_thought_does_not_end_the_stream(wire: str):
    """7.3"""
    odd = {"type": "reasoning.encrypted", "data": "c2VjcmV0", "id": 7, "format": ["x"], "index": "first"}
    async with loopback(wire, Answer(details=(odd,), text=("Yes.",))) as (model, _):
        response = await ask(model)
    assert (texts(response, TextPart), texts(response, ThinkingPart)) == ("Yes.", "")


@pytest.mark.parametrize("wire", COMPLETIONS)
async def test_a_plain_thought_is_shown_beside_an_encrypted_one(wire: str):
    """7.3"""
    delta = {"reasoning": "I see.", "reasoning_details": [{"type": "reasoning.encrypted", "data": "c2VjcmV0"}]}
    async with loopback(wire, Answer(odd=(delta,), text=("Yes.",))) as (model, _):
        response = await ask(model)
    assert texts(response, ThinkingPart) == "I see."


@pytest.mark.parametrize("wire", COMPLETIONS)
async def test_a_summary_without_a_type_is_shown(wire: str):
    """7.3"""
    async with loopback(wire, Answer(details=({"summary": "In short."},), text=("Yes.",))) as (model, _):
        response = await ask(model)
    assert texts(response, ThinkingPart) == "In short."


FRAME = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "test"}
CHOICE = {"index": 0, "finish_reason": None}
LEFT_OUT = [
    "null",
    "7",
    "[]",
    dumps({**FRAME, "choices": None}),
    dumps({**FRAME, "choices": "none"}),
    dumps({**FRAME, "choices": [None]}),
    dumps({**FRAME, "choices": [{**CHOICE, "delta": None}]}),
    dumps({**FRAME, "choices": [{**CHOICE, "delta": "words"}]}),
    dumps({**FRAME, "choices": [], "usage": "some"}),
    dumps({**FRAME, "choices": [], "id": None, "model": 7, "created": None}),
    dumps({**FRAME, "choices": [], "created": 10**18}),
]


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize("raw", LEFT_OUT)
async def test_a_chunk_that_says_nothing_is_left_out(wire: str, raw: str):
    """7.3: what can be left out does not end the stream"""
    async with loopback(wire, Answer(raw=(raw,), text=("Yes.",))) as (model, _):
        response = await ask(model)
    require_whole(response)
    assert texts(response, TextPart) == "Yes."
    assert (response.usage.input_tokens, response.model_name) == (11, "test")


NAMELESS = {"tool_calls": [{"index": 0, "id": "c1", "function": None}]}
UNREADABLE = [
    ("openai", (dumps({**FRAME, "choices": [{**CHOICE, "delta": {"tool_calls": [None]}}]}),)),
    ("openai", (dumps({**FRAME, "choices": [{**CHOICE, "delta": NAMELESS}]}),)),
    ("openrouter", (dumps({**FRAME, "choices": [{**CHOICE, "delta": NAMELESS}]}),)),
    ("anthropic", (dumps({"type": "message_delta", "delta": None, "usage": {"output_tokens": 1}}),)),
    ("anthropic", block({"type": "text", "text": ""}, {"type": "text_delta", "text": 7})),
]


@pytest.mark.parametrize(("wire", "raw"), UNREADABLE)
async def test_what_no_library_can_read_is_a_transient_fault_of_the_provider(wire: str, raw: tuple[str, ...]):
    """11.4: and not of the worker, which would be lost over it"""
    async with loopback(wire, Answer(raw=raw, text=("Yes.",))) as (model, _):
        with pytest.raises(Unreadable) as caught:
            await ask(model)
    assert fault_of(caught.value).transient


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize("count", [None, "many", -1, 2**62, [1]])
async def test_a_count_that_is_none_was_not_told(wire: str, count: object):
    """13.6"""
    told: Body = {"prompt_tokens": count, "prompt_tokens_details": {"cached_tokens": count}}
    async with loopback(wire, Answer(text=("Yes.",), tokens=Tokens(beside=told))) as (model, _):
        usage = (await ask(model)).usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == (0, 0, 7)


@pytest.mark.parametrize("wire", COMPLETIONS)
async def test_who_refuses_to_answer_has_said_all_there_is(wire: str):
    """11.4: it is not asked again and again"""
    async with loopback(wire, Answer(odd=({"refusal": "I will not."},))) as (model, _):
        require_whole(await ask(model))
