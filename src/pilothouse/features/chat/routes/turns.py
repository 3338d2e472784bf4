"""Turns: sending a message, following, cancelling, and what waits."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import Header, Query, Request, Response

from pilothouse.base.actor import Actor
from pilothouse.base.http import CurrentActor, EventStream, PathId, Router, frame, problems, scope
from pilothouse.base.http.errors import IdempotencyConflict
from pilothouse.base.http.idempotency import key_of
from pilothouse.base.jobs.moves import micros
from pilothouse.features.chat import queries
from pilothouse.features.chat.errors import (
    EventBeyondHead,
    MessageConsumed,
    MessageNotFound,
    MessageNotKept,
    NothingToRetry,
    PendingFull,
    PendingTooLong,
    SessionNotFound,
    TurnActive,
    TurnLimit,
)
from pilothouse.features.chat.limits import HEARTBEAT_SECONDS, MAX_PENDING_MESSAGES
from pilothouse.features.chat.present import moment
from pilothouse.features.chat.routes.parts import Content, Responses, chat_of, conversations_of, json_of, nothing
from pilothouse.features.chat.schemas import Buffered, MessageIn, PendingMessages, SessionEvents, TurnCancelled
from pilothouse.features.chat.service import MessagePending, TurnBegun
from pilothouse.features.chat.wire import HEADERS
from pilothouse.features.chat.writes.messages import Message
from pilothouse.features.models import BudgetExceeded
from pilothouse.kit.errors import ShuttingDown, Unavailable
from pilothouse.kit.ids import derived_id, new_id
from pilothouse.kit.json import JsonObject, dump_bytes

RETRY_AFTER_SECONDS = 30

LastEventId = Annotated[int | None, Header(ge=0, le=2**53)]


async def start_turn(chat_id: PathId, body: MessageIn, request: Request, actor: CurrentActor) -> Response:
    """Say something. An idle session answers with the stream of the turn; a busy one keeps the message (202)."""
    arrival = micros()
    message = Message(
        message_id=body.message_id or _message_id(chat_id, request),
        text=body.message,
        origin="api" if actor.key_id is not None else "web",
        arrival_at=arrival,
        context=None if body.context is None else body.context.model_dump(),
        file_ids=tuple(body.file_ids),
        mode=body.mode,
        tier=body.model,
    )
    begun = await _start(request, actor, chat_id, message)
    if isinstance(begun, MessagePending):
        waiting: JsonObject = {"buffer_length": begun.buffer_length, "max_buffer_length": MAX_PENDING_MESSAGES}
        return json_of(waiting | {"turn_in_flight": begun.turn_in_flight}, 202)
    return _stream(request, chat_id, begun.turn_id, begun.first_event)


async def retry_turn(chat_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Answer the message of a turn that failed again, in a new turn. The answer is its stream."""
    origin = "api" if actor.key_id is not None else "web"
    try:
        begun = await chat_of(request).retry_turn(actor, chat_id, origin=origin, stopping=request.app.state.stopping)
    except ShuttingDown:
        raise
    except Unavailable as error:
        raise MessageNotKept(retry_after=RETRY_AFTER_SECONDS) from error
    return _stream(request, chat_id, begun.turn_id, begun.first_event)


async def _start(request: Request, actor: Actor, chat_id: str, message: Message) -> TurnBegun | MessagePending:
    try:
        return await chat_of(request).start_turn(actor, chat_id, message, stopping=request.app.state.stopping)
    except ShuttingDown:
        raise
    except Unavailable as error:
        raise MessageNotKept(retry_after=RETRY_AFTER_SECONDS) from error


def _message_id(chat_id: str, request: Request) -> str:
    """An `Idempotency-Key` does what a `message_id` does."""
    key = key_of(request)
    return new_id() if key is None else derived_id(chat_id, key)


def _stream(request: Request, chat_id: str, turn_id: str, first_event: int, after: int = 0) -> EventStream:
    frames = conversations_of(request).turn_frames(chat_id, turn_id, first_event, after)
    return EventStream(frames, request.app.state.stopping, heartbeat=HEARTBEAT_SECONDS, headers=HEADERS)


async def resume_turn(
    chat_id: PathId, request: Request, actor: CurrentActor, last_event_id: LastEventId = None
) -> Response:
    """The stream of the turn that is under way, from its start or after `Last-Event-ID`; 204 when there is none."""
    view = await conversations_of(request).open(actor, chat_id, last_event_id or 0)
    if view.active is None:
        return nothing()
    return _stream(request, chat_id, view.active.turn_id, view.active.first_event_id, last_event_id or 0)


async def follow_session(
    chat_id: PathId,
    request: Request,
    actor: CurrentActor,
    after: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    follow: bool = True,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    last_event_id: LastEventId = None,
) -> Response:
    """The session's log after an event id: a stream across turns, or one page with `follow=false`."""
    conversations = conversations_of(request)
    # A browser that connects again names what it saw last in the header; its URL still says where it once began.
    start = last_event_id if last_event_id is not None else after or 0
    view = await conversations.open(actor, chat_id, start)
    if not follow:
        return json_of({"items": [*await conversations.read(chat_id, start, limit)], "head": view.head})

    async def frames() -> AsyncGenerator[bytes]:
        async with aclosing(conversations.envelopes(chat_id, start)) as batches:
            async for batch in batches:
                if batch:
                    yield b"".join(frame(str(item["id"]), dump_bytes(item)) for item in batch)

    return EventStream(frames(), request.app.state.stopping, heartbeat=HEARTBEAT_SECONDS)


async def cancel_turn(chat_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Stop what the session does. The answer comes when it has stopped, after 5 seconds at the latest."""
    done = await chat_of(request).cancel_turn(actor, chat_id)
    return json_of({"cancelled": done.cancelled, "reason": done.reason})


async def list_pending_messages(chat_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """The messages that wait for the running turn to take them; looking takes none."""
    waiting = await queries.list_pending(chat_of(request).reader, actor, chat_id)
    return json_of({"messages": [_pending_json(message) for message in waiting], "count": len(waiting)})


def _pending_json(message: Message) -> JsonObject:
    return {
        "message_id": message.message_id,
        "text": message.text,
        "context": message.context,
        "file_ids": list(message.file_ids),
        "origin": message.origin,
        "arrival_at": moment(message.arrival_at),
    }


async def take_back_message(chat_id: PathId, message_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Take a message back that no turn has taken yet."""
    await chat_of(request).take_back(actor, chat_id, message_id)
    return nothing()


def add_routes(router: Router) -> None:
    """Turns hang under their session's path."""
    use, absent = scope("chat:use"), problems(SessionNotFound)
    post, get = router.post, router.get
    starts = scope("chat:use", retry_after=RETRY_AFTER_SECONDS)
    post("/{chat_id}/stream", response_model=None, responses=_START)(starts(start_turn))
    post("/{chat_id}/retry", response_model=None, responses=_RETRY)(starts(retry_turn))
    get("/{chat_id}/stream", response_model=None, responses=_RESUME)(use(resume_turn))
    get("/{chat_id}/events", response_model=SessionEvents, responses=_EVENTS)(use(follow_session))
    post("/{chat_id}/cancel", response_model=TurnCancelled, responses=absent)(use(cancel_turn))
    get("/{chat_id}/messages/pending", response_model=PendingMessages, responses=absent)(use(list_pending_messages))
    taking = problems(SessionNotFound, MessageNotFound, MessageConsumed)
    router.delete("/{chat_id}/messages/pending/{message_id}", status_code=204, responses=taking)(use(take_back_message))


_SSE: Content = {"text/event-stream": {"schema": {"type": "string"}}}
_STREAM: Content = {"description": "The turn as an AI SDK UI message stream.", "content": _SSE}
_START: Responses = {
    200: _STREAM,
    202: {"model": Buffered, "description": "The session is busy; the message waits."},
    **problems(SessionNotFound, IdempotencyConflict, PendingTooLong, MessageNotKept),
    **problems(TurnLimit, PendingFull, BudgetExceeded),
}
_RETRY: Responses = {
    200: _STREAM,
    **problems(SessionNotFound, TurnActive, NothingToRetry, TurnLimit, MessageNotKept),
}
_RESUME: Responses = {
    200: _STREAM,
    204: {"description": "Nothing is under way."},
    **problems(SessionNotFound, EventBeyondHead),
}
_EVENTS: Responses = {
    200: {"description": "A page, or the stream.", "content": _SSE},
    **problems(SessionNotFound, EventBeyondHead),
}
