"""Chunks of OpenAI-like servers, made fit for the library: what is odd in one must not end the whole stream.

Servers do not agree on where thoughts stand (`reasoning`, `reasoning_content`, `reasoning_details`), nor on what a
price looks like. What is malformed is left out with one warning; what is encrypted or unknown is never shown.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, cast

import structlog
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from pilothouse.autopilot.providers.counts import clean_counts

log = structlog.get_logger()

MOST_DOLLARS: Final = 1_000_000.0  # one call never cost that much: a larger figure is a fault
REPORTED_COST: Final = "reported_cost"  # in `provider_details`: US dollars, also when it is 0
_SHOWN: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
_ENCRYPTED: Final = "reasoning.encrypted"
_PLAIN: Final = ("reasoning", "reasoning_content")
_LAST_SECOND: Final = 253_402_300_799  # of the year 9999: no later time can be told


class Chunks(Protocol):
    """The client library's stream."""

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]: ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class Careful:
    """The same stream, cleaned. `keeps_details`: the library reads `reasoning_details` itself, and sends them back."""

    source: Chunks
    model: str
    keeps_details: bool
    warned: set[str] = field(default_factory=set[str])

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        async for chunk in self.source:
            if isinstance(cast(object, chunk), ChatCompletionChunk):  # the client checks nothing
                self.clean(chunk)
                yield chunk
            else:
                self._warn("chunk")

    async def close(self) -> None:
        await self.source.close()

    def clean(self, chunk: ChatCompletionChunk) -> None:
        """In place: each chunk is nobody else's."""
        self._clean_frame(chunk)
        for choice in chunk.choices or ():
            extra = choice.delta.model_extra
            if extra:
                self._clean_thoughts(extra)
        usage = chunk.usage.model_extra if chunk.usage is not None else None
        if usage and "cost" in usage and good_cost(usage["cost"]) is None:
            log.error("model.cost_refused", model=self.model, kind=type(usage["cost"]).__name__)
            usage["cost"] = None
        if chunk.usage is not None:
            clean_counts(chunk.usage)

    def _clean_frame(self, chunk: ChatCompletionChunk) -> None:
        """What every chunk has, as the types of the client say it is."""
        told = cast(dict[str, object], chunk.__dict__)
        if not isinstance(told.get("created"), int) or not 0 <= chunk.created <= _LAST_SECOND:
            chunk.created = 0
        chunk.id = chunk.id if isinstance(told.get("id"), str) else ""
        chunk.model = chunk.model if isinstance(told.get("model"), str) else self.model
        if told.get("usage") is not None and not isinstance(told["usage"], CompletionUsage):
            self._warn("usage")
            chunk.usage = None
        found = told.get("choices")
        choices = cast(list[object], found) if isinstance(found, list) else []
        chunk.choices = [choice for choice in choices if isinstance(choice, Choice)]
        for choice in chunk.choices:
            if not isinstance(cast(object, choice.delta), ChoiceDelta):  # some servers send none at all
                choice.delta = ChoiceDelta()

    def _clean_thoughts(self, extra: dict[str, object]) -> None:
        for name in _PLAIN:
            if extra.get(name) is not None and not isinstance(extra[name], str):
                self._warn(name)
                extra[name] = None
        if extra.get("reasoning_details") is None:
            return
        details = self._details(extra["reasoning_details"])
        plain = next((str(extra[name]) for name in _PLAIN if extra.get(name)), "")
        if self.keeps_details:  # it then reads nothing else
            if details and plain and not any(map(_words, details)):
                details.insert(0, {"type": "reasoning.text", "text": plain})
            extra["reasoning_details"] = details or None
            return
        extra["reasoning_details"] = None
        if not plain:
            extra["reasoning"] = "".join(map(_words, details)) or None

    def _details(self, told: object) -> list[dict[str, object]]:
        if not isinstance(told, list):
            self._warn("reasoning_details")
            return []
        found = [self._detail(each) for each in cast(list[object], told)]
        return [each for each in found if each is not None]

    def _detail(self, told: object) -> dict[str, object] | None:
        """One entry as the library takes it; without a type it is plain text."""
        if not isinstance(told, Mapping):
            self._warn("reasoning_details")
            return None
        detail = {str(name): value for name, value in cast(Mapping[object, object], told).items()}
        kind = detail.get("type")
        if kind in (None, ""):
            kind = "reasoning.summary" if detail.get("summary") and not detail.get("text") else "reasoning.text"
        known = {name: detail[name] for name in ("id", "format", "signature") if isinstance(detail.get(name), str)}
        index = {"index": detail["index"]} if isinstance(detail.get("index"), int) else {}
        if kind == _ENCRYPTED and isinstance(detail.get("data"), str):
            return {"type": kind, "data": detail["data"], **known, **index} if self.keeps_details else None
        words = _SHOWN.get(kind) if isinstance(kind, str) else None
        if words is None:  # unknown: never shown
            return None
        if not isinstance(detail.get(words) or "", str):
            self._warn("reasoning_details")
            return None
        return {"type": kind, words: detail.get(words) or "", **known, **index}

    def _warn(self, name: str) -> None:
        """Once per stream: a server that does this does it in every chunk."""
        if name not in self.warned:
            self.warned.add(name)
            log.warning("model.reasoning_malformed", model=self.model, field=name)


def _words(detail: Mapping[str, object]) -> str:
    return str(detail.get("text") or detail.get("summary") or "")


def good_cost(told: object) -> float | None:
    """A price in dollars, if that is one: a number that is not negative, and that a call can have cost."""
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return float(told) if 0 <= told <= MOST_DOLLARS else None


def cost_of(chunk: ChatCompletionChunk) -> dict[str, object]:
    """What a chunk says about the price, for `provider_details`. The library itself drops a price of 0."""
    cost = good_cost(getattr(chunk.usage, "cost", None))
    return {} if cost is None else {REPORTED_COST: cost}
