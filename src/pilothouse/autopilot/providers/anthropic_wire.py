"""Anthropic's messages."""

from typing import Any

from anthropic import AsyncAnthropic
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from pilothouse.base.provider_http import ProviderClient


def make(name: str, url: str, key: str, http: ProviderClient) -> Model[Any]:
    """Tries nothing again by itself: the turn does, and keeps what was done."""
    client = AsyncAnthropic(api_key=key, base_url=url, http_client=http, max_retries=0)
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))
