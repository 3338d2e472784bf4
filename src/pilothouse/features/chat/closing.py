"""What was said in a turn, what is still open, and the events that close it: every start gets exactly one end."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from pilothouse.features.chat import events
from pilothouse.features.chat.events import Draft, Event

INTERRUPTED = "interrupted"
_INTERRUPTED_MESSAGE = "This was interrupted before it gave a result."
_STARTS = {events.TEXT_START: events.text_end, events.REASONING_START: events.reasoning_end}
_DELTAS = {events.TEXT_DELTA, events.REASONING_DELTA}
_ENDS = {events.TEXT_END, events.REASONING_END}
_CALLS = {events.TOOL_INPUT_START, events.TOOL_INPUT_AVAILABLE}
_RESULTS = {events.TOOL_OUTPUT_AVAILABLE, events.TOOL_OUTPUT_ERROR}


@dataclass(slots=True)
class OpenParts:
    """Watches a turn's events go by. Feed it everything that is logged, in order."""

    step: int | None = None
    blocks: dict[str, str] = field(default_factory=dict[str, str])  # type of the start, by block
    texts: dict[str, str] = field(default_factory=dict[str, str])
    calls: dict[str, str] = field(default_factory=dict[str, str])  # tool, by call
    said: dict[str, str] = field(default_factory=dict[str, str])  # to its end, by block of text

    def see(self, event: Draft | Event) -> None:
        data = event.data
        block_id, call_id = cast(str, data.get("id", "")), cast(str, data.get("tool_call_id", ""))
        match event.type:
            case events.START_STEP:
                self.step = cast(int, data["step"])
            case events.FINISH_STEP:
                self.step = None
            case kind if kind in _STARTS:
                self.blocks[block_id], self.texts[block_id] = kind, ""
            case kind if kind in _DELTAS and block_id in self.texts:
                self.texts[block_id] += cast(str, data["delta"])
            case kind if kind in _ENDS:
                self.blocks.pop(block_id, None)
                self.texts.pop(block_id, None)
                if kind == events.TEXT_END:
                    self.said[block_id] = cast(str, data["text"])
            case events.STEP_RESET:
                for part_id in cast(list[str], data["part_ids"]):
                    self.said.pop(part_id, None)
            case kind if kind in _CALLS:
                self.calls[call_id] = cast(str, data["tool"])
            case kind if kind in _RESULTS:
                self.calls.pop(call_id, None)
            case _:
                pass

    def close(self) -> list[Draft]:
        """The events that end what is open: blocks keep their text, calls become `interrupted`, then the step."""
        drafts = [_STARTS[kind](block_id, self.texts[block_id]) for block_id, kind in self.blocks.items()]
        drafts += [
            events.tool_output_error(call_id, tool, INTERRUPTED, _INTERRUPTED_MESSAGE)
            for call_id, tool in self.calls.items()
        ]
        if self.step is not None:
            drafts.append(events.finish_step(self.step))
        return drafts


def closing_events(turn_events: Iterable[Draft | Event]) -> list[Draft]:
    """The events that end what these events of one turn left open."""
    parts = OpenParts()
    for event in turn_events:
        parts.see(event)
    return parts.close()
