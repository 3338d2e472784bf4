"""Events of Anthropic's stream, made fit for the library: an odd thought must not end the whole answer."""

from dataclasses import dataclass, field
from typing import Final, Protocol, cast

import structlog
from anthropic.types.beta import (
    BetaInputJSONDelta,
    BetaRawContentBlockDeltaEvent,
    BetaRawContentBlockStartEvent,
    BetaRawMessageStartEvent,
    BetaRedactedThinkingBlock,
    BetaSignatureDelta,
    BetaTextDelta,
    BetaThinkingBlock,
    BetaThinkingDelta,
)

from pilothouse.autopilot.faults import Unreadable

log = structlog.get_logger()

# Where thoughts stand, and what they are signed with.
_WORDS: Final[dict[type, tuple[str, ...]]] = {
    BetaThinkingDelta: ("thinking",),
    BetaSignatureDelta: ("signature",),
    BetaThinkingBlock: ("thinking", "signature"),
    BetaRedactedThinkingBlock: ("data",),
}
# What cannot be left out of an answer.
_NEEDED: Final[dict[type, tuple[str, ...]]] = {BetaTextDelta: ("text",), BetaInputJSONDelta: ("partial_json",)}


class Events(Protocol):
    """The library's stream, which can look ahead by one event."""

    @property
    def source(self) -> object: ...
    async def peek(self) -> object: ...
    async def is_exhausted(self) -> bool: ...
    async def __anext__(self) -> object: ...


@dataclass(slots=True)
class CarefulMessages:
    """The same stream, cleaned."""

    told: Events
    model: str
    warned: set[str] = field(default_factory=set[str])

    @property
    def source(self) -> object:
        """Of the client library: what is to be closed."""
        return self.told.source

    async def peek(self) -> object:
        first = await self.told.peek()
        if isinstance(first, BetaRawMessageStartEvent) or await self.told.is_exhausted():
            return first
        raise Unreadable

    def __aiter__(self) -> "CarefulMessages":
        return self

    async def __anext__(self) -> object:
        event = await self.told.__anext__()
        while not self._is_fit(event):
            event = await self.told.__anext__()
        return event

    def _is_fit(self, event: object) -> bool:
        """Whether the library can read it; what is mended is."""
        if isinstance(event, BetaRawContentBlockStartEvent):
            return self._mend(event.content_block)
        return not isinstance(event, BetaRawContentBlockDeltaEvent) or self._mend(event.delta)

    def _mend(self, part: object) -> bool:
        if _odd(part, _NEEDED):
            raise Unreadable
        odd = _odd(part, _WORDS)
        for name in odd:
            self._warn(name)
            setattr(part, name, "")
        return not odd or isinstance(part, BetaThinkingBlock)  # one that begins may still be filled

    def _warn(self, name: str) -> None:
        """Once per stream: a server that does this does it in every event."""
        if name not in self.warned:
            self.warned.add(name)
            log.warning("model.reasoning_malformed", model=self.model, field=name)


def _odd(part: object, known: dict[type, tuple[str, ...]]) -> list[str]:
    """The fields of a part that should be texts, and are not."""
    names = known.get(type(part), ())
    return [name for name in names if not isinstance(cast(object, getattr(part, name, None)), str)]
