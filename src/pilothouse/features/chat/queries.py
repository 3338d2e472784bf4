"""Every read of chat, scoped to the actor."""

from typing import Any, NamedTuple

from sqlalchemy import text

from pilothouse.base.actor import Actor
from pilothouse.base.logs import read_after
from pilothouse.base.reader import Reader
from pilothouse.base.work import Read
from pilothouse.features.chat.errors import SessionNotFound
from pilothouse.features.chat.events import Event, events_of
from pilothouse.features.chat.finding import folded
from pilothouse.features.chat.present import SESSION_COLUMNS, SESSION_TABLES, SessionView, session_of
from pilothouse.features.chat.writes.messages import PENDING, Message, message_of


class ListAsk(NamedTuple):
    """Which sessions to list."""

    limit: int = 50
    offset: int = 0
    q: str | None = None
    pinned_first: bool = False
    include_sub: bool = False


async def get_session(reader: Reader, actor: Actor, session_id: str) -> SessionView:
    rows = await reader.rows(
        f"select {SESSION_COLUMNS} from {SESSION_TABLES} where s.id=?1 and s.user_id=?2", session_id, actor.user_id
    )
    if not rows:
        raise SessionNotFound
    return session_of(rows[0])


async def read_session(read: Read, session_id: str) -> SessionView:
    """The session as this unit sees it, what it has just written included."""
    sql = f"select {SESSION_COLUMNS} from {SESSION_TABLES} where s.id=:id and s.user_id=:user_id"
    rows = await read.session.execute(text(sql), {"id": session_id, "user_id": read.actor.user_id})
    return session_of(tuple(rows.one()))


async def find_builder_session(reader: Reader, actor: Actor, graph_id: str) -> str | None:
    rows = await reader.rows(
        "select id from chat_sessions where user_id=?1 and builder_graph_id=?2", actor.user_id, graph_id
    )
    return rows[0][0] if rows else None


async def builder_session_of(read: Read, graph_id: str) -> str | None:
    """The same as this unit sees it: what an agent's settings show."""
    sql = "select id from chat_sessions where user_id=:user_id and builder_graph_id=:graph_id"
    found = await read.session.execute(text(sql), {"user_id": read.actor.user_id, "graph_id": graph_id})
    return found.scalar_one_or_none()


async def list_sessions(reader: Reader, actor: Actor, ask: ListAsk) -> tuple[list[SessionView], int]:
    """A page, newest first, and how many there are in all."""
    where, params = _where(actor, ask)
    total = await reader.rows(f"select count(*) from chat_sessions s where {where}", *params)
    order = "s.pinned desc, s.updated_at desc, s.id desc" if ask.pinned_first else "s.updated_at desc, s.id desc"
    rows = await reader.rows(
        f"select {SESSION_COLUMNS} from {SESSION_TABLES} where {where} order by {order}"
        f" limit ?{len(params) + 1} offset ?{len(params) + 2}",
        *params,
        ask.limit,
        ask.offset,
    )
    return [session_of(row) for row in rows], total[0][0]


def _where(actor: Actor, ask: ListAsk) -> tuple[str, list[Any]]:
    where = "s.user_id=?1"
    params: list[Any] = [actor.user_id]
    if not ask.include_sub:
        where += " and s.parent_session_id is null and s.origin <> 'autopilot_block'"
    if ask.q:
        escaped = folded(ask.q).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        params.append(f"%{escaped}%")
        where += (
            " and (s.title_folded like ?2 escape '\\'"
            " or exists (select 1 from chat_messages m where m.session_id=s.id and m.excerpt like ?2 escape '\\')"
            " or exists (select 1 from chat_turns a where a.session_id=s.id and a.said like ?2 escape '\\'))"
        )
    return where, params


class TurnSpan(NamedTuple):
    """Where a turn's events lie; `status` and `last` are None while it is under way."""

    id: str
    first: int
    last: int | None
    status: str | None


async def turns_before(reader: Reader, session_id: str, before: int | None, limit: int) -> list[TurnSpan]:
    """The last turns that began before an event, newest first."""
    rows = await reader.rows(
        "select id, first_event, last_event, status from chat_turns where session_id=?1 and first_event < ?2"
        " order by first_event desc limit ?3",
        session_id,
        2**62 if before is None else before,
        limit,
    )
    return [TurnSpan(*row) for row in rows]


async def get_turn(reader: Reader, actor: Actor, session_id: str, turn_id: str) -> TurnSpan:
    rows = await reader.rows(
        "select id, first_event, last_event, status from chat_turns where id=?1 and session_id=?2 and user_id=?3",
        turn_id,
        session_id,
        actor.user_id,
    )
    if not rows:
        raise SessionNotFound
    return TurnSpan(*rows[0])


async def turn_status(reader: Reader, turn_id: str) -> str | None:
    """How the turn ended; None while it is under way. A turn that is no more counts as cancelled."""
    rows = await reader.rows("select status from chat_turns where id=?1", turn_id)
    return rows[0][0] if rows else "cancelled"


async def find_message(reader: Reader, session_id: str, message_id: str) -> tuple[str, str | None, int | None] | None:
    """Of a known message: its digest, the turn that took it, and when it began to wait, if it did."""
    rows = await reader.rows(
        "select digest, turn_id, queued_at from chat_messages where session_id=?1 and message_id=?2",
        session_id,
        message_id,
    )
    return (rows[0][0], rows[0][1], rows[0][2]) if rows else None


class ErrandRow(NamedTuple):
    """A message that a step of a run sent, and the turn that took it."""

    turn_id: str | None  # None while it is pending
    asked_at: int
    status: str | None  # of that turn; None while it is under way
    is_own: bool  # the message started it
    active: str | None  # the turn that its session is busy with


async def find_errand(reader: Reader, user_id: str, session_id: str, message_id: str) -> ErrandRow | None:
    rows = await reader.rows(
        "select m.turn_id, m.created_at, t.status, t.message_event, m.event_id, s.turn_id from chat_messages m"
        " join chat_sessions s on s.id=m.session_id left join chat_turns t on t.id=m.turn_id"
        " where m.session_id=?1 and m.message_id=?2 and m.user_id=?3",
        session_id,
        message_id,
        user_id,
    )
    if not rows:
        return None
    turn_id, asked_at, status, first, own, active = rows[0]
    return ErrandRow(turn_id, asked_at, status, first is not None and first == own, active)


async def list_pending(reader: Reader, actor: Actor, session_id: str) -> list[Message]:
    rows = await reader.rows(
        f"select {', '.join('p.' + name for name in PENDING.split(', '))} from chat_sessions s"
        " join chat_pending p on p.session_id=s.id where s.id=?1 and s.user_id=?2 order by p.n",
        session_id,
        actor.user_id,
    )
    if not rows:
        await get_session(reader, actor, session_id)
    return [message_of(*row) for row in rows]


async def read_events(reader: Reader, session_id: str, after: int, limit: int) -> list[Event]:
    """As many events after an id as were asked for, or all there are, however many between them were trimmed."""
    found: list[Event] = []
    while len(found) < limit and (batch := await read_after(reader, session_id, after, limit=limit)):
        found += events_of(batch)
        after = batch[-1][0]
    return found[:limit]
