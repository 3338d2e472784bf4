"""How sessions and events look to the outside: one place decides what is shown of an event."""

from typing import Any, NamedTuple, cast

from pilothouse.features.chat import events
from pilothouse.features.chat.events import Event
from pilothouse.features.chat.limits import MAX_FRAME
from pilothouse.features.chat.remembering import state_of
from pilothouse.kit.clock import from_micros, to_wire
from pilothouse.kit.json import JsonObject, dump_bytes, loads

STATE_STATUS = {"held": "queued", "queued": "queued", "running": "running", "waiting": "waiting"}
_PREVIEW = 2_000
_AROUND = 512  # bytes of a frame that are around an event's data


class ActiveTurn(NamedTuple):
    """The turn that a session is busy with."""

    turn_id: str
    status: str
    started_at: int | None
    first_event_id: int


class SessionView(NamedTuple):
    """A session as its owner sees it."""

    id: str
    user_id: str
    title: str | None
    title_source: str
    pinned: bool
    origin: str
    created_at: int
    updated_at: int
    head: int
    metadata: JsonObject
    state: JsonObject
    unread: bool
    needs_user: bool
    prompt_tokens: int
    completion_tokens: int
    active: ActiveTurn | None

    @property
    def status(self) -> str:
        return "idle" if self.active is None else self.active.status


SESSION_COLUMNS = (
    "s.id, s.user_id, s.title, s.title_source, s.pinned, s.origin, s.created_at, s.updated_at, s.head, s.metadata,"
    " s.state, s.ended, s.seen, s.needs_user, s.prompt_tokens, s.completion_tokens, s.turn_id, j.state,"
    " t.started_at, t.first_event"
)
SESSION_TABLES = "chat_sessions s left join chat_turns t on t.id=s.turn_id left join jobs j on j.id=s.turn_id"


def session_of(row: tuple[Any, ...]) -> SessionView:
    """From a row of `SESSION_COLUMNS`."""
    *_, metadata, remembered, ended, seen, needs_user, prompt, completion, turn_id, state, started_at, first = row
    session_id, user_id, title, title_source, pinned, origin, created_at, updated_at, head = row[:9]
    active = None
    if turn_id is not None:
        active = ActiveTurn(turn_id, STATE_STATUS.get(state, "queued"), started_at, first)
    return SessionView(
        id=session_id,
        user_id=user_id,
        title=title,
        title_source=title_source,
        pinned=bool(pinned),
        origin=origin,
        created_at=created_at,
        updated_at=updated_at,
        head=head,
        metadata=cast(JsonObject, loads(metadata)),
        state=state_of(remembered),
        unread=ended > seen,
        needs_user=bool(needs_user),
        prompt_tokens=prompt,
        completion_tokens=completion,
        active=active,
    )


def session_json(view: SessionView) -> JsonObject:
    return {
        "id": view.id,
        "user_id": view.user_id,
        "title": view.title,
        "title_source": view.title_source,
        "pinned": view.pinned,
        "origin": view.origin,
        "status": view.status,
        "unread": view.unread,
        "needs_user": view.needs_user,
        "created_at": moment(view.created_at),
        "updated_at": moment(view.updated_at),
        "metadata": view.metadata,
        "state": view.state,
        "prompt_tokens": view.prompt_tokens,
        "completion_tokens": view.completion_tokens,
    }


def active_json(active: ActiveTurn | None) -> JsonObject | None:
    if active is None:
        return None
    started_at = moment(active.started_at)
    return {
        "turn_id": active.turn_id,
        "status": active.status,
        "started_at": started_at,
        "first_event_id": active.first_event_id,
    }


def moment(micros: int | None) -> str | None:
    return None if micros is None else to_wire(from_micros(micros))


# What is logged but never leaves the server, by type of event.
_HIDDEN = {
    events.CONTEXT: frozenset({"blocks"}),
    events.COMPACTION: frozenset({"summary", "target", "overhead"}),
    events.TOOL_INPUT_AVAILABLE: frozenset({"idempotency_key"}),
    events.USAGE: frozenset({"cost_microdollars", "provider", "call_id", "estimated"}),
}


def shown(event: Event) -> Event:
    """The event without what the server keeps to itself."""
    hidden = _HIDDEN.get(event.type)
    if hidden is None:
        return event
    return event._replace(data={name: value for name, value in event.data.items() if name not in hidden})


REASONING = frozenset({events.REASONING_START, events.REASONING_DELTA, events.REASONING_END})
_THOUGHTS = ("delta", "text")


def without_reasoning(event: Event) -> Event:
    """The event without what a model thought; other events are as they were."""
    if event.type not in REASONING:
        return event
    return event._replace(data={name: "" if name in _THOUGHTS else value for name, value in event.data.items()})


# What a tool takes and gives may be of any size; everything else is bounded by what people and models say at once.
_MAY_BE_LARGE = {events.TOOL_INPUT_AVAILABLE: "input", events.TOOL_OUTPUT_AVAILABLE: "output"}


def lean(event: Event) -> Event:
    """The event as a live frame carries it: a value too large for one is named, and read with the session, or in the
    file that has the whole of a result.
    """
    name = _MAY_BE_LARGE.get(event.type)
    if name is None:
        return event
    if len(dump_bytes(event.data)) <= MAX_FRAME - _AROUND:
        return event
    written = dump_bytes(event.data[name])
    preview = written[:_PREVIEW].decode(errors="ignore")
    cut: JsonObject = {"type": "too_large", "size": len(written), "event_id": event.id, "preview": preview}
    file = {field: event.data[field] for field in ("file_id", "workspace_path") if field in event.data}
    return event._replace(data={**event.data, name: cut | {"truncated": True} | file})


def event_json(session_id: str, event: Event) -> JsonObject:
    """The envelope."""
    return {
        "id": event.id,
        "session_id": session_id,
        "turn_id": event.turn_id,
        "type": event.type,
        "created_at": moment(event.created_at),
        "data": event.data,
    }
