"""OpenAI's chat completions, and everything that speaks them: OpenRouter, Ollama, llama.cpp, vLLM."""

from typing import Any

from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider

from pilothouse.base.provider_http import ProviderClient


def make(name: str, url: str, key: str, http: ProviderClient, *, openrouter: bool) -> Model[Any]:
    """Tries nothing again by itself: the turn does, and keeps what was done."""
    client = AsyncOpenAI(api_key=key, base_url=url, http_client=http, max_retries=0)
    if openrouter:
        return OpenRouterModel(name, provider=OpenRouterProvider(openai_client=client))
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))
