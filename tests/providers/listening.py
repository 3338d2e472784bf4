"""A model on loopback, asked once through the real client library."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from pilothouse.autopilot.faults import readable
from pilothouse.autopilot.providers import anthropic_wire, openai_wire
from pilothouse.base.provider_http import provider_client
from tests.providers.script import Answer, Refusal, Script
from tests.providers.server import provider

KEY = "sk-loopback"


@asynccontextmanager
async def loopback(wire: str, *answers: Answer | Refusal) -> AsyncGenerator[tuple[Model[Any], Script]]:
    script = Script(list(answers))
    async with provider(script, wire) as url, provider_client([url]) as http:
        if wire == "anthropic":
            yield anthropic_wire.make("maker/test", url, KEY, http), script
        else:
            yield openai_wire.make("maker/test", url, KEY, http, openrouter=wire == "openrouter"), script


async def spoken(wire: str, body: Mapping[str, object]) -> httpx2.Response:
    """What the server says to these very bytes, without a library between."""
    async with provider(Script([Answer(text=("Yes.",))]), wire) as url, provider_client([url]) as http:
        return await http.post(f"{url}/anything", json=body)


async def ask(model: Model[Any], settings: ModelSettings | None = None) -> ModelResponse:
    """The whole response, by way of its stream."""
    messages = [ModelRequest.user_text_prompt("hi")]
    async with model_request_stream(model, messages, model_settings=settings) as stream:
        async for _ in readable(stream):
            pass
    return stream.get()
