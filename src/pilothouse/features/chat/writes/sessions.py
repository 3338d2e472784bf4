"""The rows of sessions: made, named, pinned, deleted."""

from typing import NamedTuple

from pilothouse.base.committer import WriteSet
from pilothouse.base.logs import segments
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql, delete_by, insert_into, update_by
from pilothouse.features.chat import events
from pilothouse.features.chat.events import entry_text
from pilothouse.features.chat.finding import folded
from pilothouse.features.chat.models import chat_background, chat_messages, chat_pending, chat_sessions, chat_turns
from pilothouse.features.chat.writes.appending import append
from pilothouse.kit.json import JsonObject, dumps


class NewSession(NamedTuple):
    """What a session is made with; fixed for its life."""

    dry_run: bool = False
    builder_graph_id: str | None = None
    origin: str = "web"
    parent_session_id: str | None = None
    parent_turn_id: str | None = None
    depth: int = 0
    source_platform: str | None = None
    permissions: JsonObject | None = None

    def metadata(self) -> JsonObject:
        known = self._asdict()
        del known["origin"]
        return known


_INSERT = insert_into(
    chat_sessions,
    *("id", "user_id", "title_source", "pinned", "origin", "created_at", "updated_at", "head"),
    *("builder_graph_id", "parent_session_id", "metadata", "state", "seen", "ended", "needs_user"),
    *("prompt_tokens", "completion_tokens"),
)
_EXISTS = Sql(
    name="session_exists",
    sqlite="select 1 from chat_sessions where id=?",
    postgres="select v.n from unnest($1::text[]) with ordinality as v(id, n) join chat_sessions s on s.id=v.id",
)


def create_session(session_id: str, user_id: str, ask: NewSession, now: int) -> WriteSet:
    row = (session_id, user_id, "auto", False, ask.origin, now, now, 0, ask.builder_graph_id, ask.parent_session_id)
    written = (*row, dumps(ask.metadata()), "{}", 0, 0, False, 0, 0)
    return WriteSet(((_INSERT, written),), proof=(_EXISTS, (session_id,)))


def _set_title(session_id: str, user_id: str, title: str, now: int) -> Script:
    rows = yield (
        "update chat_sessions set title=?3, title_folded=?4, title_source='user' where id=?1 and user_id=?2"
        " returning id",
        (session_id, user_id, title, folded(title)),
    )
    if not rows:
        return REFUSED
    return (yield from append(session_id, [entry_text(events.title(title), None, now)]))


def _suggest_title(session_id: str, user_id: str, title: str, now: int) -> Script:
    rows = yield (
        "update chat_sessions set title=?3, title_folded=?4 where id=?1 and user_id=?2 and title_source='auto'"
        " returning id",
        (session_id, user_id, title, folded(title)),
    )
    if not rows:
        return None
    return (yield from append(session_id, [entry_text(events.title(title), None, now)]))


_SET_TITLE = Scripted("set_title", _set_title)
_SUGGEST_TITLE = Scripted("suggest_title", _suggest_title)
_SET_PINNED = update_by(chat_sessions, ["id", "user_id"], ["pinned"])
_MARK_SEEN = Sql(
    name="mark_seen",
    sqlite="update chat_sessions set seen=max(seen, min(?3, head)) where id=?1 and user_id=?2",
    postgres="update chat_sessions t set seen=greatest(t.seen, least(v.seen, t.head)) from"
    " unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as v(id, user_id, seen, n)"
    " where t.id=v.id and t.user_id=v.user_id returning v.n",
)


def set_title(session_id: str, user_id: str, title: str, now: int) -> WriteSet:
    """Refused when it is not theirs; the answer is `Appended`."""
    return WriteSet(((_SET_TITLE, (session_id, user_id, title, now)),))


def suggest_title(session_id: str, user_id: str, title: str, now: int) -> WriteSet:
    """The answer is `Appended`, or None when the session has a name from its owner."""
    return WriteSet(((_SUGGEST_TITLE, (session_id, user_id, title, now)),))


def set_pinned(session_id: str, user_id: str, pinned: bool) -> WriteSet:
    return WriteSet(((_SET_PINNED, (session_id, user_id, pinned)),))


def mark_seen(session_id: str, user_id: str, event_id: int) -> WriteSet:
    return WriteSet(((_MARK_SEEN, (session_id, user_id, event_id)),))


_DELETE_IDLE = Sql(
    name="delete_idle_session",
    sqlite="delete from chat_sessions where id=?1 and user_id=?2 and turn_id is null",
    postgres="delete from chat_sessions t using unnest($1::text[], $2::text[]) with ordinality as v(id, user_id, n)"
    " where t.id=v.id and t.user_id=v.user_id and t.turn_id is null returning v.n",
)
_OF_SESSIONS = (chat_turns, chat_messages, chat_pending, chat_background)
_DELETE_REST = [delete_by(table, ["session_id"]) for table in _OF_SESSIONS]
_DELETE_LOG = delete_by(segments, ["log_id"])


def delete_session(session_id: str, user_id: str) -> WriteSet:
    """Refused when it is gone, not theirs, or has a turn."""
    rest = ((statement, (session_id,)) for statement in (*_DELETE_REST, _DELETE_LOG))
    return WriteSet(((_DELETE_IDLE, (session_id, user_id)), *rest))
