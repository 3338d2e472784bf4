"""Admitting a message: one transaction decides whether it starts a turn, waits, or is refused."""

from typing import NamedTuple, TypeAlias

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.moves import ADMIT_JOB, Admission
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql
from pilothouse.features.chat import events
from pilothouse.features.chat.events import entry_text
from pilothouse.features.chat.finding import folded
from pilothouse.features.chat.limits import (
    KIND,
    MAX_PENDING_MESSAGE,
    MAX_PENDING_MESSAGES,
    MAX_RUNNING_TURNS,
    MAX_TURNS_IN_FLIGHT,
    PENDING_CALL_LIMIT,
    PENDING_WINDOW_MICROS,
    TITLE_LENGTH,
    lane_of,
)
from pilothouse.features.chat.writes.appending import Appended, append
from pilothouse.features.chat.writes.messages import Message, permissions_text


class NewTurn(NamedTuple):
    """A turn that a message may start."""

    id: str
    session_id: str
    user_id: str
    origin: str
    digest: str  # of the message's text
    now: int
    parent_job_id: str | None = None  # the turn or the run that delegates it


class Started(NamedTuple):
    """A turn that is durable. `state` is its job's: held, or queued (and wants a ring)."""

    turn_id: str
    state: str
    appended: Appended


class Buffered(NamedTuple):
    """The session is busy: the message waits."""

    turn_id: str
    length: int


class Known(NamedTuple):
    """The message came before; `turn_id` is the turn that it started, None if it had to wait for one."""

    same: bool
    turn_id: str | None


class Dying(NamedTuple):
    """The session's turn was asked to stop and has not yet; nothing was changed."""

    turn_id: str
    cancel_at: int


class Denied(NamedTuple):
    """Nothing was changed, for this reason."""

    # absent, parent_over, turn_limit, pending_full, pending_too_long, too_many_pushes, turn_active, nothing_to_retry
    why: str


Outcome: TypeAlias = Started | Buffered | Known | Dying | Denied


def _start(new: NewTurn, message: Message) -> Script:
    own = yield (
        "select turn_id from chat_sessions where id=?1 and user_id=?2 for update",
        (new.session_id, new.user_id),
    )
    if not own:
        return Denied("absent")
    known = yield (
        "select digest, turn_id, queued_at from chat_messages where session_id=?1 and message_id=?2",
        (new.session_id, message.message_id),
    )
    if known:
        return known_message(new.digest, *known[0])
    if new.parent_job_id is not None:  # a cancel that was marked before this reaches nothing that starts after it
        parent = yield "select cancel_at from jobs where id=?1 for update", (new.parent_job_id,)
        if not parent or parent[0][0] is not None:
            return Denied("parent_over")
    active = own[0][0]
    if active is not None:
        jobs = yield "select cancel_at from jobs where id=?1", (active,)
        if jobs and jobs[0][0] is not None:
            return Dying(active, jobs[0][0])
        return (yield from _buffer(new, message, active))
    in_flight = yield "select count(*) from chat_turns where user_id=?1 and status is null", (new.user_id,)
    if in_flight[0][0] >= MAX_TURNS_IN_FLIGHT:
        return Denied("turn_limit")
    started = yield from admit(new, message)
    if started is REFUSED:
        return REFUSED
    yield from _remember(new, message, new.id, started.appended.first, None)
    if new.origin == "web":  # who writes has read
        yield "update chat_sessions set seen=?2 where id=?1", (new.session_id, started.appended.last)
    return started


def known_message(digest: str, known_digest: str, turn_id: str | None, queued_at: int | None) -> Known:
    """What is told of a message that came before: the same as the first time."""
    return Known(known_digest == digest, turn_id if queued_at is None else None)


def admit(new: NewTurn, message: Message, retries: int | None = None) -> Script:
    """The turn, its job and its first events. The session must be locked and have no turn.

    With `retries`, the message is the one that this event told of: it is not told again.
    """
    lane = lane_of(new.user_id)
    admission = Admission(new.id, KIND, new.user_id, lane, MAX_RUNNING_TURNS, None, 0, None, new.now, None)
    state = yield ADMIT_JOB, tuple(admission)
    position = None
    if state == "held":
        held = yield "select count(*) from jobs where top_lane=?1 and state='held'", (lane,)
        position = held[0][0]
    texts = [] if retries is not None else [entry_text(message.event(), new.id, new.now)]
    if position is not None or retries is not None:
        texts.append(entry_text(events.turn_queued(position, retries), new.id, new.now))
    appended = yield from append(new.session_id, texts)
    if appended is REFUSED:
        return REFUSED
    title = first_title(message.text)
    yield (
        "update chat_sessions set turn_id=?2, updated_at=?3, needs_user=?4, title=coalesce(title, ?5),"
        " title_folded=coalesce(title_folded, ?6) where id=?1",
        (new.session_id, new.id, new.now, False, title, folded(title)),
    )
    allowed, told = permissions_text(message.permissions), appended.first if retries is None else retries
    yield (
        "insert into chat_turns (id, session_id, user_id, origin, mode, tier, permissions, arrival_at, message_event,"
        " first_event, created_at, parent_id, fence, flushes)"
        " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, 0)",
        (
            *(*new[:4], message.mode, message.tier, allowed, message.arrival_at, told),
            *(appended.first, new.now, new.parent_job_id),
        ),
    )
    return Started(new.id, state, appended)


def _buffer(new: NewTurn, message: Message, active: str) -> Script:
    if len(message.text) > MAX_PENDING_MESSAGE:
        return Denied("pending_too_long")
    yield "delete from chat_pushes where user_id=?1 and at <= ?2", (new.user_id, new.now - PENDING_WINDOW_MICROS)
    pushes = yield "select count(*) from chat_pushes where user_id=?1", (new.user_id,)
    if pushes[0][0] >= PENDING_CALL_LIMIT:
        return Denied("too_many_pushes")
    waiting = yield "select count(*), max(n) from chat_pending where session_id=?1", (new.session_id,)
    length, last = waiting[0]
    if length >= MAX_PENDING_MESSAGES:
        return Denied("pending_full")
    yield (
        "insert into chat_pending (session_id, n, message_id, arrival_at, body, permissions)"
        " values (?1, ?2, ?3, ?4, ?5, ?6)",
        (new.session_id, (last or 0) + 1, *message.row()),
    )
    pushed = (new.user_id, message.message_id, new.now)
    yield "insert into chat_pushes (user_id, message_id, at) values (?1, ?2, ?3) on conflict do nothing", pushed
    yield from _remember(new, message, None, None, new.now)
    return Buffered(active, length + 1)


def _remember(
    new: NewTurn, message: Message, turn_id: str | None, event_id: int | None, queued_at: int | None
) -> Script:
    row = (new.session_id, message.message_id, new.user_id, new.digest, folded(message.text))
    yield (
        "insert into chat_messages (session_id, message_id, user_id, digest, excerpt, turn_id, event_id, created_at,"
        " queued_at) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (*row, turn_id, event_id, new.now, queued_at),
    )


def first_title(text: str) -> str:
    """What a session is called until somebody finds a better name."""
    line = " ".join(text.replace("\x00", " ").split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


_START = Scripted("start_turn", _start)
_MESSAGE_LANDED = Sql(
    name="message_landed",
    sqlite="select 1 from chat_messages where session_id=? and message_id=?",
    postgres="select v.n from unnest($1::text[], $2::text[]) with ordinality as v(session_id, message_id, n)"
    " join chat_messages m on m.session_id=v.session_id and m.message_id=v.message_id",
)


def start_turn(new: NewTurn, message: Message) -> WriteSet:
    """The answer is an `Outcome`; there is none when an earlier try landed."""
    return WriteSet(
        writes=((_START, (new, message)),),
        proof=(_MESSAGE_LANDED, (new.session_id, message.message_id)),
        size=3 * len(message.text) + 1000,
        locks=(lane_of(new.user_id),),
    )
