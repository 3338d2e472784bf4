"""Cancelling: a mark on the row first, so that no crash forgets it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pilothouse.base.jobs import lanes
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.moves import DB_NOW
from pilothouse.base.statements import REFUSED, Params, PostgresFetch, SqliteExecute

_TAKE = (
    "update jobs set cancel_at={now}, state='running', owner={owner}, fence=fence+1, moved_at={now} where id={id}"
    " returning id, kind, user_id, top_lane, lane, fence, attempt, cancel_at, reply_to"
)
_TAKE_SQLITE = _TAKE.format(id="?1", now="?2", owner="?3")
_TAKE_POSTGRES = _TAKE.format(id="$1", now=DB_NOW, owner="$2")
_MARK = "update jobs set cancel_at=coalesce(cancel_at, ?2) where id=?1"


@dataclass(frozen=True, slots=True, eq=False)
class CancelJob:
    """Mark a job as cancelled: (id, top, lane, now, owner). Refused when it has ended.

    A job that runs answers None: its worker sees the mark. One that nobody runs is handed to the caller as
    `Claimed`, who settles it at once; if the caller dies, the sweeper queues it after a moment and a worker does.
    """

    name: str = "cancel_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, top, lane, now, owner = params
        found, rows = execute("select state from jobs where id=?", (job_id,))
        if not found:
            return REFUSED
        state = rows[0][0]
        if state == "running":
            execute(_MARK, (job_id, now))
            return None
        if state != "queued":  # it holds no place; ending it will give one back
            book = lanes.read_sqlite(execute, [(top, lane)])
            book.force((top, lane))
            lanes.save_sqlite(execute, book)
        return Claimed(*execute(_TAKE_SQLITE, (job_id, now, owner))[1][0])

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [await self._one(fetch, *params) for params in many]

    async def _one(self, fetch: PostgresFetch, job_id: str, top: str, lane: str | None, now: int, owner: str) -> Any:
        rows = await fetch("select state from jobs where id=$1 for update", job_id)
        if not rows:
            return REFUSED
        state = rows[0][0]
        if state == "running":
            await fetch(_MARK.replace("?", "$"), job_id, now)
            return None
        if state != "queued":
            book = await lanes.read_postgres(fetch, [(top, lane)])
            book.force((top, lane))
            await lanes.save_postgres(fetch, book)
        return Claimed(*(await fetch(_TAKE_POSTGRES, job_id, owner))[0])


CANCEL_JOB = CancelJob()
