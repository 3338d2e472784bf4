"""What a worker writes while it holds a turn: its log, its rounds, what it learnt. All of it under the fence."""

from collections.abc import Sequence
from typing import NamedTuple

from pilothouse.base.committer import Write, WriteSet
from pilothouse.base.jobs.claims import FORGIVE_JOB, Claimed
from pilothouse.base.jobs.moves import GUARD_JOB, SUSPEND_JOB
from pilothouse.base.jobs.watches import unwatch, watch
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql
from pilothouse.features.chat.remembering import News, state_of, with_news
from pilothouse.features.chat.writes.appending import Appended, append
from pilothouse.kit.json import dumps


class Flush(NamedTuple):
    """Entries of a turn, written under one claim. `number` counts the claim's flushes."""

    session_id: str
    turn_id: str
    fence: int
    number: int
    texts: tuple[str, ...]


def keep(flush: Flush) -> Script:
    """Append, and note the flush by which it can be proved later."""
    yield (
        "update chat_turns set fence=?2, flushes=?3 where id=?1",
        (flush.turn_id, flush.fence, flush.number),
    )
    if not flush.texts:
        return None
    return (yield from append(flush.session_id, flush.texts, flush.fence))


_KEEP = Scripted("keep_events", keep)
_FLUSH_LANDED = Sql(
    name="flush_landed",
    sqlite="select 1 from chat_turns where id=? and fence=? and flushes>=?",
    postgres="select v.n from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as v(id, fence, number, n)"
    " join chat_turns t on t.id=v.id and t.fence=v.fence and t.flushes>=v.number",
)
_SAVE_ROUND = Sql(
    name="save_round",
    sqlite="insert into chat_rounds (turn_id, round, body) values (?, ?, ?)"
    " on conflict (turn_id, round) do update set body=excluded.body",
    postgres="insert into chat_rounds (turn_id, round, body) select * from"
    " unnest($1::text[], $2::int[], $3::text[]) on conflict (turn_id, round) do update set body=excluded.body",
    touches=None,
)
_BEGIN_TURN = Sql(
    name="begin_turn",
    sqlite="update chat_turns set started_at=coalesce(started_at, ?2), model=?3, mode=?4, tier=?5 where id=?1",
    postgres="update chat_turns t set started_at=coalesce(t.started_at, v.started_at), model=v.model, mode=v.mode,"
    " tier=v.tier from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[]) with ordinality"
    " as v(id, started_at, model, mode, tier, n) where t.id=v.id returning v.n",
)
_ADD_TOKENS = Sql(
    name="add_tokens",
    sqlite="update chat_sessions set prompt_tokens=prompt_tokens+?2, completion_tokens=completion_tokens+?3"
    " where id=?1",
    postgres="update chat_sessions t set prompt_tokens=t.prompt_tokens+v.prompt,"
    " completion_tokens=t.completion_tokens+v.completion from unnest($1::text[], $2::bigint[], $3::bigint[])"
    " with ordinality as v(id, prompt, completion, n) where t.id=v.id returning v.n",
)


def _remember(session_id: str, news: News) -> Script:
    rows = yield "select state from chat_sessions where id=?1 for update", (session_id,)
    for (state,) in rows:
        known = with_news(state_of(state), news)
        yield "update chat_sessions set state=?2 where id=?1", (session_id, dumps(known))
    return None


_REMEMBER = Scripted("remember_in_session", _remember)


def save_round(turn_id: str, number: int, body: str) -> Write:
    return _SAVE_ROUND, (turn_id, number, body)


def begin_turn(turn_id: str, now: int, model: str, mode: str | None, tier: str | None) -> Write:
    return _BEGIN_TURN, (turn_id, now, model, mode, tier)


def add_tokens(session_id: str, prompt: int, completion: int) -> Write:
    return _ADD_TOKENS, (session_id, prompt, completion)


def remember(session_id: str, news: News) -> Write:
    """Add to the session's state what an event of the same flush tells."""
    return _REMEMBER, (session_id, news)


def begin_wait(turn_id: str, call_id: str, job_id: str, body: str) -> Write:
    """A call waits for the end of another job."""
    return watch(turn_id, call_id, job_id, body)


def end_wait(turn_id: str, call_id: str) -> Write:
    return unwatch(turn_id, call_id)


def forgive(job: Claimed) -> Write:
    """The turn got further than its last owner: earlier faults no longer count."""
    return FORGIVE_JOB, (job.id, job.fence)


def proof_of(flush: Flush) -> Write:
    return _FLUSH_LANDED, (flush.turn_id, flush.fence, flush.number)


def size_of(flush: Flush) -> int:
    return sum(map(len, flush.texts)) + 200


def flush_turn(flush: Flush, also: Sequence[Write] = ()) -> WriteSet:
    """The second answer is `Appended`, or None when there were no entries."""
    return WriteSet(
        writes=((GUARD_JOB, (flush.turn_id, flush.fence)), (_KEEP, (flush,)), *also),
        proof=proof_of(flush),
        size=size_of(flush),
    )


class Slept(NamedTuple):
    """Whether the turn sleeps, or must go on: its inbox is not empty, or somebody cancelled it."""

    asleep: bool
    cancelled: bool
    promoted: list[str]
    appended: Appended | None


def _suspend(lane: str, flush: Flush, suspended: str, wake_at: int | None, needs_user: bool, now: int) -> Script:
    slept = yield SUSPEND_JOB, (flush.turn_id, flush.fence, lane, None, now, wake_at)
    if slept is REFUSED:
        return REFUSED
    if slept.asleep:
        flush = flush._replace(texts=(*flush.texts, suspended))
        yield "update chat_sessions set needs_user=?2 where id=?1", (flush.session_id, needs_user)
    appended = yield from keep(flush)
    if appended is REFUSED:
        return REFUSED
    return Slept(slept.asleep, slept.cancelled, slept.promoted, appended)


_SUSPEND = Scripted("suspend_turn", _suspend)


def suspend_turn(
    job: Claimed, flush: Flush, suspended: str, *, wake_at: int | None, needs_user: bool, now: int
) -> WriteSet:
    """Let the turn wait without a worker. `suspended` is the entry that says so, kept only if it does sleep."""
    return WriteSet(
        writes=((_SUSPEND, (job.top, flush, suspended, wake_at, needs_user, now)),),
        proof=proof_of(flush),
        size=size_of(flush),
        locks=(job.top,),
    )
