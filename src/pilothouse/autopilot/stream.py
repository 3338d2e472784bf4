"""From the provider's events to events of the log: blocks that open, grow and close one after the other. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from pydantic_ai.messages import (
    ModelResponsePart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)

from pilothouse.autopilot.halves import cut_open, mended
from pilothouse.features.chat import Draft, events

DELTA_CHARACTERS: Final = 64
DELTA_SECONDS: Final = 0.05

Kind: TypeAlias = Literal["text", "reasoning"]
_STARTS = {"text": events.text_start, "reasoning": events.reasoning_start}
_DELTAS = {"text": events.text_delta, "reasoning": events.reasoning_delta}
_ENDS = {"text": events.text_end, "reasoning": events.reasoning_end}


@dataclass(slots=True)
class Block:
    """A block that is open. It is told to nobody before it has a character."""

    id: str
    kind: Kind
    text: str = ""
    told: int = 0  # characters that are logged
    since: float | None = None  # when the oldest that is not was heard
    half: str = ""  # of a character, whose second half may be the next to come


@dataclass(slots=True)
class ResponseStream:
    """One model call. Feed it the provider's events with the time; it answers what to log."""

    new_id: Callable[[], str]
    open: Block | None = None
    part_ids: list[str] = field(default_factory=list[str])  # of the blocks that were begun

    def feed(self, event: object, now: float) -> list[Draft]:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                return self._grow("text", text, now)
            case PartStartEvent(part=ThinkingPart(content=text)):
                return self._grow("reasoning", text, now)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                return self._grow("text", text, now)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
                return self._grow("reasoning", text or "", now)
            case PartStartEvent() | PartEndEvent():
                return self.close() if not _goes_on(event) else []
            case _:
                return []

    def _grow(self, kind: Kind, text: str, now: float) -> list[Draft]:
        if not text:
            return []
        drafts = self.close() if self.open is not None and self.open.kind != kind else []
        if self.open is None:
            self.open = Block(self.new_id(), kind)
            self.part_ids.append(self.open.id)
            drafts.append(_STARTS[kind](self.open.id))
        whole, self.open.half = cut_open(self.open.half + text)
        self.open.text += mended(whole)
        self.open.since = now if self.open.since is None else self.open.since
        return drafts + self.flush(now)

    def flush(self, now: float) -> list[Draft]:
        """What has waited long enough, or is long enough."""
        block = self.open
        if block is None or block.since is None:
            return []
        if len(block.text) - block.told < DELTA_CHARACTERS and now - block.since < DELTA_SECONDS:
            return []
        return self._tell(block)

    def close(self) -> list[Draft]:
        """End the open block, if there is one; its end holds the whole text."""
        block, self.open = self.open, None
        if block is None:
            return []
        block.text += mended(block.half)
        return [*self._tell(block), _ENDS[block.kind](block.id, block.text)]

    def _tell(self, block: Block) -> list[Draft]:
        delta, offset = block.text[block.told :], block.told
        block.told, block.since = len(block.text), None
        return [_DELTAS[block.kind](block.id, delta, offset)] if delta else []


def _goes_on(event: PartStartEvent | PartEndEvent) -> bool:
    """Providers cut a text or a thought into parts; one after the other is one block to the reader."""
    return isinstance(event, PartEndEvent) and event.next_part_kind == _kind(event.part)


def _kind(part: ModelResponsePart) -> str:
    return part.part_kind
