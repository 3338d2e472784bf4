"""autopilot:7.3, 13.4-13.6: the loopback servers speak the wires that the real client libraries read."""

import asyncio

import pytest
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart
from pydantic_ai.models.openrouter import OpenRouterModelSettings
from structlog.testing import capture_logs

from pilothouse.autopilot.faults import EndedEarly, fault_of, require_whole
from pilothouse.autopilot.providers.careful import REPORTED_COST
from pilothouse.base import provider_http
from tests.base.waiting import until
from tests.providers.listening import KEY, ask, loopback, spoken
from tests.providers.script import Answer, Channel, Ends, Refusal, Tokens, Tool

WIRES = ("openai", "openrouter", "anthropic")
COMPLETIONS = ("openai", "openrouter")
PRICED = OpenRouterModelSettings(openrouter_usage={"include": True})
FULL = Answer(
    text=("Hel", "lo."),
    thinking=("I ", "see."),
    tools=(Tool("c1", "look", '{"at": "sky"}'), Tool("c2", "look", '{"at": "sea"}')),
)


def texts(response: ModelResponse, kind: type[TextPart | ThinkingPart]) -> str:
    return "".join(part.content for part in response.parts if isinstance(part, kind))


@pytest.mark.parametrize("wire", WIRES)
async def test_text_thoughts_parallel_calls_and_usage_come_through(wire: str):
    """7.3, 13.6"""
    async with loopback(wire, FULL) as (model, script):
        response = await ask(model)
    require_whole(response)
    assert (texts(response, TextPart), texts(response, ThinkingPart)) == ("Hello.", "I see.")
    assert [(call.tool_call_id, call.args_as_dict()) for call in response.tool_calls] == [
        ("c1", {"at": "sky"}),
        ("c2", {"at": "sea"}),
    ]
    assert (response.usage.input_tokens, response.usage.output_tokens) == (11, 7)
    headers = script.requests[0].headers
    assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", ""))
    assert script.requests[0].path == ("/v1/messages" if wire == "anthropic" else "/v1/chat/completions")


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize("channel", ["reasoning", "reasoning_content", "reasoning_details"])
async def test_thoughts_are_heard_in_each_of_the_three_channels(wire: str, channel: Channel):
    """7.3"""
    async with loopback(wire, Answer(thinking=("I ", "see."), text=("Yes.",), channel=channel)) as (model, _):
        response = await ask(model)
    assert (texts(response, ThinkingPart), texts(response, TextPart)) == ("I see.", "Yes.")


@pytest.mark.parametrize("wire", COMPLETIONS)
async def test_of_the_details_only_texts_summaries_and_those_without_a_type_are_shown(wire: str):
    """7.3"""
    details = (
        {"type": "reasoning.summary", "summary": "In short. ", "index": 0},
        {"text": "At length."},
        {"type": "reasoning.encrypted", "data": "c2VjcmV0", "index": 2},
        {"type": "reasoning.dream", "text": "unknown"},
    )
    async with loopback(wire, Answer(details=details, text=("Yes.",))) as (model, _):
        response = await ask(model)
    assert texts(response, ThinkingPart) == "In short. At length."


MALFORMED = (
    {"reasoning_details": "words"},
    {"reasoning_details": ["words", {"type": "reasoning.text", "text": 7}]},
    {"reasoning": {"text": "an object"}},
    {"reasoning_content": ["a", "list"]},
)


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize("odd", MALFORMED, ids=[str(number) for number in range(len(MALFORMED))])
async def test_malformed_thoughts_warn_once_and_the_stream_goes_on(wire: str, odd: dict[str, object]):
    """7.3"""
    async with loopback(wire, Answer(odd=(odd, odd), text=("Yes.",))) as (model, _):
        with capture_logs() as logs:
            response = await ask(model)
    assert (texts(response, TextPart), texts(response, ThinkingPart)) == ("Yes.", "")
    assert [entry["event"] for entry in logs] == ["model.reasoning_malformed"]


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize("cost", [0.0123, 0, 5])
async def test_a_reported_price_is_kept_also_when_it_is_nothing(wire: str, cost: float):
    """13.4"""
    async with loopback(wire, Answer(text=("Yes.",), cost=cost)) as (model, _):
        response = await ask(model, PRICED)
    assert (response.provider_details or {})[REPORTED_COST] == cost


async def test_openrouter_tells_a_price_only_when_it_is_asked():
    """13.4"""
    async with loopback("openrouter", Answer(text=("Yes.",), cost=0.0123)) as (model, _):
        response = await ask(model)
    assert REPORTED_COST not in (response.provider_details or {})


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize(("asked", "told"), [({}, False), ({"stream_options": {"include_usage": True}}, True)])
async def test_a_server_counts_only_when_it_is_asked(wire: str, asked: dict[str, object], told: bool):
    """13.6: the library asks, as the tests above see"""
    answer = await spoken(wire, {"model": "maker/test", "messages": [], **asked})
    assert (answer.status_code, '"usage"' in answer.text) == (200, told)


MARK = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("wire", "model", "texts", "status"),
    [
        ("openai", "gpt-5", ["a"], 400),
        ("openai", "claude-by-a-proxy", ["a"], 400),
        ("openrouter", "openai/gpt-5", ["a"], 400),
        ("openrouter", "anthropic/claude-sonnet-4-6", ["a"], 200),
        ("anthropic", "claude-sonnet-4-6", ["a"] * 4, 200),
        ("anthropic", "claude-sonnet-4-6", ["a"] * 5, 400),
        ("anthropic", "claude-sonnet-4-6", ["a", ""], 400),
    ],
)
async def test_a_marker_where_none_may_be_is_refused(wire: str, model: str, texts: list[str], status: int):
    """12.2: others answer 400"""
    parts = [{"type": "text", "text": text, **MARK} for text in texts]
    body = {"model": model, "messages": [{"role": "user", "content": parts}]}
    assert (await spoken(wire, body)).status_code == status


CALL = {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "sky"}}
TOOLS = {"tools": [{"name": "look", "input_schema": {"type": "object"}}]}


@pytest.mark.parametrize(("tools", "status"), [({}, 400), ({"tools": []}, 400), (TOOLS, 200)])
async def test_anthropic_takes_no_calls_without_the_tools_they_are_of(tools: dict[str, object], status: int):
    """autopilot:14.3"""
    body = {"model": "claude-sonnet-4-6", "messages": [{"role": "assistant", "content": [CALL]}], **tools}
    assert (await spoken("anthropic", body)).status_code == status


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("tools", "status"), [({}, 400), (TOOLS, 200)])
async def test_nobody_takes_a_choice_among_no_tools(wire: str, tools: dict[str, object], status: int):
    """autopilot:6.11"""
    asked = {"model": "maker/test", "messages": list[object](), "tool_choice": "none"}
    assert (await spoken(wire, asked | tools)).status_code == status


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize("cost", [None, "much", -0.5, float("nan"), float("inf"), True, [1], {"usd": 1}])
async def test_a_price_that_is_none_counts_as_missing_with_an_error_in_the_log(wire: str, cost: object):
    """13.5"""
    async with loopback(wire, Answer(text=("Yes.",), cost=cost)) as (model, _):
        with capture_logs() as logs:
            response = await ask(model, PRICED)
    assert texts(response, TextPart) == "Yes."
    assert REPORTED_COST not in (response.provider_details or {})
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("model.cost_refused", "error")]


@pytest.mark.parametrize("wire", WIRES)
async def test_cache_tokens_are_read_from_each_wire(wire: str):
    """13.6"""
    tokens = Tokens(prompt=300, completion=20, cache_read=600, cache_write=100)
    async with loopback(wire, Answer(text=("Yes.",), tokens=tokens)) as (model, _):
        usage = (await ask(model)).usage
    counts = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    assert counts == (1000, 600, 100, 20)


@pytest.mark.parametrize("wire", COMPLETIONS)
@pytest.mark.parametrize(
    ("told", "written"),
    [
        ({"cache_creation_input_tokens": 40}, 40),
        ({"cache_write_tokens": 30, "cache_creation_input_tokens": 40}, 30),
        ({"prompt_tokens_details": {"cache_write_tokens": 20}, "cache_write_tokens": 30}, 20),
        ({"prompt_tokens_details": {"cached_tokens": 5, "cache_creation_input_tokens": 40}}, 40),
        ({"prompt_tokens_details": {"cache_write_tokens": 0}, "cache_creation_input_tokens": 40}, 40),
        ({"cache_creation_input_tokens": "many", "cache_write_tokens": -1}, 0),
        ({"cache_creation_input_tokens": None, "prompt_tokens_details": "none"}, 0),
    ],
)
async def test_what_filled_the_cache_is_read_under_each_of_its_names(wire: str, told: dict[str, object], written: int):
    """13.6: the typed field, then `cache_write_tokens`, then `cache_creation_input_tokens`"""
    async with loopback(wire, Answer(text=("Yes.",), tokens=Tokens(prompt=100, beside=told))) as (model, _):
        usage = (await ask(model)).usage
    assert (usage.input_tokens, usage.cache_write_tokens) == (100, written)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("ends", ["early", "cut", "overloaded"])
async def test_what_ends_badly_is_a_transient_fault(wire: str, ends: Ends):
    """11.4"""
    async with loopback(wire, Answer(text=("Half an ans",), ends=ends)) as (model, _):
        with pytest.raises((EndedEarly, ModelAPIError)) as caught:
            require_whole(await ask(model))
    assert fault_of(caught.value).transient


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("silent", [Answer(text=("late",), delay=30), Answer(text=("Half", " an"), pause=30)])
async def test_a_connection_that_says_nothing_is_a_transient_fault(
    monkeypatch: pytest.MonkeyPatch, wire: str, silent: Answer
):
    """11.4"""
    monkeypatch.setattr(provider_http, "READ_SECONDS", 0.2)
    async with loopback(wire, silent) as (model, script):
        with pytest.raises(ModelAPIError) as caught:
            await ask(model)
        await until(lambda: script.closed == 1)
    assert fault_of(caught.value).transient


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("status", "code"), [(401, "provider_auth"), (404, "model_unavailable"), (429, None), (503, None)]
)
async def test_a_refusal_is_judged_by_its_status(wire: str, status: int, code: str | None):
    """11.4"""
    async with loopback(wire, Refusal(status, {"Retry-After": "3"})) as (model, script):
        with pytest.raises(ModelAPIError) as caught:
            await ask(model)
    fault = fault_of(caught.value)
    assert (fault.code, fault.transient) == (code or "transient_api_error", code is None)
    assert fault.retry_after == (3.0 if code is None else None)
    assert len(script.requests) == 1


@pytest.mark.parametrize("wire", WIRES)
async def test_a_client_that_leaves_is_noticed(wire: str):
    """11.9"""
    async with loopback(wire, Answer(text=("word ",) * 500, pause=0.02)) as (model, script):
        async with model_request_stream(model, [ModelRequest.user_text_prompt("hi")]) as stream:
            async for _ in stream:
                break
        await until(lambda: script.closed == 1)
    assert script.whole == 0


async def test_a_late_first_byte_is_waited_for():
    async with loopback("openai", Answer(text=("Yes.",), delay=0.2)) as (model, _):
        began = asyncio.get_running_loop().time()
        await ask(model)
    assert asyncio.get_running_loop().time() - began >= 0.2
