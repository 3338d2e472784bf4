"""How a model is asked: how much it may think, what is to be cached, that it says what it cost. Pure.

A parameter goes only to a route that knows it: other servers refuse the whole request for it.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from pydantic_ai.profiles.anthropic import anthropic_model_profile

from pilothouse.base.settings import Settings
from pilothouse.features.models import Connection, Resolved

if TYPE_CHECKING:
    from pydantic_ai.settings import ModelSettings

Effort: TypeAlias = Literal["low", "medium", "high", "max"]

LEAST_BUDGET: Final = 1024  # Anthropic takes no smaller one
ROOM_TO_ANSWER: Final = 4096  # tokens that the library asks for beside a budget
_EFFORTS: Final[tuple[tuple[int, Effort], ...]] = ((2048, "low"), (10_000, "medium"), (32_000, "high"))
# Claudes that came before thinking did: the library's profile does not tell them apart.
_CANNOT_THINK: Final = re.compile(r"claude-(2|instant|3-(opus|sonnet|haiku|5-))")
# Models of OpenAI-like makers that take `reasoning_effort`, by how their names begin.
_TAKE_EFFORT: Final = {"google": ("gemini-2.5", "gemini-3"), "groq": ("openai/gpt-oss",)}


def manner_of(found: Resolved, told: Settings) -> "ModelSettings | None":
    """The settings of every request to this model; None when there are none."""
    connection = found.connection
    if connection is None:
        return None
    settings = cast(dict[str, object], plain_manner(connection) or {})
    if is_anthropic(found.slug):
        settings |= _cached(connection, told.prompt_cache_ttl)
    if found.mode == "extended_thinking" and told.thinking_budget_tokens > 0:
        settings |= _thinking(connection, found.name, told.thinking_budget_tokens, told.thinking_effort)
    return cast("ModelSettings", settings) if settings else None


def plain_manner(connection: Connection | None) -> "ModelSettings | None":
    """For a small question beside the conversation: no thinking, no cache; only that it says what it cost."""
    if connection is None or connection.wire != "openrouter":
        return None
    return cast("ModelSettings", {"openrouter_usage": {"include": True}})


def speaking(settings: "ModelSettings | None") -> "ModelSettings":
    """The same, for a round of words only. It still tells of the tools: Anthropic refuses a conversation that holds
    calls without them, and what providers have cached begins with them.
    """
    return cast("ModelSettings", {**(settings or {}), "tool_choice": "none"})


def is_anthropic(slug: str) -> bool:
    """Whether cache markers are understood at the other end; elsewhere they are refused with the request."""
    lower = slug.lower()
    return "claude" in lower or lower.startswith("anthropic")


def effort_of(budget: int, effort: Effort | None) -> Effort:
    """The effort that was named, else the one that a budget stands for."""
    if effort is not None:
        return effort
    for most, name in _EFFORTS:
        if budget <= most:
            return name
    return "max"


def _cached(connection: Connection, ttl: str) -> dict[str, object]:
    """Two breakpoints: behind the system message, and behind the last tool."""
    if connection.wire == "openai":
        return {}
    return {f"{connection.wire}_cache_instructions": ttl, f"{connection.wire}_cache_tool_definitions": ttl}


def _thinking(connection: Connection, name: str, budget: int, effort: Effort | None) -> dict[str, object]:
    match connection.kind:
        case "anthropic":
            return _anthropic_thinking(name, budget, effort)
        case "openrouter":
            return {"openrouter_reasoning": {"max_tokens": budget} if effort is None else {"effort": effort}}
        case "openai":
            return {"thinking": effort_of(budget, effort)}  # the library knows which models take it
        case kind if name.startswith(_TAKE_EFFORT.get(kind, ("\0",))):
            wanted = effort_of(budget, effort)
            return {"openai_reasoning_effort": "high" if wanted == "max" else wanted}
        case _:
            return {}


def _anthropic_thinking(name: str, budget: int, effort: Effort | None) -> dict[str, object]:
    """A budget where the model takes one; the newest think as they see fit and only know efforts."""
    if _CANNOT_THINK.match(name):
        return {}
    profile = cast(Mapping[str, object], anthropic_model_profile(name) or {})
    if profile.get("anthropic_disallows_budget_thinking", False):
        return {"anthropic_thinking": {"type": "adaptive"}, "anthropic_effort": effort_of(budget, effort)}
    most = cast(int | None, profile.get("anthropic_max_output_tokens"))  # thoughts are a part of what it may say
    tokens = max(budget if most is None else min(budget, most - ROOM_TO_ANSWER), LEAST_BUDGET)
    asked: dict[str, object] = {"anthropic_thinking": {"type": "enabled", "budget_tokens": tokens}}
    if effort is not None and profile.get("anthropic_supports_effort", False):
        asked["anthropic_effort"] = effort
    return asked
