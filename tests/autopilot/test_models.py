"""autopilot:13.1-13.3: which model answers, and that it is made once."""

from dataclasses import replace
from typing import Any

import pytest

from pilothouse.autopilot.models import Models, ModelUnavailable
from pilothouse.base.settings import Settings
from pilothouse.features.models import Connection, Stock, find_model

KEYS = {
    "anthropic_api_key": "a",
    "openai_api_key": "o",
    "gemini_api_key": "g",
    "openrouter_api_key": "r",
    "groq_api_key": "q",
    "ollama_base_url": "http://x:1",
}
CELLS = [
    ("fast", "standard"),
    ("fast", "advanced"),
    ("extended_thinking", "standard"),
    ("extended_thinking", "advanced"),
]


def models(**settings: Any) -> Models:
    return Models(Settings.model_validate(settings))


def test_without_a_provider_the_offline_pilot_answers():
    """13.2"""
    chosen = models().resolve_chat_model()
    assert (chosen.slug, chosen.is_offline, chosen.settings) == ("offline", True, None)


@pytest.mark.parametrize(
    ("keys", "slug", "advanced"),
    [
        (["anthropic_api_key", "openai_api_key"], "anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-7"),
        (["openai_api_key", "openrouter_api_key"], "anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-7"),
        (["openrouter_api_key"], "anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-7"),
        (["openai_api_key", "gemini_api_key"], "openai/gpt-5.2", "openai/gpt-5.2"),
        (["gemini_api_key"], "google/gemini-2.5-flash", "google/gemini-2.5-pro"),
        (["groq_api_key"], "groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"),
        (["ollama_base_url"], "ollama/llama3.2", "ollama/llama3.2"),
    ],
)
def test_claude_is_the_default_where_it_is_served_and_else_the_first_provider_gives_it(
    keys: list[str], slug: str, advanced: str
):
    """13.2"""
    found = models(**{key: KEYS[key] for key in keys})
    assert found.resolve_chat_model().slug == slug
    assert found.resolve_chat_model(tier="advanced").slug == advanced


def kept(kind: str, model: str | None = None, advanced: str | None = None) -> Connection:
    return Connection(kind, kind, kind, "https://x.example", model=model, advanced_model=advanced)


@pytest.mark.parametrize(
    ("connections", "slug", "advanced", "provider"),
    [
        (
            [kept("ollama"), kept("openai"), kept("anthropic")],
            "anthropic/claude-sonnet-4-6",
            "anthropic/claude-opus-4-7",
            "anthropic",
        ),
        (
            [kept("openrouter"), kept("anthropic")],
            "anthropic/claude-sonnet-4-6",
            "anthropic/claude-opus-4-7",
            "anthropic",
        ),
        (
            [kept("openai"), kept("openrouter")],
            "anthropic/claude-sonnet-4-6",
            "anthropic/claude-opus-4-7",
            "openrouter",
        ),
        ([kept("openai"), kept("anthropic", "haiku")], "anthropic/haiku", "anthropic/haiku", "anthropic"),
        (
            [kept("openrouter", "maker/small", "maker/big")],
            "openrouter/maker/small",
            "openrouter/maker/big",
            "openrouter",
        ),
        ([kept("ollama", "mine"), kept("openai")], "ollama/mine", "ollama/mine", "ollama"),
    ],
)
def test_claude_answers_whenever_it_was_connected_unless_its_connection_names_another(
    connections: list[Connection], slug: str, advanced: str, provider: str
):
    """13.2: a key of its own first, else OpenRouter; then the oldest connection."""
    stock = Stock(connections)
    chosen = models().resolve_chat_model(None, None, stock)
    assert (chosen.slug, chosen.provider) == (slug, provider)
    assert models().resolve_chat_model(None, "advanced", stock).slug == advanced


def test_where_claude_is_disabled_the_first_provider_gives_the_default_and_no_way_leads_around():
    """13.2, 13.3"""
    ban = frozenset({"anthropic/*"})
    both = Stock([kept("openai"), kept("openrouter")], disabled=ban)
    assert models().resolve_chat_model(None, None, both).slug == "openai/gpt-5.2"
    with pytest.raises(ModelUnavailable):
        models().resolve_chat_model(None, None, Stock([kept("openrouter")], disabled=ban))


@pytest.mark.parametrize("ban", ["openrouter/*", "openrouter/mistralai/large"])
def test_a_model_whose_only_way_is_disabled_is_refused(ban: str):
    """13.3"""
    with pytest.raises(ModelUnavailable, match="openrouter"):
        find_model(Stock([kept("openrouter")], disabled=frozenset({ban})), "mistralai/large")
    assert find_model(Stock([kept("mistralai")], disabled=frozenset({ban})), "mistralai/large").name == "large"


def test_a_named_model_is_used_and_its_own_key_first():
    """13.2"""
    both = models(**KEYS, chat_model="anthropic/claude-x", chat_advanced_model="openai/gpt-y")
    assert both.resolve_chat_model().provider == "anthropic"
    assert both.resolve_chat_model(tier="advanced").slug == "openai/gpt-y"
    routed = models(openrouter_api_key="r", chat_model="mistralai/large").resolve_chat_model()
    assert (routed.slug, routed.provider, routed.resolved.name) == ("mistralai/large", "openrouter", "mistralai/large")


@pytest.mark.parametrize("slug", ["anthropic/claude-x", "nobody/model", "openai", "openai/"])
def test_what_cannot_be_used_is_refused_never_replaced(slug: str):
    """13.3"""
    with pytest.raises(ModelUnavailable):
        models(openai_api_key="o", chat_model=slug).resolve_chat_model()


@pytest.mark.parametrize("disabled", ["openai/gpt-x", "openai/*"])
def test_a_disabled_model_is_refused(disabled: str):
    """13.3"""
    found = models(openai_api_key="o", chat_model="openai/gpt-x", disabled_models=disabled)
    with pytest.raises(ModelUnavailable):
        found.resolve_chat_model()


def test_a_fallback_stands_in_and_says_for_whom():
    """13.3"""
    found = models(openai_api_key="o", chat_model="nobody/model", chat_fallback_model="openai/gpt-x")
    chosen = found.resolve_chat_model()
    assert (chosen.slug, chosen.resolved.instead_of) == ("openai/gpt-x", "nobody/model")
    assert chosen.fallback() is None


def test_a_fallback_that_cannot_be_used_stands_in_for_nobody():
    """13.3"""
    with pytest.raises(ModelUnavailable):
        models(openai_api_key="o", chat_model="nobody/m", chat_fallback_model="nobody/n").resolve_chat_model()
    found = models(openai_api_key="o", chat_model="openai/m", chat_fallback_model="nobody/n")
    assert found.resolve_chat_model().fallback() is None


@pytest.mark.parametrize(("mode", "tier"), CELLS)
def test_the_administrator_comes_before_the_user_and_the_user_before_the_configuration(mode: Any, tier: Any):
    """13.1"""
    found = models(openai_api_key="o")
    connection = Connection("1", "openai", "openai", "https://api.openai.com/v1")
    stock = Stock([connection], {"standard": "openai/c", "advanced": "openai/c"})
    cell = (mode, tier)
    others = {each: "openai/other" for each in CELLS if each != cell}

    def slug(**chosen: Any) -> str:
        given = Stock(stock.connections, stock.configured, **chosen)
        return found.resolve_chat_model(mode, tier, given).slug

    assert slug(by_admin=others, by_user=others) == "openai/c"
    assert slug(by_admin=others, by_user={cell: "openai/u"}) == "openai/u"
    assert slug(by_admin={cell: "openai/a"}, by_user={cell: "openai/u"}) == "openai/a"


def test_the_default_cell_is_standard_with_thinking():
    """13.1"""
    connection = Connection("1", "openai", "openai", "https://api.openai.com/v1")
    stock = Stock([connection], by_user={("extended_thinking", "standard"): "openai/u"})
    assert models().resolve_chat_model(None, None, stock).slug == "openai/u"


def test_offline_may_be_asked_for():
    """13.2"""
    assert models(**KEYS, chat_model="offline").resolve_chat_model().is_offline


def test_a_model_is_made_once_and_with_the_address_that_was_set():
    found = models(openai_base_url="http://127.0.0.1:9/v1", chat_model="openai/local")
    chosen = found.resolve_chat_model()
    assert chosen.model() is chosen.model()
    assert str(chosen.model().base_url).rstrip("/") == "http://127.0.0.1:9/v1"


def test_a_connection_that_comes_back_with_another_wire_speaks_that_one():
    """13.1: under the same name, address and key"""
    found, one = models(), Connection("1", "ours", "openai", "http://127.0.0.1:9/v1", model="m")
    before = found.resolve_chat_model(None, None, Stock([one])).model()
    after = found.resolve_chat_model(None, None, Stock([replace(one, kind="anthropic")])).model()
    assert (before.system, after.system) == ("openai", "anthropic")
