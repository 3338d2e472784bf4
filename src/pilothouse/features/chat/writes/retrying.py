"""Answering a message again whose turn failed: a new turn on the old message. Nothing that was logged changes."""

from pilothouse.base.committer import WriteSet
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql
from pilothouse.features.chat.events import FAILED
from pilothouse.features.chat.limits import MAX_TURNS_IN_FLIGHT, lane_of
from pilothouse.features.chat.writes.messages import Message, permissions_of
from pilothouse.features.chat.writes.starting import Denied, Dying, Known, NewTurn, admit


def _retry(new: NewTurn) -> Script:
    own = yield (
        "select turn_id from chat_sessions where id=?1 and user_id=?2 for update",
        (new.session_id, new.user_id),
    )
    if not own:
        return Denied("absent")
    if own[0][0] is not None:
        return (yield from _busy(own[0][0]))
    last = yield (
        "select status, message_event, arrival_at, mode, tier, permissions from chat_turns where session_id=?1"
        " order by first_event desc limit 1",
        (new.session_id,),
    )
    if not last or last[0][0] != FAILED:  # whatever the reason: a key may have been mended since
        return Denied("nothing_to_retry")
    in_flight = yield "select count(*) from chat_turns where user_id=?1 and status is null", (new.user_id,)
    if in_flight[0][0] >= MAX_TURNS_IN_FLIGHT:
        return Denied("turn_limit")
    _, message_event, arrival_at, mode, tier, permissions = last[0]
    allowed = permissions_of(permissions)
    message = Message("", "", new.origin, arrival_at, mode=mode, tier=tier, permissions=allowed)
    started = yield from admit(new, message, retries=message_event)
    if started is REFUSED:
        return REFUSED
    yield "update chat_sessions set seen=?2 where id=?1", (new.session_id, started.appended.last)
    return started


def _busy(active: str) -> Script:
    """Asking twice is asking once: a second click is answered with the turn that the first one started."""
    rows = yield (
        "select j.cancel_at, t.message_event, t.first_event from chat_turns t join jobs j on j.id=t.id where t.id=?1",
        (active,),
    )
    cancel_at, message_event, first_event = rows[0] if rows else (None, 0, 0)
    if cancel_at is not None:
        return Dying(active, cancel_at)
    return Known(True, active) if message_event < first_event else Denied("turn_active")


_RETRY = Scripted("retry_turn", _retry)
_TURN_LANDED = Sql(
    name="turn_landed",
    sqlite="select 1 from chat_turns where id=?",
    postgres="select v.n from unnest($1::text[]) with ordinality as v(id, n) join chat_turns t on t.id=v.id",
)


def retry_turn(new: NewTurn) -> WriteSet:
    """The answer is an `Outcome`; there is none when an earlier try landed."""
    return WriteSet(
        writes=((_RETRY, (new,)),), proof=(_TURN_LANDED, (new.id,)), size=1000, locks=(lane_of(new.user_id),)
    )
