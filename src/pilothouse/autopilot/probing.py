"""Asks a provider for a word, to see whether a connection works: through the same client that turns use."""

import asyncio
import time
from typing import Final

import structlog
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelRequest
from pydantic_ai.settings import ModelSettings

from pilothouse.autopilot.faults import fault_of, reading, require_whole, said
from pilothouse.autopilot.models import make_model
from pilothouse.base.egress import EgressDenied
from pilothouse.base.provider_http import provider_client
from pilothouse.features.models import Connection, Tested

log = structlog.get_logger()

PROBE_SECONDS: Final = 30.0
PROBE_TOKENS: Final = 64  # enough for a word from a model that thinks first
_QUESTION: Final = "Answer with the word ok."
_SAID: Final = {
    "transient_api_error": "The provider could not be reached, or failed for a moment.",
    "timeout": "The provider did not answer in time.",
    "address_refused": "This address may not be reached from here.",
}


async def probe(connection: Connection, name: str) -> Tested:
    """One small call, never more: what goes wrong is answered, in words that hold no secret."""
    began = time.monotonic()
    code, answered = await _ask(connection, name)
    latency = round((time.monotonic() - began) * 1000)
    if code is None:
        return Tested(None, "The model answered.", answered, latency)
    message = _SAID.get(code) or said(code)
    log.info("model.probed", connection_id=connection.id, kind=connection.kind, code=code)
    return Tested(code, message, name, latency)


async def _ask(connection: Connection, name: str) -> tuple[str | None, str | None]:
    try:
        async with asyncio.timeout(PROBE_SECONDS), provider_client([connection.url]) as http:
            model = await asyncio.to_thread(make_model, connection, name, http)
            request = ModelRequest.user_text_prompt(_QUESTION)
            settings: ModelSettings = {"max_tokens": PROBE_TOKENS}
            with reading():
                async with model_request_stream(model, [request], model_settings=settings) as stream:
                    async for _ in stream:
                        pass
            response = stream.get()
            require_whole(response)
            return None, response.model_name or name
    except TimeoutError:
        return "timeout", None
    except EgressDenied:
        return "address_refused", None
    except UserError:
        return "model_unavailable", None
    except AgentRunError as error:
        return fault_of(error).code, None
