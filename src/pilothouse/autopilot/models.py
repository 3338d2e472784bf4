"""Which model answers: read from the settings, made when it is first needed. Providers' libraries load lazily."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pilothouse.base.provider_http import ProviderClient, provider_client
from pilothouse.base.settings import Settings
from pilothouse.kit.errors import Conflict

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

OFFLINE: Final = "offline"
ANTHROPIC_URL: Final = "https://api.anthropic.com"
OPENAI_URL: Final = "https://api.openai.com/v1"
OPENROUTER_URL: Final = "https://openrouter.ai/api/v1"
Tier: TypeAlias = Literal["standard", "advanced"]

# In the order in which they are chosen when no model is named: (standard, advanced).
_DEFAULTS: Final = {
    "anthropic": ("claude-sonnet-4-6", "claude-opus-4-7"),
    "openai": ("gpt-5.2", "gpt-5.2"),
    "openrouter": ("anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-7"),
    "ollama": ("llama3.2", "llama3.2"),
}


class ModelUnavailable(Conflict):
    """This model cannot be used here."""

    hint = "Name it as provider/name, and set that provider's key or address."


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model that may be used."""

    slug: str  # provider/name, as the log and the page say it
    provider: str
    model: "Callable[[], Model[Any]]"
    settings: "ModelSettings | None" = None

    @property
    def is_offline(self) -> bool:
        return self.provider == OFFLINE


@dataclass(slots=True)
class Models:
    """One per process that works. Clients are kept; closing them is for `aclose`."""

    settings: Settings
    _clients: dict[str, ProviderClient] = field(default_factory=dict[str, ProviderClient])
    _models: "dict[str, Model[Any]]" = field(default_factory=dict[str, Any])

    def resolve_chat_model(self, mode: str | None = None, tier: str | None = None) -> Chosen:
        """The one place that chooses, for every origin. Raises `ModelUnavailable`; none configured: offline."""
        slug = self._wanted(tier)
        provider, _, name = slug.partition("/")
        if slug == OFFLINE:
            return Chosen(OFFLINE, OFFLINE, lambda: self._kept(OFFLINE, _offline))
        if provider not in self.configured and "openrouter" in self.configured and provider != "openrouter":
            provider, name = "openrouter", slug  # a direct key is used first
        if provider not in self.configured or not name:
            raise ModelUnavailable(f"There is no provider for '{slug}'.")
        make = {"anthropic": self._anthropic}.get(provider, self._openai_like)
        return Chosen(slug, provider, lambda: self._kept(slug, lambda: make(provider, name)), self._manner(mode))

    @property
    def configured(self) -> list[str]:
        """The providers that can be asked."""
        told = self.settings
        there = {
            "anthropic": told.anthropic_api_key,
            "openai": told.openai_api_key or told.openai_base_url,
            "openrouter": told.openrouter_api_key,
            "ollama": told.ollama_base_url,
        }
        return [name for name in _DEFAULTS if there[name]]

    def _wanted(self, tier: str | None) -> str:
        advanced = tier == "advanced"
        named = (self.settings.chat_advanced_model if advanced else None) or self.settings.chat_model
        if named is not None:
            return named
        first = next(iter(self.configured), None)
        return OFFLINE if first is None else f"{first}/{_DEFAULTS[first][advanced]}"

    def _manner(self, mode: str | None) -> "ModelSettings | None":
        """How much it may think: a kill switch sends no parameter at all, and `fast` asks for none."""
        if self.settings.thinking_budget_tokens <= 0 or mode == "fast":
            return None
        return {"thinking": "medium"}

    def _kept(self, slug: str, make: "Callable[[], Model[Any]]") -> "Model[Any]":
        if slug not in self._models:
            self._models[slug] = make()
        return self._models[slug]

    def _anthropic(self, provider: str, name: str) -> "Model[Any]":
        from pilothouse.autopilot.providers import anthropic_wire  # noqa: PLC0415

        url, key = self._address_of(provider)
        return anthropic_wire.make(name, url, key, self._client(provider, url))

    def _openai_like(self, provider: str, name: str) -> "Model[Any]":
        from pilothouse.autopilot.providers import openai_wire  # noqa: PLC0415

        url, key = self._address_of(provider)
        http = self._client(provider, url)
        return openai_wire.make(name, url, key, http, openrouter=provider == "openrouter")

    def _address_of(self, provider: str) -> tuple[str, str]:
        told = self.settings
        ollama = f"{(told.ollama_base_url or '').rstrip('/').removesuffix('/v1')}/v1"
        addresses = {
            "anthropic": (told.anthropic_base_url or ANTHROPIC_URL, told.anthropic_api_key),
            "openai": (told.openai_base_url or OPENAI_URL, told.openai_api_key),
            "openrouter": (told.openrouter_base_url or OPENROUTER_URL, told.openrouter_api_key),
            "ollama": (ollama, None),
        }
        url, key = addresses[provider]
        return url, key.get_secret_value() if key else "none"  # a local server wants none, the libraries want one

    def _client(self, provider: str, url: str) -> ProviderClient:
        if provider not in self._clients:
            self._clients[provider] = provider_client([url])
        return self._clients[provider]

    async def aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()


def _offline() -> "Model[Any]":
    from pilothouse.autopilot.offline.model import OfflineModel  # noqa: PLC0415

    return OfflineModel()
