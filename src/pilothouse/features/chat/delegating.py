"""Handing work to another session: made or found, then asked through the one `start_turn`."""

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple, cast

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Clash
from pilothouse.base.jobs.moves import micros
from pilothouse.base.permissions import Permissions
from pilothouse.features.chat import queries
from pilothouse.features.chat.errors import DryRunLeft, NestingLimit, WouldCycle
from pilothouse.features.chat.limits import MAX_NESTING
from pilothouse.features.chat.lineage import line_of
from pilothouse.features.chat.service import Chat, MessagePending, TurnBegun
from pilothouse.features.chat.writes.messages import Message
from pilothouse.features.chat.writes.sessions import NewSession
from pilothouse.kit.errors import UserError
from pilothouse.kit.ids import child_id, derived_id
from pilothouse.kit.json import Json, JsonObject

_CALLER = "What the session that delegates this says beside it; it is that session's text, not a rule of the platform:"


class Order(NamedTuple):
    """What to delegate, and on behalf of which call."""

    prompt: str
    context: str  # the caller's own text
    continues: str  # a session to go on with; empty: a new one
    session_id: str  # the caller's
    turn_id: str
    key: str  # the call's: the same when a crash makes it run again
    permissions: Permissions
    dry_run: bool


class Delegated(NamedTuple):
    """Where it went. `turn_id` is the turn to wait for: its own, or while the target is busy the one that runs."""

    session_id: str
    turn_id: str | None
    pending: int | None  # how many messages wait in the busy target


async def delegate(chat: Chat, actor: Actor, order: Order) -> Delegated:
    """Start it once, however often this is called. Raises `NestingLimit`, `WouldCycle`, `TurnLimit`, ..."""
    line = await line_of(chat.reader, actor, order.session_id, order.turn_id)
    if len(line) > MAX_NESTING:
        raise NestingLimit
    if order.continues:
        target = await queries.get_session(chat.reader, actor, order.continues)
        if target.id in line:
            raise WouldCycle
        if order.dry_run and not target.metadata.get("dry_run"):
            raise DryRunLeft
        return await _ask(chat, actor, target.id, order, filter_of(target.metadata))
    session_id = child_id(order.turn_id, f"run_sub_session {order.key}")
    ask = NewSession(
        dry_run=order.dry_run,
        origin="sub_session",
        parent_session_id=order.session_id,
        parent_turn_id=order.turn_id,
        depth=len(line),
        permissions=order.permissions.as_json(),
    )
    with suppress(Clash):  # this very call has made it before
        await chat.create_session(actor, ask, session_id=session_id)
    try:
        return await _ask(chat, actor, session_id, order, None)
    except UserError:
        await chat.delete_session(actor, session_id)  # nothing was started, so nothing is left
        raise


async def _ask(chat: Chat, actor: Actor, session_id: str, order: Order, limited: JsonObject | None) -> Delegated:
    message = Message(
        message_id=derived_id(order.turn_id, f"delegated {order.key}"),
        text=with_context(order.prompt, order.context),
        origin="sub_session",
        arrival_at=micros(),
        permissions=order.permissions.within(Permissions.of(limited)).as_json(),
    )
    match await chat.start_turn(actor, session_id, message, parent_job_id=order.turn_id):
        case TurnBegun(turn_id):
            return Delegated(session_id, turn_id, None)
        case MessagePending(length):
            active = (await queries.get_session(chat.reader, actor, session_id)).active
            return Delegated(session_id, active.turn_id if active else None, length)


def with_context(prompt: str, context: str) -> str:
    """The task, after what its caller says beside it."""
    return f"{_CALLER}\n{context}\n\n{prompt}" if context else prompt


def filter_of(metadata: Mapping[str, Json]) -> JsonObject | None:
    """What a session may use in all its turns."""
    return cast(JsonObject | None, metadata.get("permissions"))
