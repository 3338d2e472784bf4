"""autopilot:7.4, 12.2: how much a model may think and what is cached, as the bytes on each provider's wire say it."""

from typing import Any, TypeAlias, cast

import pytest

from pilothouse.autopilot.manner import effort_of, is_anthropic
from pilothouse.autopilot.models import Chosen, Models
from pilothouse.base.settings import Settings
from tests.autopilot.till import Till
from tests.providers.script import Answer

Body: TypeAlias = dict[str, Any]

BYE = Answer(text=("Done.",))
ALL_KEYS = {f"{name}_api_key": "k" for name in ("anthropic", "openai", "openrouter", "gemini", "groq")}
THINKS = [
    ("anthropic", "claude-sonnet-4-6"),
    ("anthropic", "claude-opus-4-7"),
    ("openai", "gpt-5"),
    ("openrouter", "anthropic/claude-sonnet-4-6"),
    ("openrouter", "openai/gpt-4o"),
]
NO_MARK = ("cache_control", "ephemeral")


def chosen(slug: str, mode: str | None = None, **settings: Any) -> Chosen:
    told = {**ALL_KEYS, "ollama_base_url": "http://localhost:1", "chat_model": slug, **settings}
    return Models(Settings.model_validate(told)).resolve_chat_model(mode)


def asks_for_thought(body: Body) -> Body:
    """Every parameter of a request that speaks of reasoning, on whichever wire."""
    names = ("thinking", "reasoning", "reasoning_effort", "output_config", "include_reasoning")
    return {name: body[name] for name in names if name in body}


@pytest.mark.parametrize(
    ("wire", "model", "budget", "asked"),
    [
        ("anthropic", "claude-sonnet-4-6", 8192, {"thinking": {"type": "enabled", "budget_tokens": 8192}}),
        ("anthropic", "claude-sonnet-4-6", 5, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (
            "anthropic",
            "claude-opus-4-7",
            8192,
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}},
        ),
        ("openai", "gpt-5", 2048, {"reasoning_effort": "low"}),
        ("openai", "gpt-5", 20_000, {"reasoning_effort": "high"}),
        ("openrouter", "anthropic/claude-sonnet-4-6", 4096, {"reasoning": {"max_tokens": 4096}}),
    ],
)
async def test_the_budget_reaches_each_wire_in_its_own_words(
    small_till: Till, wire: str, model: str, budget: int, asked: Body
):
    """7.4"""
    script = await small_till.play(wire, BYE, model=model, thinking_budget_tokens=budget)
    assert (await small_till.bridge.ask("hi", mode="extended_thinking")).status == "completed"
    assert asks_for_thought(script.asked[0]) == asked


@pytest.mark.parametrize(
    ("model", "budget", "given"),
    [("claude-opus-4-5", 128_000, 59_904), ("claude-sonnet-4-6", 128_000, 123_904), ("claude-opus-4-5", 9_000, 9_000)],
)
async def test_a_budget_leaves_room_for_an_answer(small_till: Till, model: str, budget: int, given: int):
    """7.4: Anthropic refuses a request for more than the model can say at all"""
    script = await small_till.play("anthropic", BYE, model=model, thinking_budget_tokens=budget)
    await small_till.bridge.ask("hi")
    body = script.asked[0]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": given}
    assert given < body["max_tokens"] <= (64_000 if "opus" in model else 128_000)


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        ("claude-3-haiku-20240307", False),
        ("claude-3-5-haiku-latest", False),
        ("claude-3-opus-20240229", False),
        ("claude-2.1", False),
        ("claude-3-7-sonnet-latest", True),
        ("claude-haiku-4-5", True),
    ],
)
def test_a_claude_that_cannot_think_is_not_asked_to(model: str, thinks: bool):
    """7.4: it would refuse the whole request"""
    assert ("anthropic_thinking" in (chosen(f"anthropic/{model}").settings or {})) is thinks


@pytest.mark.parametrize(
    ("wire", "model", "asked"),
    [
        ("openai", "gpt-5", {"reasoning_effort": "high"}),
        ("openrouter", "openai/gpt-5", {"reasoning": {"effort": "high"}}),
        ("anthropic", "claude-opus-4-7", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
    ],
)
async def test_an_effort_that_is_named_goes_before_the_budget(small_till: Till, wire: str, model: str, asked: Body):
    """7.4"""
    script = await small_till.play(wire, BYE, model=model, thinking_effort="high")
    await small_till.bridge.ask("hi")
    assert asks_for_thought(script.asked[0]) == asked


@pytest.mark.parametrize(("wire", "model"), THINKS)
@pytest.mark.parametrize(("mode", "budget"), [("fast", 8192), ("extended_thinking", 0), (None, 0)])
async def test_fast_and_the_kill_switch_send_no_reasoning_parameter_on_any_route(
    small_till: Till, wire: str, model: str, mode: str | None, budget: int
):
    """7.4"""
    script = await small_till.play(wire, BYE, model=model, thinking_budget_tokens=budget)
    assert (await small_till.bridge.ask("hi", mode=mode)).status == "completed"
    assert asks_for_thought(script.asked[0]) == {}


@pytest.mark.parametrize("slug", ["openai/gpt-4o", "openai/my-own", "groq/llama-3.3-70b-versatile", "ollama/o3-like"])
def test_a_route_that_does_not_know_the_parameter_is_not_sent_it(slug: str):
    """7.4: for OpenAI's own models the library knows which; the next test sees the bytes."""
    settings = chosen(slug).settings or {}
    assert set(settings) <= {"thinking"}


async def test_a_model_of_openai_that_does_not_reason_is_not_asked_to(small_till: Till):
    """7.4"""
    script = await small_till.play("openai", BYE, model="gpt-4o")
    await small_till.bridge.ask("hi")
    assert asks_for_thought(script.asked[0]) == {}


@pytest.mark.parametrize(
    ("slug", "effort"), [("google/gemini-2.5-pro", "medium"), ("groq/openai/gpt-oss-120b", "medium")]
)
def test_makers_that_speak_openais_wire_get_an_effort_where_they_take_one(slug: str, effort: str):
    """7.4"""
    assert (chosen(slug).settings or {}).get("openai_reasoning_effort") == effort


@pytest.mark.parametrize(
    ("budget", "effort"),
    [(1, "low"), (2048, "low"), (2049, "medium"), (10_000, "medium"), (32_000, "high"), (128_000, "max")],
)
def test_a_budget_stands_for_an_effort(budget: int, effort: str):
    """7.4"""
    assert effort_of(budget, None) == effort


def marks_of(value: Any) -> list[Any]:
    """Every cache marker of a request, wherever it stands."""
    if isinstance(value, dict):
        fields = cast(Body, value)
        here = [fields["cache_control"]] if "cache_control" in fields else []
        return here + [mark for each in fields.values() for mark in marks_of(each)]
    return [mark for each in cast(list[Any], value) for mark in marks_of(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("ttl", ["5m", "1h"])
async def test_anthropics_own_wire_marks_the_system_message_and_the_last_tool(small_till: Till, ttl: str):
    """12.2"""
    script = await small_till.play("anthropic", BYE, model="claude-sonnet-4-6", prompt_cache_ttl=ttl)
    await small_till.bridge.ask("hi")
    body = script.asked[0]
    mark = {"type": "ephemeral", "ttl": ttl}
    assert body["system"][-1]["cache_control"] == mark
    assert body["tools"][-1]["cache_control"] == mark
    assert marks_of(body) == [mark, mark]


async def test_claude_by_way_of_openrouter_is_marked_the_same(small_till: Till):
    """12.2: one hour unless told otherwise."""
    script = await small_till.play("openrouter", BYE, model="anthropic/claude-sonnet-4-6")
    await small_till.bridge.ask("hi")
    body = script.asked[0]
    mark = {"type": "ephemeral", "ttl": "1h"}
    assert body["messages"][1]["content"][-1]["cache_control"] == mark
    assert body["tools"][-1]["cache_control"] == mark
    assert marks_of(body) == [mark, mark]


@pytest.mark.parametrize(
    ("wire", "model"), [("openai", "gpt-5"), ("openrouter", "openai/gpt-5"), ("openrouter", "google/gemini-2.5-pro")]
)
async def test_nobody_else_is_sent_a_marker(small_till: Till, wire: str, model: str):
    """12.2: others answer 400."""
    script = await small_till.play(wire, BYE, model=model)
    await small_till.bridge.ask("hi")
    assert not any(mark in str(script.asked[0]) for mark in NO_MARK)


@pytest.mark.parametrize(
    ("slug", "is_one"),
    [
        ("anthropic/claude-x", True),
        ("Anthropic/anything", True),
        ("openrouter/anthropic/CLAUDE-x", True),
        ("openai/gpt-5", False),
        ("misanthropic/x", False),
    ],
)
def test_an_anthropic_route_is_known_by_its_name(slug: str, is_one: bool):
    """12.2"""
    assert is_anthropic(slug) is is_one
