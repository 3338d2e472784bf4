"""The AI SDK's UI message stream (v6 and later) as a projection of the log: one table, no second truth.

A client that speaks this protocol cannot begin inside a part, so the projection always starts with the turn's first
event; whoever comes back with the id of the last event is given what follows it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from pilothouse.features.chat import events
from pilothouse.features.chat.events import CANCELLED, COMPLETED, FAILED, Event
from pilothouse.features.chat.present import lean, shown
from pilothouse.kit.json import Json, JsonObject, dump_bytes

DONE = b"data: [DONE]\n\n"
HEADERS = {"x-vercel-ai-ui-message-stream": "v1", "connection": "keep-alive"}

Chunks: TypeAlias = list[JsonObject]
_FINISH = {COMPLETED: "stop", FAILED: "error", CANCELLED: "other"}
_STARTS = ("text-start", "reasoning-start")
_TOKENS = ("prompt_tokens", "completion_tokens", "total_tokens", "cache_read_tokens", "cache_write_tokens", "model")


@dataclass(slots=True)
class Wire:
    """One turn on the wire. Feed it the turn's events from the first on."""

    turn_id: str
    show_reasoning: bool = True
    begun: bool = False
    ended: bool = False
    _sent: dict[str, int] = field(default_factory=dict[str, int])  # characters of open blocks that have gone out
    _hidden: set[str] = field(default_factory=set[str])
    _answered: set[str] = field(default_factory=set[str])  # calls whose one result has gone out
    _starts: dict[str, int] = field(default_factory=dict[str, int])  # the event that began each block

    def chunks(self, event: Event) -> Chunks:
        """What this event is on the wire: none, one or a few chunks."""
        if event.turn_id not in (self.turn_id, None):
            return []
        show = _TABLE.get(event.type)
        return [] if show is None else show(self, lean(shown(event)))

    def frames(self, event: Event, after: int = 0) -> bytes:
        """The same as frames, for a client that has seen everything up to `after`. Only the last of an event carries
        its own id: whoever is cut off between two of them is given the whole event again, but no block's start twice.
        """
        chunks = self.chunks(event)
        if event.id <= after:
            return b""
        last = len(chunks) - 1
        framed = ((event.id if n == last else event.id - 1, chunk) for n, chunk in enumerate(chunks))
        return b"".join(_frame(number, chunk) for number, chunk in framed if not self._is_begun(chunk, after))

    def _is_begun(self, chunk: JsonObject, after: int) -> bool:
        """A start goes out with the block's first delta. The event that began the block shows nothing else, so a
        client that names it has heard the start.
        """
        return chunk["type"] in _STARTS and self._starts.get(cast(str, chunk["id"])) == after

    def start(self, event: Event) -> Chunks:
        chunks: Chunks = [] if self.begun else [{"type": "start", "messageId": self.turn_id}]
        self.begun = True
        return [*chunks, *self._status("running", event)]

    def queued(self, event: Event) -> Chunks:
        return self._status("queued", event)

    def suspended(self, event: Event) -> Chunks:
        return self._status("waiting", event)

    def _status(self, state: str, event: Event) -> Chunks:
        told = {name: event.data.get(name) for name in ("position", "waits_for", "model")}
        return [data_chunk("status", {"state": state, **told}, transient=True)]

    def step(self, event: Event) -> Chunks:
        return [{"type": event.type}]

    def reset(self, event: Event) -> Chunks:
        return [data_chunk("step-reset", {"partIds": event.data["part_ids"]}, event.id)]

    # A block goes out with its first character: an empty one is nothing.

    def block_start(self, event: Event) -> Chunks:
        block_id = cast(str, event.data["id"])
        self._sent[block_id] = 0
        self._starts[block_id] = event.id
        if event.type == events.REASONING_START and not self.show_reasoning:
            self._hidden.add(block_id)
        return []

    def block_delta(self, event: Event) -> Chunks:
        kind, block_id = event.type.partition("-")[0], cast(str, event.data["id"])
        return self._grow(kind, block_id, cast(int, event.data["offset"]), cast(str, event.data["delta"]))

    def block_end(self, event: Event) -> Chunks:
        kind, block_id, text = event.type.partition("-")[0], cast(str, event.data["id"]), cast(str, event.data["text"])
        sent = self._sent.get(block_id, 0)
        chunks = self._grow(kind, block_id, sent, text[sent:])  # what a trimmed log no longer tells piece by piece
        was_shown = self._sent.pop(block_id, 0) > 0 and block_id not in self._hidden
        return [*chunks, {"type": f"{kind}-end", "id": block_id}] if was_shown else []

    def _grow(self, kind: str, block_id: str, offset: int, delta: str) -> Chunks:
        sent = self._sent.get(block_id, 0)
        fresh = delta[sent - offset :] if sent > offset else delta
        if not fresh or block_id in self._hidden:
            return []
        self._sent[block_id] = sent + len(fresh)
        start: Chunks = [] if sent else [{"type": f"{kind}-start", "id": block_id}]
        return [*start, {"type": f"{kind}-delta", "id": block_id, "delta": fresh}]

    def tool_start(self, event: Event) -> Chunks:
        return [{"type": event.type, "toolCallId": event.data["tool_call_id"], "toolName": event.data["tool"]}]

    def tool_delta(self, event: Event) -> Chunks:
        call, delta = event.data["tool_call_id"], event.data["delta"]
        return [{"type": event.type, "toolCallId": call, "inputTextDelta": delta}]

    def tool_input(self, event: Event) -> Chunks:
        data = event.data
        named: JsonObject = {"toolCallId": data["tool_call_id"], "toolName": data["tool"], "input": data["input"]}
        return [{"type": event.type, **named}]

    def tool_output(self, event: Event) -> Chunks:
        return self._result(event, "output", event.data["output"])

    def tool_error(self, event: Event) -> Chunks:
        return self._result(event, "errorText", event.data["message"])

    def _result(self, event: Event, name: str, value: Json) -> Chunks:
        """A result is unique: a second one is ignored."""
        call = cast(str, event.data["tool_call_id"])
        if call in self._answered:
            return []
        self._answered.add(call)
        return [{"type": event.type, "toolCallId": call, name: value}]

    def data(self, event: Event) -> Chunks:
        return [data_chunk(event.type, event.data, event.data.get("background_id") or event.id)]

    def follow_up(self, event: Event) -> Chunks:
        told = {name: event.data.get(name) for name in ("message_ids", "texts", "after_tool_call_id")}
        return [data_chunk("follow-up", told, event.id)]

    def title(self, event: Event) -> Chunks:
        return [data_chunk("title", event.data, transient=True)]

    def usage(self, event: Event) -> Chunks:
        return [data_chunk("usage", {name: event.data.get(name) for name in _TOKENS}, transient=True)]

    def error(self, event: Event) -> Chunks:
        return [*self.data(event), {"type": "error", "errorText": event.data["message"]}]

    def end(self, event: Event) -> Chunks:
        self.ended = True
        status = cast(str, event.data["status"])
        abort: Chunks = [{"type": "abort", "reason": event.data["reason"] or status}] if status == CANCELLED else []
        return [*abort, {"type": "finish", "finishReason": _FINISH.get(status, "other")}]


def data_chunk(name: str, data: JsonObject, part_id: Json = None, *, transient: bool = False) -> JsonObject:
    """A part of our own. With an id it is replaced when it comes again; a transient one is not kept by the client."""
    chunk: JsonObject = {"type": f"data-{name}"}
    if part_id is not None:
        chunk["id"] = str(part_id)
    chunk["data"] = {field: value for field, value in data.items() if value is not None}
    return chunk | {"transient": True} if transient else chunk


def _frame(event_id: int, chunk: JsonObject) -> bytes:
    return b"id: %d\ndata: %s\n\n" % (event_id, dump_bytes(chunk))


def caption(seconds: int) -> bytes:
    """Told while nothing happens, and logged nowhere."""
    return b"data: %s\n\n" % dump_bytes(data_chunk("status", {"state": "quiet", "seconds": seconds}, transient=True))


# What each event is on the wire. What is not here (the user's message, the server's context) is not sent.
_TABLE: dict[str, Callable[[Wire, Event], Chunks]] = {
    events.TURN_QUEUED: Wire.queued,
    events.TURN_STARTED: Wire.start,
    events.TURN_RESUMED: Wire.start,
    events.TURN_SUSPENDED: Wire.suspended,
    events.START_STEP: Wire.step,
    events.FINISH_STEP: Wire.step,
    events.STEP_RESET: Wire.reset,
    events.TEXT_START: Wire.block_start,
    events.TEXT_DELTA: Wire.block_delta,
    events.TEXT_END: Wire.block_end,
    events.REASONING_START: Wire.block_start,
    events.REASONING_DELTA: Wire.block_delta,
    events.REASONING_END: Wire.block_end,
    events.TOOL_INPUT_START: Wire.tool_start,
    events.TOOL_INPUT_DELTA: Wire.tool_delta,
    events.TOOL_INPUT_AVAILABLE: Wire.tool_input,
    events.TOOL_OUTPUT_AVAILABLE: Wire.tool_output,
    events.TOOL_OUTPUT_ERROR: Wire.tool_error,
    events.BACKGROUND: Wire.data,
    events.FOLLOW_UP: Wire.follow_up,
    events.COMPACTION: Wire.data,
    events.NOTICE: Wire.data,
    events.ERROR: Wire.error,
    events.USAGE: Wire.usage,
    events.TITLE: Wire.title,
    events.TURN_ENDED: Wire.end,
}
