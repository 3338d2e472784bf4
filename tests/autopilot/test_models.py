"""autopilot:13.1-13.3, 7.4: which model answers, and how much it may think."""

from typing import Any

import pytest

from pilothouse.autopilot.models import Models, ModelUnavailable
from pilothouse.base.settings import Settings

KEYS = {"anthropic_api_key": "a", "openai_api_key": "o", "openrouter_api_key": "r", "ollama_base_url": "http://x:1"}


def models(**settings: Any) -> Models:
    return Models(Settings.model_validate(settings))


def test_without_a_provider_the_offline_pilot_answers():
    chosen = models().resolve_chat_model()
    assert (chosen.slug, chosen.is_offline, chosen.settings) == ("offline", True, None)


@pytest.mark.parametrize(
    ("keys", "slug", "advanced"),
    [
        (["anthropic_api_key", "openai_api_key"], "anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-7"),
        (["openai_api_key", "openrouter_api_key"], "openai/gpt-5.2", "openai/gpt-5.2"),
        (["openrouter_api_key"], "openrouter/anthropic/claude-sonnet-4-6", "openrouter/anthropic/claude-opus-4-7"),
        (["ollama_base_url"], "ollama/llama3.2", "ollama/llama3.2"),
    ],
)
def test_the_first_configured_provider_gives_the_default(keys: list[str], slug: str, advanced: str):
    found = models(**{key: KEYS[key] for key in keys})
    assert found.resolve_chat_model().slug == slug
    assert found.resolve_chat_model(tier="advanced").slug == advanced


def test_a_named_model_is_used_and_its_own_key_first():
    both = models(**KEYS, chat_model="anthropic/claude-x", chat_advanced_model="openai/gpt-y")
    assert both.resolve_chat_model().provider == "anthropic"
    assert both.resolve_chat_model(tier="advanced").slug == "openai/gpt-y"
    routed = models(openrouter_api_key="r", chat_model="mistralai/large").resolve_chat_model()
    assert (routed.slug, routed.provider) == ("mistralai/large", "openrouter")


@pytest.mark.parametrize("slug", ["anthropic/claude-x", "nobody/model", "openai", "openai/"])
def test_what_cannot_be_used_is_refused_never_replaced(slug: str):
    with pytest.raises(ModelUnavailable):
        models(openai_api_key="o", chat_model=slug).resolve_chat_model()


def test_offline_may_be_asked_for():
    assert models(**KEYS, chat_model="offline").resolve_chat_model().is_offline


@pytest.mark.parametrize(("mode", "budget", "asks"), [(None, 8192, True), ("fast", 8192, False), (None, 0, False)])
def test_thinking_is_asked_for_unless_fast_or_switched_off(mode: str | None, budget: int, asks: bool):
    chosen = models(openai_api_key="o", thinking_budget_tokens=budget).resolve_chat_model(mode)
    assert bool(chosen.settings) is asks


def test_a_model_is_made_once_and_with_the_address_that_was_set():
    found = models(openai_base_url="http://127.0.0.1:9/v1", chat_model="openai/local")
    chosen = found.resolve_chat_model()
    assert chosen.model() is chosen.model()
    assert str(chosen.model().base_url).rstrip("/") == "http://127.0.0.1:9/v1"
