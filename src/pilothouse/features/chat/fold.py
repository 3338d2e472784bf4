"""The chat view as a pure function of the log: events in, messages out. Folding in parts gives what folding at once
gives, so whoever follows live and whoever reads later see the same.

A conversation is a list of messages. A user's message is a bubble. An assistant's message is one turn: its parts in
the order they came, follow-ups of the user among them, right after the tool results that they followed.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias, cast

from pilothouse.features.chat import events
from pilothouse.features.chat.events import Event
from pilothouse.features.chat.present import moment, shown
from pilothouse.kit.json import Json, JsonObject

Parts: TypeAlias = list[JsonObject]

DELTAS = frozenset({events.TEXT_DELTA, events.REASONING_DELTA})  # the end of a block says it all
_STATUS = {
    events.TURN_QUEUED: "queued",
    events.TURN_STARTED: "running",
    events.TURN_RESUMED: "running",
    events.TURN_SUSPENDED: "waiting",
}


class Fold:
    """What has been folded so far. `messages` is the view; it may be read between any two events."""

    def __init__(self) -> None:
        self.messages: list[JsonObject] = []
        self._turns: dict[str, JsonObject] = {}  # the assistant's message, by turn

    def see(self, event: Event) -> None:
        event = shown(event)
        if event.type == events.USER_MESSAGE:
            self.messages.append(_bubble(event))
        elif event.turn_id is not None:
            message = self._turns.get(event.turn_id)
            if message is None:
                message = self._turns[event.turn_id] = _answer(event)
                self.messages.append(message)
            _add(message, event)


def fold(log: Iterable[Event]) -> list[JsonObject]:
    """The messages of these events, which begin with a turn's first event."""
    folded = Fold()
    for event in log:
        folded.see(event)
    return folded.messages


def _bubble(event: Event) -> JsonObject:
    return {
        "id": event.data["message_id"],
        "role": "user",
        "turn_id": event.turn_id,
        "first_event_id": event.id,
        "last_event_id": event.id,
        "created_at": moment(event.created_at),
        "text": event.data["text"],
        "context": event.data["context"],
        "file_ids": event.data["file_ids"],
        "origin": event.data["origin"],
    }


def _answer(event: Event) -> JsonObject:
    return {
        "id": event.turn_id,
        "role": "assistant",
        "turn_id": event.turn_id,
        "first_event_id": event.id,
        "last_event_id": event.id,
        "created_at": moment(event.created_at),
        "status": "queued",
        "reason": None,
        "model": None,
        "position": None,
        "waits_for": None,
        "duration_ms": None,
        "parts": [],
    }


def _add(message: JsonObject, event: Event) -> None:
    message["last_event_id"] = event.id
    if event.type in _STATUS:
        message["status"] = _STATUS[event.type]
        message["position"], message["waits_for"] = event.data.get("position"), event.data.get("waits_for")
        message["model"] = event.data.get("model") or message["model"]
    elif event.type == events.TURN_ENDED:
        message |= {name: event.data[name] for name in ("status", "reason", "duration_ms")}
        message["position"] = message["waits_for"] = None
    elif (add := _PARTS.get(event.type)) is not None:
        add(cast(Parts, message["parts"]), event)


def _find(parts: Parts, kind: str, key: str, value: Json) -> JsonObject | None:
    """The newest part of a kind with this id."""
    return next((part for part in reversed(parts) if part["type"] == kind and part[key] == value), None)


def _start_step(parts: Parts, event: Event) -> None:
    parts.append({"type": "step", "step": event.data["step"], "state": "running", "usage": None})


def _finish_step(parts: Parts, event: Event) -> None:
    if (step := _find(parts, "step", "step", event.data["step"])) is not None:
        step |= {"state": "done", "usage": event.data.get("usage")}


def _reset_step(parts: Parts, event: Event) -> None:
    gone = cast(list[Json], event.data["part_ids"])
    parts[:] = [part for part in parts if part.get("id") not in gone and part.get("tool_call_id") not in gone]


def _start_block(kind: str) -> Callable[[Parts, Event], None]:
    def start(parts: Parts, event: Event) -> None:
        parts.append({"type": kind, "id": event.data["id"], "text": "", "state": "streaming"})

    return start


def _block(parts: Parts, kind: str, event: Event) -> JsonObject:
    """The block of this event; a log that was trimmed may lack its beginning."""
    found = _find(parts, kind, "id", event.data["id"])
    if found is None:
        found = {"type": kind, "id": event.data["id"], "text": "", "state": "streaming"}
        parts.append(found)
    return found


def _grow_block(kind: str) -> Callable[[Parts, Event], None]:
    def grow(parts: Parts, event: Event) -> None:
        block = _block(parts, kind, event)
        block["text"] = cast(str, block["text"])[: cast(int, event.data["offset"])] + cast(str, event.data["delta"])

    return grow


def _end_block(kind: str) -> Callable[[Parts, Event], None]:
    def end(parts: Parts, event: Event) -> None:
        block = _block(parts, kind, event)
        block |= {"text": event.data["text"], "state": "done"}
        if not block["text"]:
            parts.remove(block)

    return end


def _call(parts: Parts, event: Event) -> JsonObject:
    """The part of a tool call, from whichever of its events comes first."""
    found = _find(parts, "tool", "tool_call_id", event.data["tool_call_id"])
    if found is None:
        found = {
            "type": "tool",
            "tool_call_id": event.data["tool_call_id"],
            "tool": event.data.get("tool"),
            "state": "input-streaming",
            "input_text": "",
            "input": None,
            "output": None,
            "success": None,
            "error": None,
            "duration_ms": None,
        }
        parts.append(found)
    return found


def _start_call(parts: Parts, event: Event) -> None:
    _call(parts, event)


def _grow_call(parts: Parts, event: Event) -> None:
    call = _call(parts, event)
    call["input_text"] = cast(str, call["input_text"]) + cast(str, event.data["delta"])


def _ready_call(parts: Parts, event: Event) -> None:
    _call(parts, event).update({"input": event.data["input"], "input_text": "", "state": "input-available"})


def _is_over(call: JsonObject) -> bool:
    """A result is unique: a second one is ignored."""
    return call["state"] in ("output-available", "output-error")


def _end_call(parts: Parts, event: Event) -> None:
    call = _call(parts, event)
    if not _is_over(call):
        told = {name: event.data.get(name) for name in ("output", "success", "duration_ms")}
        call.update({"state": "output-available", **told})


def _fail_call(parts: Parts, event: Event) -> None:
    call = _call(parts, event)
    if not _is_over(call):
        error: JsonObject = {"code": event.data["code"], "message": event.data["message"]}
        told: JsonObject = {"error": error, "success": False, "duration_ms": event.data.get("duration_ms")}
        call.update({"state": "output-error", **told})


def _put(kind: str) -> Callable[[Parts, Event], None]:
    """A part that is the event's data."""

    def put(parts: Parts, event: Event) -> None:
        parts.append({"type": kind, "event_id": event.id, **event.data})

    return put


def _background(parts: Parts, event: Event) -> None:
    found = _find(parts, "background", "background_id", event.data["background_id"])
    if found is None:
        parts.append({"type": "background", **event.data})
    else:
        found.update(event.data)


_PARTS: dict[str, Callable[[Parts, Event], None]] = {
    events.START_STEP: _start_step,
    events.FINISH_STEP: _finish_step,
    events.STEP_RESET: _reset_step,
    events.TEXT_START: _start_block("text"),
    events.TEXT_DELTA: _grow_block("text"),
    events.TEXT_END: _end_block("text"),
    events.REASONING_START: _start_block("reasoning"),
    events.REASONING_DELTA: _grow_block("reasoning"),
    events.REASONING_END: _end_block("reasoning"),
    events.TOOL_INPUT_START: _start_call,
    events.TOOL_INPUT_DELTA: _grow_call,
    events.TOOL_INPUT_AVAILABLE: _ready_call,
    events.TOOL_OUTPUT_AVAILABLE: _end_call,
    events.TOOL_OUTPUT_ERROR: _fail_call,
    events.BACKGROUND: _background,
    events.FOLLOW_UP: _put("follow-up"),
    events.COMPACTION: _put("compaction"),
    events.NOTICE: _put("notice"),
    events.ERROR: _put("error"),
}
