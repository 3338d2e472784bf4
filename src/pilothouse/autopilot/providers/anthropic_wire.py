"""Anthropic's messages."""

from collections.abc import Sequence
from typing import Any, cast

from anthropic import AsyncAnthropic
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings, AnthropicStreamedResponse
from pydantic_ai.models.anthropic._streaming import AnthropicEventStream
from pydantic_ai.providers.anthropic import AnthropicProvider

from pilothouse.autopilot.providers.careful_messages import CarefulMessages
from pilothouse.base.provider_http import ProviderClient


class _Messages(AnthropicModel):
    async def _process_streamed_response(
        self,
        response: AnthropicEventStream,
        model_request_parameters: ModelRequestParameters,
        model_settings: AnthropicModelSettings,
        history_fetched_pages: Sequence[tuple[str, str]] = (),
        *,
        code_execution_in_open_turn: bool = False,
    ) -> AnthropicStreamedResponse:
        clean = cast(AnthropicEventStream, CarefulMessages(response, self.model_name))
        more = (model_request_parameters, model_settings, history_fetched_pages)
        return await super()._process_streamed_response(
            clean, *more, code_execution_in_open_turn=code_execution_in_open_turn
        )


def make(name: str, url: str, key: str, http: ProviderClient) -> Model[Any]:
    """Tries nothing again by itself: the turn does, and keeps what was done."""
    client = AsyncAnthropic(api_key=key, base_url=url, http_client=http, max_retries=0)
    return _Messages(name, provider=AnthropicProvider(anthropic_client=client))
