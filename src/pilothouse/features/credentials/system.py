"""Credentials of the installation: keys from its settings, for everybody's agents and in no table."""

from typing import Final

from pydantic import SecretStr

from pilothouse.base.settings import Settings
from pilothouse.blocks.credentials import ApiKey

PREFIX: Final = "system:"


def system_credentials(settings: Settings) -> dict[str, ApiKey]:
    """By id."""
    keys: dict[str, SecretStr | None] = {
        "openai": settings.openai_api_key,
        "anthropic": settings.anthropic_api_key,
        "google": settings.gemini_api_key,
        "openrouter": settings.openrouter_api_key,
        "groq": settings.groq_api_key,
    }
    found = {provider: key.get_secret_value() for provider, key in keys.items() if key is not None}
    return {f"{PREFIX}{provider}": ApiKey(f"{PREFIX}{provider}", provider, key) for provider, key in found.items()}
