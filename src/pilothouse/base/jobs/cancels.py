"""Cancelling: a mark on the row first, so that no crash forgets it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pilothouse.base.jobs import lanes
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.moves import DB_NOW
from pilothouse.base.statements import REFUSED, Params, PostgresFetch, SqliteExecute

_TAKE = (
    "update jobs set cancel_at={now}, state='running', owner={owner}, fence=fence+1, moved_at={now} where id {which}"
    " returning id, kind, user_id, top_lane, lane, fence, attempt, cancel_at, reply_to"
)
_TAKE_SQLITE = _TAKE.format(which="=?1", now="?2", owner="?3")
_TAKE_POSTGRES = _TAKE.format(which="= any($1::text[])", now=DB_NOW, owner="$2")
_MARK_SQLITE = "update jobs set cancel_at=coalesce(cancel_at, ?2) where id=?1"
_MARK_POSTGRES = "update jobs set cancel_at=coalesce(cancel_at, $2) where id = any($1::text[])"

Found: TypeAlias = tuple[str, str, str | None, str]  # a job whose row is locked: id, top lane, lane, state


class CancelledJobs(NamedTuple):
    """What cancelling reached: jobs that nobody ran, now the caller's to settle, and those that others run."""

    taken: list[Claimed]
    going: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class CancelJobs:
    """Mark jobs as cancelled: (`Found` of each, now, owner). Answers `CancelledJobs`.

    A job that runs goes on until its worker sees the mark. One that nobody runs is handed to the caller as
    `Claimed`, who settles it at once; if the caller dies, the sweeper queues it after a moment and a worker does.
    """

    name: str = "cancel_jobs"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> CancelledJobs:
        found, now, owner = params
        answer = CancelledJobs([], [])
        for job_id, top, lane, state in found:
            if state == "running":
                execute(_MARK_SQLITE, (job_id, now))
                answer.going.append(job_id)
                continue
            if state != "queued":  # it holds no place; ending it will give one back
                book = lanes.read_sqlite(execute, [(top, lane)])
                book.force((top, lane))
                lanes.save_sqlite(execute, book)
            answer.taken.append(Claimed(*execute(_TAKE_SQLITE, (job_id, now, owner))[1][0]))
        return answer

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[CancelledJobs]:
        return [await self._all(fetch, *params) for params in many]

    async def _all(self, fetch: PostgresFetch, found: Sequence[Found], now: int, owner: str) -> CancelledJobs:
        answer = CancelledJobs([], [job[0] for job in found if job[3] == "running"])
        if answer.going:
            await fetch(_MARK_POSTGRES, answer.going, now)
        without_place = [(job[1], job[2]) for job in found if job[3] not in ("running", "queued")]
        if without_place:
            book = await lanes.read_postgres(fetch, without_place)
            for pair in without_place:
                book.force(pair)
            await lanes.save_postgres(fetch, book)
        if idle := [job[0] for job in found if job[3] != "running"]:
            answer.taken.extend(Claimed(*row) for row in await fetch(_TAKE_POSTGRES, idle, owner))
        return answer


CANCEL_JOBS = CancelJobs()


@dataclass(frozen=True, slots=True, eq=False)
class CancelJob:
    """Mark one job as cancelled: (id, top, lane, now, owner). Refused when it has ended.

    Answers the job when nobody ran it, as `CancelJobs` does, or None: its worker sees the mark.
    """

    name: str = "cancel_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, top, lane, now, owner = params
        found, rows = execute("select state from jobs where id=?", (job_id,))
        if not found:
            return REFUSED
        taken = CANCEL_JOBS.on_sqlite(execute, ([(job_id, top, lane, rows[0][0])], now, owner)).taken
        return taken[0] if taken else None

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [await self._one(fetch, *params) for params in many]

    async def _one(self, fetch: PostgresFetch, job_id: str, top: str, lane: str | None, now: int, owner: str) -> Any:
        rows = await fetch("select state from jobs where id=$1 for update", job_id)
        if not rows:
            return REFUSED
        ((taken, _),) = await CANCEL_JOBS.on_postgres(fetch, [([(job_id, top, lane, rows[0][0])], now, owner)])
        return taken[0] if taken else None


CANCEL_JOB = CancelJob()
