"""What a provider's failure means: whether to try again, and what the user is told. Messages never hold a secret."""

from collections.abc import AsyncGenerator, AsyncIterable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from random import random
from typing import Final, TypeVar

import structlog
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelResponse

from pilothouse.base.provider_http import Undecodable

T = TypeVar("T")

log = structlog.get_logger()

# Failures that another model may not have.
FALLS_BACK: Final = frozenset({"model_unavailable", "provider_auth", "provider_error", "all_attempts_exhausted"})
# All that a model or its provider can fail with; a turn whose work is done does not fail for it.
OF_THE_MODEL: Final = FALLS_BACK | {"context_overflow"}
ATTEMPTS: Final = 3
MAX_BACKOFF_SECONDS: Final = 30.0
_TRANSIENT_STATUS: Final = frozenset({408, 409, 425, 429, *range(500, 600)})
_TOO_LONG_STATUS: Final = frozenset({400, 413, 422})
# What libraries raise that take a provider at its word, when a piece of a stream is not what it should be.
_STUMBLES: Final = (AttributeError, TypeError, ValueError, LookupError, AssertionError, ArithmeticError, Undecodable)
_TRANSIENT: Final = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
# How servers word it that the library does not know: llama.cpp, SGLang, Google's way to speak OpenAI's wire, what
# OpenRouter passes on, and Anthropic where the answer to come is counted too. Most have no other sign of it.
_TOO_LONG: Final = (
    "context size",
    "context length",
    "context window",
    "context limit",
    "prompt is too long",
    "input token count",
)
_SAID: Final = {
    "provider_auth": "The model provider refused the key. Check it in the settings.",
    "model_unavailable": "The model provider does not know this model, or does not let this key use it.",
    "context_overflow": "The conversation is longer than this model can read.",
    "provider_error": "The model provider refused the request.",
    "transient_api_error": "The model provider failed for a moment.",
    "all_attempts_exhausted": "The model provider failed several times in a row.",
}


def said(code: str) -> str:
    """What the user is told of a code."""
    return _SAID[code]


class EndedEarly(AgentRunError):
    """The provider's stream ended before the model was done."""

    def __init__(self) -> None:
        super().__init__("the stream ended early")


class Silent(AgentRunError):
    """The provider kept the connection and said nothing."""

    def __init__(self) -> None:
        super().__init__("the model fell silent")


class Unreadable(AgentRunError):
    """The provider said what its library cannot make sense of."""

    def __init__(self) -> None:
        super().__init__("the stream could not be read")


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed model call."""

    code: str
    transient: bool
    retry_after: float | None = None

    @property
    def message(self) -> str:
        return said(self.code)


def fault_of(error: AgentRunError) -> Fault:
    """Judge by type and status; by words only that a conversation is too long, which has no status of its own."""
    retry_after = error.retry_after if isinstance(error, ModelAPIError) else None
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    if isinstance(error, ModelAuthenticationError) or status in (401, 403):
        return Fault("provider_auth", transient=False)
    if isinstance(error, ModelNotFoundError) or status == 404:
        return Fault("model_unavailable", transient=False)
    if isinstance(error, ModelContextWindowExceededError) or (status in _TOO_LONG_STATUS and _is_too_long(error)):
        return Fault("context_overflow", transient=False)
    if isinstance(error, ModelQuotaExceededError):
        return Fault("provider_error", transient=False)
    if isinstance(error, (EndedEarly, Silent, Unreadable, *_TRANSIENT)) or status in _TRANSIENT_STATUS:
        return Fault("transient_api_error", transient=True, retry_after=retry_after)
    return Fault("provider_error", transient=False)


def _is_too_long(error: AgentRunError) -> bool:
    said = str(error.body if isinstance(error, ModelHTTPError) else None).lower()
    return any(words in said for words in _TOO_LONG)


@contextmanager
def reading() -> Generator[None]:
    """Around a library that reads what a provider sends: a piece that it stumbles over is a failure of the provider,
    like any other. What it then says may hold what was sent, so only its kind is told.
    """
    try:
        yield
    except _STUMBLES as error:
        log.warning("model.unreadable", error=type(error).__name__)
        raise Unreadable from None


async def readable(told: AsyncIterable[T]) -> AsyncGenerator[T]:
    """The same events, read with care."""
    with reading():
        async for event in told:
            yield event


def require_whole(response: ModelResponse) -> None:
    """A stream that ends cleanly but early looks like success; only the provider's own word says that it was all.

    Who refuses to answer has said all there is, though the library then keeps no reason.
    """
    details = response.provider_details or {}
    if not (details.get("finish_reason") or details.get("refusal")):
        raise EndedEarly


def pause_before(attempt: int, fault: Fault) -> float:
    """Seconds before the next try: as long as the provider asks, else longer each time; never too long."""
    wanted = fault.retry_after if fault.retry_after is not None else 2 ** (attempt - 1) * (0.5 + random() / 2)
    return min(max(wanted, 0.0), MAX_BACKOFF_SECONDS)
