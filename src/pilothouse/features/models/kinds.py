"""The kinds of providers that can be connected, and what is known of each. Pure."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import SecretStr

from pilothouse.base.egress import is_public
from pilothouse.base.settings import Settings

KindName: TypeAlias = Literal["openai_compatible", "anthropic", "openai", "google", "openrouter", "groq", "ollama"]
Wire: TypeAlias = Literal["anthropic", "openai", "openrouter"]
Source: TypeAlias = Literal["stored", "environment"]
Tier: TypeAlias = Literal["standard", "advanced"]

_LOCAL_ENDINGS: Final = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of provider: how it is spoken to, where it is, and what answers when no model is named."""

    label: str
    wire: Wire
    url: str | None
    standard: str | None
    advanced: str | None
    price_id: str | None  # its name in the price table
    wants_key: bool = True


# Google and Groq speak OpenAI's chat completions beside their own wire: that needs no library of theirs.
KINDS: Final[dict[str, Kind]] = {
    "openai_compatible": Kind("OpenAI-compatible server", "openai", None, None, None, None, wants_key=False),
    "anthropic": Kind(
        "Anthropic", "anthropic", "https://api.anthropic.com", "claude-sonnet-4-6", "claude-opus-4-7", "anthropic"
    ),
    "openai": Kind("OpenAI", "openai", "https://api.openai.com/v1", "gpt-5.2", "gpt-5.2", "openai"),
    "google": Kind(
        "Google",
        "openai",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-2.5-flash",
        "gemini-2.5-pro",
        "google",
    ),
    "openrouter": Kind(
        "OpenRouter",
        "openrouter",
        "https://openrouter.ai/api/v1",
        "anthropic/claude-sonnet-4-6",
        "anthropic/claude-opus-4-7",
        "openrouter",
    ),
    "groq": Kind(
        "Groq", "openai", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", "openai/gpt-oss-120b", "groq"
    ),
    "ollama": Kind("Ollama", "openai", "http://localhost:11434/v1", "llama3.2", "llama3.2", None, wants_key=False),
}
# In the order in which the environment's are tried when no model is named.
_OF_ENVIRONMENT: Final = ("anthropic", "openai", "google", "openrouter", "groq", "ollama")


@dataclass(frozen=True, slots=True)
class Connection:
    """A provider that can be asked. Its `repr` does not show the key."""

    id: str  # of its row; those of the environment are `environment:<name>`
    name: str  # what model names begin with
    kind: str
    url: str
    key: SecretStr | None = None
    model: str | None = None
    advanced_model: str | None = None
    marked_free: bool = False
    source: Source = "stored"

    @property
    def wire(self) -> Wire:
        return KINDS[self.kind].wire

    @property
    def price_id(self) -> str | None:
        return KINDS[self.kind].price_id

    @property
    def is_free(self) -> bool:
        """Whether asking costs nothing: it stands on a private address, or somebody said so."""
        return self.marked_free or is_private(self.url)

    def default(self, tier: Tier) -> str | None:
        """The name of the model that answers here when none is named."""
        kind = KINDS[self.kind]
        return self.named(tier) or (kind.advanced if tier == "advanced" else kind.standard)

    def named(self, tier: Tier) -> str | None:
        """The model that was named when it was connected."""
        return (self.advanced_model or self.model) if tier == "advanced" else self.model


def is_private(url: str) -> bool:
    """Whether a URL names a machine that the internet cannot reach, as far as the name alone can tell."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return not is_public(ip_address(host))
    except ValueError:
        return host != "" and ("." not in host or host.endswith(_LOCAL_ENDINGS))


def of_environment(told: Settings) -> list[Connection]:
    """The connections that the settings name, in their order."""
    keys = {
        "anthropic": told.anthropic_api_key,
        "openai": told.openai_api_key,
        "google": told.gemini_api_key,
        "openrouter": told.openrouter_api_key,
        "groq": told.groq_api_key,
        "ollama": None,
    }
    urls = {
        "anthropic": told.anthropic_base_url,
        "openai": told.openai_base_url,
        "google": told.gemini_base_url,
        "openrouter": told.openrouter_base_url,
        "groq": told.groq_base_url,
        "ollama": _ollama_url(told.ollama_base_url),
    }
    stands_alone = {"openai", "ollama"}  # an address is enough
    return [
        Connection(
            f"environment:{name}", name, name, urls[name] or KINDS[name].url or "", keys[name], source="environment"
        )
        for name in _OF_ENVIRONMENT
        if keys[name] is not None or (name in stands_alone and urls[name])
    ]


def _ollama_url(url: str | None) -> str | None:
    return None if url is None else f"{url.rstrip('/').removesuffix('/v1')}/v1"


def url_of(kind: str, base_url: str | None) -> str:
    """The address of a connection, whichever way it was written."""
    if kind == "ollama":
        return _ollama_url(base_url) or KINDS[kind].url or ""
    return base_url or KINDS[kind].url or ""
