"""Ending a turn, and what follows from it: one transaction, safe to repeat."""

from typing import NamedTuple

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.moves import END_JOB
from pilothouse.base.jobs.watches import WATCHERS_OF, Watcher
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql
from pilothouse.features.chat import events
from pilothouse.features.chat.events import CANCELLED, COMPLETED, Draft, entry_text
from pilothouse.features.chat.writes.appending import Appended
from pilothouse.features.chat.writes.keeping import Flush, keep, size_of
from pilothouse.features.chat.writes.messages import PENDING, message_of
from pilothouse.features.chat.writes.starting import NewTurn, Started, admit


class Ending(NamedTuple):
    """How a turn ends."""

    status: str  # completed, failed, cancelled
    reason: str | None
    created_at: int  # of the turn
    next_turn_id: str  # of the turn that takes what is still pending
    now: int
    refusal: Draft | None = None  # a notice that says why nothing may begin by itself now
    said: str = ""  # what the session is found by from now on


class Settled(NamedTuple):
    """What came of it: the final status (a cancel that was committed first wins), the turns that want a ring."""

    status: str
    appended: Appended
    promoted: list[str]
    continued: Started | None
    watchers: list[Watcher]  # turns that wait for this one


def _settle(job: Claimed, flush: Flush, ending: Ending) -> Script:
    rows = yield (
        "select cancel_at from jobs where id=?1 and fence=?2 and state='running' for update",
        (job.id, job.fence),
    )
    if not rows:
        return REFUSED
    status, reason = ending.status, ending.reason
    if rows[0][0] is not None and status != CANCELLED:
        status, reason = CANCELLED, "cancelled"
    promoted = yield END_JOB, (job.id, job.fence, job.top, job.lane, ending.now)
    if promoted is REFUSED:
        return REFUSED
    refused: list[Draft] = yield from _refused(flush.session_id, ending, status)
    ended = events.turn_ended(status, reason, max(0, ending.now - ending.created_at) // 1000)
    last = [entry_text(draft, job.id, ending.now) for draft in (*refused, ended)]
    appended = yield from keep(flush._replace(texts=(*flush.texts, *last)))
    if appended is REFUSED:
        return REFUSED
    yield from _close_rows(job, flush, ending, status, reason, appended.last)
    continued = None
    if status == COMPLETED and not refused:
        continued = yield from _continue(job, flush.session_id, ending)
        if continued is REFUSED:
            return REFUSED
    watchers = yield WATCHERS_OF, (job.id,)
    return Settled(status, appended, promoted, continued, [Watcher(*row) for row in watchers])


def _close_rows(job: Claimed, flush: Flush, ending: Ending, status: str, reason: str | None, last: int) -> Script:
    yield (
        "update chat_turns set status=?2, reason=?3, last_event=?4, ended_at=?5, said=?6 where id=?1",
        (job.id, status, reason, last, ending.now, ending.said),
    )
    yield "delete from chat_rounds where turn_id=?1", (job.id,)
    yield "delete from watches where watcher_id=?1", (job.id,)
    yield "delete from chat_background where session_id=?1 and taken_by is not null", (flush.session_id,)
    yield (
        "update chat_sessions set turn_id=null, ended=?3, updated_at=?4, needs_user=?5 where id=?1 and turn_id=?2",
        (flush.session_id, job.id, last, ending.now, False),
    )


def _refused(session_id: str, ending: Ending, status: str) -> Script:
    """The notice for messages that stay pending because nothing may begin by itself."""
    if ending.refusal is None or status != COMPLETED:
        return list[Draft]()
    rows = yield "select 1 from chat_pending where session_id=?1 limit 1", (session_id,)
    return [ending.refusal] if rows else list[Draft]()


def _continue(job: Claimed, session_id: str, ending: Ending) -> Script:
    """The oldest message that came too late for this turn starts the next one, which then takes the others."""
    rows = yield f"select n, {PENDING} from chat_pending where session_id=?1 order by n limit 1", (session_id,)
    if not rows:
        return None
    n, *row = rows[0]
    yield "delete from chat_pending where session_id=?1 and n=?2", (session_id, n)
    message = message_of(*row)
    new = NewTurn(ending.next_turn_id, session_id, job.user_id, "auto_continue", "", ending.now)
    started = yield from admit(new, message)
    if started is REFUSED:
        return REFUSED
    yield (
        "update chat_messages set turn_id=?3, event_id=?4 where session_id=?1 and message_id=?2",
        (session_id, message.message_id, new.id, started.appended.first),
    )
    return started


_SETTLE = Scripted("settle_turn", _settle)
_TURN_ENDED = Sql(
    name="turn_ended",
    sqlite="select 1 from chat_turns where id=? and fence=? and status is not null",
    postgres="select v.n from unnest($1::text[], $2::bigint[]) with ordinality as v(id, fence, n)"
    " join chat_turns t on t.id=v.id and t.fence=v.fence and t.status is not null",
)


def settle_turn(job: Claimed, flush: Flush, ending: Ending) -> WriteSet:
    """The turn's last entries, its final row, the end of its job, the next turn if messages wait: `Settled`."""
    return WriteSet(
        writes=((_SETTLE, (job, flush, ending)),),
        proof=(_TURN_ENDED, (job.id, job.fence)),
        size=size_of(flush) + len(ending.said),
        locks=(job.top,),
    )
