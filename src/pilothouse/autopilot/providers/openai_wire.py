"""OpenAI's chat completions, and everything that speaks them: OpenRouter, Google, Groq, Ollama, llama.cpp, vLLM."""

from typing import Any, TypeAlias, cast

from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings, OpenAIStreamedResponse
from pydantic_ai.models.openrouter import OpenRouterModel, OpenRouterStreamedResponse
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider

from pilothouse.autopilot.providers.careful import Careful, cost_of
from pilothouse.base.provider_http import ProviderClient

_Details: TypeAlias = dict[str, Any] | None
_Chunks: TypeAlias = AsyncStream[ChatCompletionChunk]


class _Streamed(OpenAIStreamedResponse):
    """Keeps the price that the server reports, where it does."""

    def _map_chunk_provider_details(self, chunk: ChatCompletionChunk) -> _Details:
        return {**(super()._map_chunk_provider_details(chunk) or {}), **cost_of(chunk)} or None


class _RoutedStreamed(OpenRouterStreamedResponse):
    def _map_chunk_provider_details(self, chunk: ChatCompletionChunk) -> _Details:
        return {**(super()._map_chunk_provider_details(chunk) or {}), **cost_of(chunk)} or None


class _Completions(OpenAIChatModel):
    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _Streamed

    async def _process_streamed_response(
        self,
        response: _Chunks,
        model_request_parameters: ModelRequestParameters,
        model_settings: OpenAIChatModelSettings | None = None,
    ) -> OpenAIStreamedResponse:
        clean = cast(_Chunks, Careful(response, self.model_name, keeps_details=False))
        return await super()._process_streamed_response(clean, model_request_parameters, model_settings)


class _Routed(OpenRouterModel):
    @property
    def _streamed_response_cls(self) -> type[OpenRouterStreamedResponse]:
        return _RoutedStreamed

    async def _process_streamed_response(
        self,
        response: _Chunks,
        model_request_parameters: ModelRequestParameters,
        model_settings: OpenAIChatModelSettings | None = None,
    ) -> OpenAIStreamedResponse:
        clean = cast(_Chunks, Careful(response, self.model_name, keeps_details=True))
        return await super()._process_streamed_response(clean, model_request_parameters, model_settings)


def make(name: str, url: str, key: str, http: ProviderClient, *, openrouter: bool) -> Model[Any]:
    """Tries nothing again by itself: the turn does, and keeps what was done."""
    client = AsyncOpenAI(api_key=key, base_url=url, http_client=http, max_retries=0)
    if openrouter:
        return _Routed(name, provider=OpenRouterProvider(openai_client=client))
    return _Completions(name, provider=OpenAIProvider(openai_client=client))
