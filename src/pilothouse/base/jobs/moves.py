"""How a job changes hands: admitted, claimed, suspended, woken, ended. Each is a statement for the committer.

Locks are taken in one order everywhere: the user's top lane (by the committer, for the whole group), then jobs.
Lock first, look second, in separate statements: inside one statement the snapshot is older than the lock.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pilothouse.base.jobs import lanes, openings
from pilothouse.base.jobs.lanes import LanePair
from pilothouse.base.statements import REFUSED, Params, PostgresFetch, SqliteExecute, columns_of, write_later

DB_NOW = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"


def micros() -> int:
    """The clock of this machine, which is also SQLite's."""
    return time.time_ns() // 1000


class Admission(NamedTuple):
    """What admitting a job needs to know."""

    id: str
    kind: str
    user_id: str
    top: str
    top_cap: int
    lane: str | None
    lane_cap: int
    owner: str | None  # the worker that has a free slot for it, when it is in this very process
    now: int
    reply_to: str | None

    @property
    def pair(self) -> LanePair:
        return self.top, self.lane


_COLUMNS = openings.JOB_COLUMNS


_INSERT_JOBS = (
    f"insert into jobs ({_COLUMNS}) select * from unnest($1::text[], $2::text[], $3::text[], $4::text[],"
    " $5::text[], $6::text[], $7::text[], $8::bigint[], $9::int[], $10::bigint[], $11::bigint[], $12::text[])"
)


def _job_row(ask: Admission, placed: bool) -> Params:
    state = "held" if not placed else "queued" if ask.owner is None else "running"
    owner = ask.owner if state == "running" else None
    claimed = 1 if owner else 0
    moved = ask.now
    return (ask.id, ask.kind, ask.lane, ask.top, ask.user_id, state, owner, claimed, claimed, 0, moved, ask.reply_to)


@dataclass(frozen=True, slots=True, eq=False)
class AdmitJob:
    """Insert a job: already claimed, queued, or held when its lanes are full. Answers its state."""

    name: str = "admit_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        ask = Admission(*params)
        book = lanes.read_sqlite(execute, [ask.pair])
        if book.know(ask.pair, (ask.top_cap, ask.lane_cap)):
            lanes.promote_sqlite(execute, book, ask.pair, ask.now, raised=True)  # their ring is the idle pull
        row = _job_row(ask, book.take(ask.pair))
        lanes.save_sqlite(execute, book)
        execute(f"insert into jobs ({_COLUMNS}) values ({','.join('?' * len(row))})", row)
        return row[5]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        asks = [Admission(*params) for params in many]
        book = await lanes.read_postgres(fetch, [ask.pair for ask in asks])
        raised = [ask.pair for ask in asks if book.know(ask.pair, (ask.top_cap, ask.lane_cap))]
        if raised:
            await lanes.promote_postgres(fetch, book, raised, asks[0].now, raised=True)  # their ring is the idle pull
        rows = [_job_row(ask, book.take(ask.pair)) for ask in asks]
        await lanes.save_postgres(fetch, book, later=True)
        await write_later(fetch, _INSERT_JOBS, columns_of(rows))
        return [row[5] for row in rows]

    @property
    def opening(self) -> str:
        return openings.ADMIT

    def opening_arrays(self, many: Sequence[Params]) -> list[Any]:
        asks = [Admission(*params) for params in many]
        taken = Counter(key for ask in asks for key in ask.pair if key is not None)
        caps = {key: cap for ask in asks for key, cap in ((ask.top, ask.top_cap), (ask.lane, ask.lane_cap)) if key}
        keys = list(taken)
        rows = [_job_row(ask, True) for ask in asks]
        return [keys, [caps[key] for key in keys], list(taken.values()), *columns_of(rows)]

    def opening_answer(self, params: Params) -> Any:
        return "queued" if Admission(*params).owner is None else "running"


@dataclass(frozen=True, slots=True, eq=False)
class GuardJob:
    """Hold the job's row while something else is written in its name: (id, fence)."""

    name: str = "guard_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        count, _ = execute("select 1 from jobs where id=? and fence=? and state='running'", params)
        return 1 if count else REFUSED

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        rows = await fetch(
            "select j.id, j.fence from jobs j join unnest($1::text[], $2::bigint[]) as v(id, fence)"
            " on j.id=v.id and j.fence=v.fence where j.state='running' order by j.id for update of j",
            *columns_of(many),
        )
        held = {(row[0], row[1]) for row in rows}
        return [1 if (params[0], params[1]) in held else REFUSED for params in many]

    @property
    def opening(self) -> str:
        return openings.GUARD

    def opening_arrays(self, many: Sequence[Params]) -> list[Any]:
        return columns_of(many)

    def opening_answer(self, params: Params) -> Any:
        return 1


@dataclass(frozen=True, slots=True, eq=False)
class EndJob:
    """Delete a job that its owner has finished, give its place back: (id, fence, top, lane, now).

    Answers the ids of held jobs that got the place; they want a ring.
    """

    name: str = "end_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, fence, top, lane, now = params
        if execute("delete from jobs where id=? and fence=? and state='running'", (job_id, fence))[0] != 1:
            return REFUSED
        execute("delete from inbox where job_id=?", (job_id,))
        book = lanes.read_sqlite(execute, [(top, lane)])
        book.give((top, lane))
        return lanes.promote_sqlite(execute, book, (top, lane), now)

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        rows = await fetch(_END_JOBS, [params[0] for params in many], [params[1] for params in many])
        ended = {(row[0], row[1]): (row[2], row[3]) for row in rows}
        firsts = [ended.pop((params[0], params[1]), None) for params in many]  # twice in one group: the first ended it
        answers: list[Any] = [REFUSED if pair is None else [] for pair in firsts]
        pairs = [pair for pair in firsts if pair is not None]
        if pairs:
            lanes.give_back(fetch, pairs)
            book = await lanes.read_postgres(fetch, pairs)
            promoted = await lanes.promote_postgres(fetch, book, pairs, many[0][4])
            answers[answers.index([])] = promoted  # one answers for all
        return answers

    @property
    def opening(self) -> str:
        return openings.END

    def opening_arrays(self, many: Sequence[Params]) -> list[Any]:
        keys = lanes.keys_of((params[2], params[3]) for params in many)
        return [[params[0] for params in many], [params[1] for params in many], keys]

    def opening_answer(self, params: Params) -> Any:
        return []


# The places are given back in the same statement: the lanes' rows are locked already, so nothing can have changed.
_END_JOBS = """
with pick as (
    select j.id from jobs j join unnest($1::text[], $2::bigint[]) as v(id, fence) on j.id=v.id and j.fence=v.fence
    where j.state='running' order by j.id for update of j
), gone as (
    delete from jobs using pick where jobs.id=pick.id returning jobs.id, jobs.fence, jobs.top_lane, jobs.lane
), facts as (
    delete from inbox using gone where inbox.job_id=gone.id
), places as (
    select k.key, count(*)::int as n from gone, lateral (values (gone.top_lane), (gone.lane)) as k(key)
    where k.key is not null group by k.key
), given as (
    update lanes l set used=greatest(0, l.used - places.n) from places where l.key=places.key
)
select id, fence, top_lane, lane from gone
"""


class Suspended(NamedTuple):
    """Whether a job went to sleep, or must go on because its inbox is not empty or somebody cancelled it."""

    asleep: bool
    promoted: list[str]
    cancelled: bool = False  # the mark came after the last heartbeat: its handler does not know yet


@dataclass(frozen=True, slots=True, eq=False)
class SuspendJob:
    """Let a job wait without a worker: (id, fence, top, lane, now, wake_at or None). Answers `Suspended`."""

    name: str = "suspend_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, fence, top, lane, now, wake_at = params
        _, rows = execute("select cancel_at from jobs where id=? and fence=? and state='running'", (job_id, fence))
        if not rows:
            return REFUSED
        if rows[0][0] is not None:
            return Suspended(False, [], cancelled=True)
        if execute("select 1 from inbox where job_id=? limit 1", (job_id,))[0]:
            return Suspended(False, [])
        execute(
            "update jobs set state='waiting', owner=null, fence=fence+1, attempt=0, due_at=?, moved_at=? where id=?",
            (wake_at, now, job_id),
        )
        book = lanes.read_sqlite(execute, [(top, lane)])
        book.give((top, lane))
        return Suspended(True, lanes.promote_sqlite(execute, book, (top, lane), now))

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [await self._one(fetch, params) for params in many]

    async def _one(self, fetch: PostgresFetch, params: Params) -> Any:
        job_id, fence, top, lane, now, wake_at = params
        rows = await fetch(
            "select cancel_at from jobs where id=$1 and fence=$2 and state='running' for update", job_id, fence
        )
        if not rows:
            return REFUSED
        if rows[0][0] is not None:
            return Suspended(False, [], cancelled=True)
        if await fetch("select 1 from inbox where job_id=$1 limit 1", job_id):
            return Suspended(False, [])
        await fetch(
            "update jobs set state='waiting', owner=null, fence=fence+1, attempt=0, due_at=$2, moved_at=$3 where id=$1",
            job_id,
            wake_at,
            now,
        )
        book = await lanes.read_postgres(fetch, [(top, lane)])
        book.give((top, lane))
        return Suspended(True, await lanes.promote_postgres(fetch, book, [(top, lane)], now))


@dataclass(frozen=True, slots=True, eq=False)
class WakeJob:
    """Queue (or hold) a waiting job: (id, top, lane, now, only_if_due). Answers True when it wants a ring."""

    name: str = "wake_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, top, lane, now, only_if_due = params
        found, rows = execute("select due_at from jobs where id=? and state='waiting'", (job_id,))
        if not found or (only_if_due and (rows[0][0] is None or rows[0][0] > now)):
            return False
        book = lanes.read_sqlite(execute, [(top, lane)])
        placed = book.take((top, lane))
        lanes.save_sqlite(execute, book)
        state = "queued" if placed else "held"
        execute("update jobs set state=?, due_at=0, fence=fence+1, moved_at=? where id=?", (state, now, job_id))
        return placed

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [await self._one(fetch, params) for params in many]

    async def _one(self, fetch: PostgresFetch, params: Params) -> Any:
        job_id, top, lane, now, only_if_due = params
        rows = await fetch("select due_at from jobs where id=$1 and state='waiting' for update", job_id)
        if not rows or (only_if_due and (rows[0][0] is None or rows[0][0] > now)):
            return False
        book = await lanes.read_postgres(fetch, [(top, lane)])
        placed = book.take((top, lane))
        await lanes.save_postgres(fetch, book)
        state = "queued" if placed else "held"
        await fetch("update jobs set state=$2, due_at=0, fence=fence+1, moved_at=$3 where id=$1", job_id, state, now)
        return placed


ADMIT_JOB = AdmitJob()
GUARD_JOB = GuardJob()
END_JOB = EndJob()
SUSPEND_JOB = SuspendJob()
WAKE_JOB = WakeJob()
