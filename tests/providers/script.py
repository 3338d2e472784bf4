"""What a provider answers, in order: one entry per request."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Body: TypeAlias = dict[str, Any]

UNSAID: Final = object()  # a field that the provider leaves out

# Where thoughts stand on OpenAI's wire: servers do not agree.
Channel: TypeAlias = Literal["reasoning_content", "reasoning", "reasoning_details"]
Voice: TypeAlias = Literal["thinking", "text"]
# wholly; early: cleanly, without its last words; cut: the connection; overloaded: an error inside the stream;
# stalled: never, only heartbeats come after its words; mute: the same without a word, not even an event
Ends: TypeAlias = Literal["wholly", "early", "cut", "overloaded", "stalled", "mute"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A call that the model makes."""

    id: str
    name: str
    arguments: str  # JSON, or what the model thinks is JSON


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a response took. Cache tokens are part of OpenAI's `prompt_tokens`, and beside Anthropic's input."""

    prompt: int = 11
    completion: int = 7
    cache_read: int = 0
    cache_write: int = 0
    beside: dict[str, object] = field(
        default_factory=dict[str, object]
    )  # more of `usage` on OpenAI's wire, as a proxy says it


@dataclass(frozen=True, slots=True)
class Answer:
    """A streamed response."""

    text: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    turns: tuple[tuple[Voice, str], ...] = ()  # thoughts and words by turns, after those above
    tools: tuple[Tool, ...] = ()
    ends: Ends = "wholly"
    delay: float = 0.0  # seconds before the first byte
    pause: float = 0.0  # seconds between two pieces
    gate: asyncio.Event | None = None  # what follows the first piece comes when somebody opens it
    channel: Channel | None = None  # absent: the wire's own
    details: tuple[Any, ...] = ()  # entries of `reasoning_details` as they are, well formed or not
    odd: tuple[Body, ...] = ()  # whole deltas as they are
    raw: tuple[str, ...] = ()  # data of whole events as they are, JSON or not, after the first
    tokens: Tokens | None = Tokens()  # None: it says nothing about usage, even when it is asked
    cost: Any = UNSAID  # `usage.cost`, whatever that is; OpenRouter tells it only when it is asked
    complaint: str = "the service is overloaded"  # what it says when it ends `overloaded`
    model: str = "test"  # the one that it says has answered


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status instead of a stream."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: Body = field(default_factory=lambda: {"error": {"message": "no", "type": "error"}})
    gate: asyncio.Event | None = None  # it comes when somebody opens it


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came: what the client really sent."""

    path: str
    headers: dict[str, str]
    body: Body


@dataclass(slots=True)
class Script:
    """The answers to come; the last one is given again and again. Keeps what was asked."""

    answers: list[Answer | Refusal]
    requests: list[Asked] = field(default_factory=list[Asked])
    closed: int = 0  # streams that the client left before their end
    whole: int = 0  # answers that were given to their end

    @property
    def asked(self) -> list[Body]:
        return [request.body for request in self.requests]

    def take(self, request: Asked) -> Answer | Refusal:
        self.requests.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def refuse(self, request: Asked, refusal: Refusal) -> Refusal:
        """It is none that a model could answer: no answer is used up."""
        self.requests.append(request)
        return refusal

    def wrote(self, request: Asked) -> None:
        """A piece of the answer to this has been written."""

    def over(self, request: Asked) -> None:
        """The answer to this has ended, or nobody listens to it any more."""
