"""Who owns a job: claims, heartbeats, and what happens to the jobs of a worker that died or stops."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pilothouse.base.jobs.moves import DB_NOW, micros
from pilothouse.base.jobs.tables import workers
from pilothouse.base.statements import (
    OneStatement,
    Params,
    PostgresFetch,
    Rows,
    SqliteExecute,
    columns_of,
    delete_by,
)


class Claimed(NamedTuple):
    """A job in a worker's hands. Everything written in its name carries the fence."""

    id: str
    kind: str
    user_id: str
    top: str
    lane: str | None
    fence: int
    attempt: int
    cancel_at: int | None
    reply_to: str | None


_RETURNING = "id, kind, user_id, top_lane, lane, fence, attempt, cancel_at, reply_to"


@dataclass(frozen=True, slots=True, eq=False)
class ClaimJobs(OneStatement):
    """Take queued jobs by id: (owner, ids). Answers those that were still free, as `Claimed`."""

    name: str = "claim_jobs"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        owner, ids = params
        now = micros()
        marks = ",".join("?" * len(ids))
        _, rows = execute(
            "update jobs set state='running', owner=?, fence=fence+1, attempt=attempt+1, moved_at=?"
            f" where id in ({marks}) and state='queued' and due_at <= ? returning {_RETURNING}",
            (owner, now, *ids, now),
        )
        return [Claimed(*row) for row in rows]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [await self._one(fetch, *params) for params in many]

    async def _one(self, fetch: PostgresFetch, owner: str, ids: Sequence[str]) -> list[Claimed]:
        rows = await fetch(
            f"with pick as (select id from jobs where id = any($1::text[]) and state='queued' and due_at <= {DB_NOW}"
            " order by id for update skip locked)"
            " update jobs j set state='running', owner=$2, fence=j.fence+1, attempt=j.attempt+1,"
            f" moved_at={DB_NOW} from pick where j.id=pick.id"
            f" returning {', '.join('j.' + name for name in _RETURNING.split(', '))}",
            list(ids),
            owner,
        )
        return [Claimed(*row) for row in rows]


# Running jobs whose handler has something to notice.
NOTICED = (
    "select j.id, j.cancel_at is not null, exists (select 1 from inbox i where i.job_id=j.id) from jobs j"
    " where j.state='running' and (j.cancel_at is not null or exists (select 1 from inbox i where i.job_id=j.id))"
)


@dataclass(frozen=True, slots=True, eq=False)
class Heartbeat:
    """Prolong a worker's lease by the database's clock: (id, role, version, lease in microseconds).

    Answers its own jobs that want to be looked at: (id, whether somebody cancelled it, whether its inbox has facts).
    """

    name: str = "heartbeat"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        worker_id, role, version, lease = params
        execute(
            "insert into workers (id, role, version, expires_at) values (?, ?, ?, ?)"
            " on conflict (id) do update set expires_at=excluded.expires_at",
            (worker_id, role, version, micros() + lease),
        )
        return execute(f"{NOTICED} and j.owner=?1", (worker_id,))[1]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        answers: list[Rows] = []
        for worker_id, role, version, lease in many:
            await fetch(
                f"insert into workers (id, role, version, expires_at) values ($1, $2, $3, {DB_NOW} + $4)"
                " on conflict (id) do update set expires_at=excluded.expires_at",
                worker_id,
                role,
                version,
                lease,
            )
            answers.append([tuple(row) for row in await fetch(f"{NOTICED} and j.owner=$1", worker_id)])
        return answers


SUSPECT_ATTEMPTS = 3
SUSPECT_GAP_MICROS = 500_000
MAX_SUSPECT_GAPS = 60


# Suspects take turns, from a moment when those before them have had theirs.
_LATEST = f"coalesce((select max(due_at) from jobs where state='queued' and attempt >= {SUSPECT_ATTEMPTS}), 0)"
_LONGEST = MAX_SUSPECT_GAPS * SUSPECT_GAP_MICROS


def _pauses(orphans: Sequence[Sequence[Any]]) -> list[tuple[str, int]]:
    """(id, microseconds) for jobs that have seen several deaths in a row.

    One of them may be what kills its worker. In random order and one at a time, behind the suspects that still wait
    for their turn, the others finish a step before its turn comes, or have not begun: they do not share its fate.
    """
    suspects = [job_id for job_id, _, attempt in orphans if attempt >= SUSPECT_ATTEMPTS]
    random.shuffle(suspects)
    return [(job_id, turn % MAX_SUSPECT_GAPS * SUSPECT_GAP_MICROS) for turn, job_id in enumerate(suspects, start=1)]


# Who cancels a job that nobody runs, or seizes one that its worker does not let go of, may have no lease: it gets a
# moment from then on to end it (`w`: the owner's row, if any).
CANCEL_MICROS = 2_000_000
_TAKEN_AT = "case when j.moved_at > j.cancel_at then j.moved_at else j.cancel_at end"
LEASE_ENDS = f"coalesce(w.expires_at, {_TAKEN_AT} + {CANCEL_MICROS}, 0)"
IS_ORPHAN = f"{LEASE_ENDS} < {DB_NOW}"


@dataclass(frozen=True, slots=True, eq=False)
class RequeueOrphans:
    """Queue the jobs whose owner's lease ran out: (limit,). Answers [(id, kind)]; they want a ring."""

    name: str = "requeue_orphans"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        now = micros()
        execute("delete from workers where expires_at < ?", (now - 60_000_000,))
        _, rows = execute(
            "update jobs set state='queued', owner=null, fence=fence+1, due_at=0, moved_at=? where id in"
            " (select j.id from jobs j left join workers w on w.id=j.owner"
            " where j.state='running' and coalesce(w.expires_at, 0) < ? limit ?) returning id, kind, attempt",
            (now, now, params[0]),
        )
        if pauses := _pauses(rows):
            _, [(latest,)] = execute(f"select {_LATEST}", ())
            start = min(max(now, latest), now + _LONGEST)
            for job_id, pause in pauses:
                execute("update jobs set due_at=? where id=?", (start + pause, job_id))
        return [(row[0], row[1]) for row in rows]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        await fetch(f"delete from workers where expires_at < {DB_NOW} - 60000000")
        rows = await fetch(
            "with dead as (select j.id from jobs j left join workers w on w.id=j.owner"
            f" where j.state='running' and {IS_ORPHAN}"
            " order by j.id limit $1 for update of j skip locked)"
            f" update jobs j set state='queued', owner=null, fence=j.fence+1, due_at=0, moved_at={DB_NOW}"
            " from dead where j.id=dead.id returning j.id, j.kind, j.attempt",
            many[0][0],
        )
        if pauses := _pauses(rows):
            await fetch(
                f"update jobs j set due_at=least(greatest({DB_NOW}, {_LATEST}), {DB_NOW} + {_LONGEST}) + v.pause"
                " from unnest($1::text[], $2::bigint[]) as v(id, pause) where j.id=v.id",
                *columns_of(pauses),
            )
        found = [(row[0], row[1]) for row in rows]
        return [found, *([] for _ in many[1:])]


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseJob(OneStatement):
    """Put a running job back: (id, fence, due_at, counts). A released job wants a ring; answers whether it was ours.

    `counts` False: the attempt is not held against it (a shutdown, not a fault).
    """

    name: str = "release_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, fence, due_at, counts = params
        count, _ = execute(
            "update jobs set state='queued', owner=null, fence=fence+1, due_at=?, attempt=attempt-?, moved_at=?"
            " where id=? and fence=? and state='running'",
            (due_at, 0 if counts else 1, micros(), job_id, fence),
        )
        return count == 1

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        answers: list[bool] = []
        for job_id, fence, due_at, counts in many:
            rows = await fetch(
                "update jobs set state='queued', owner=null, fence=fence+1, due_at=$3, attempt=attempt-$4,"
                f" moved_at={DB_NOW} where id=$1 and fence=$2 and state='running' returning 1",
                job_id,
                fence,
                due_at,
                0 if counts else 1,
            )
            answers.append(bool(rows))
        return answers


@dataclass(frozen=True, slots=True, eq=False)
class ForgiveJob:
    """Start counting attempts anew, since a step was finished: (id, fence). Land it behind `GUARD_JOB`."""

    name: str = "forgive_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        return execute("update jobs set attempt=1 where id=? and fence=?", params)[0]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        for params in many:
            await fetch("update jobs set attempt=1 where id=$1 and fence=$2", *params)
        return [1] * len(many)


CLAIM_JOBS = ClaimJobs()
HEARTBEAT = Heartbeat()
FAREWELL = delete_by(workers, ["id"])  # a worker that has let go of its jobs: (id,)
REQUEUE_ORPHANS = RequeueOrphans()
RELEASE_JOB = ReleaseJob()
FORGIVE_JOB = ForgiveJob()
