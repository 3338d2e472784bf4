"""What a provider answers, in order: one entry per request."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Tool:
    """A call that the model makes."""

    id: str
    name: str
    arguments: str  # JSON, or what the model thinks is JSON


@dataclass(frozen=True, slots=True)
class Answer:
    """A streamed response. `ends`: wholly, `early` (cleanly, without its last words), or `cut` (the connection)."""

    text: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    ends: str = "wholly"
    pause: float = 0.0  # seconds between two pieces


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status instead of a stream."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: dict[str, Any] = field(default_factory=lambda: {"error": {"message": "no", "type": "error"}})


@dataclass(slots=True)
class Script:
    """The answers to come; the last one is given again and again. Keeps what was asked."""

    answers: list[Answer | Refusal]
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    closed: int = 0  # streams that the client left before their end

    def take(self, body: dict[str, Any]) -> Answer | Refusal:
        self.asked.append(body)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
