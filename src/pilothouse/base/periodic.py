"""Work that is due every so often and must be done once, however many processes run.

Each period belongs to whoever takes the lease in its row by compare-and-set. If the holder dies, the lease ends
and another process takes over; if the work fails, it is tried again when the lease ends.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from pilothouse.base.committer import Committer, Refused, WriteSet
from pilothouse.base.jobs.moves import DB_NOW, micros
from pilothouse.base.loops import end_tasks, keep_going
from pilothouse.base.statements import REFUSED, Params, PostgresFetch, Sql, SqliteExecute
from pilothouse.kit.ids import new_id

log = structlog.get_logger()

LEASE = timedelta(seconds=60)
TICK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Periodic:
    """What to do, and how often. `run` must be safe to do twice: its process may die between doing and saying so."""

    name: str
    every: timedelta
    run: Callable[[], Awaitable[None]]
    lease: timedelta = LEASE  # while it runs the lease is prolonged; a dead holder's ends after this long


_TAKE = (
    "insert into leases (name, owner, expires_at, last_run_at) values ({name}, {owner}, {now} + {lease}, 0)"
    " on conflict (name) do update set owner=excluded.owner, expires_at=excluded.expires_at"
    " where leases.expires_at < {now} and leases.last_run_at + {every} <= {now} returning expires_at - {lease}"
)


@dataclass(frozen=True, slots=True, eq=False)
class TakePeriod:
    """Take the lease of a periodic job that is due: (name, owner, every, lease), both in microseconds.

    By the database's clock. Answers when it was taken, or None when it is not the caller's to run now.
    """

    name: str = "take_period"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        sql = _TAKE.format(name="?1", owner="?2", every="?3", lease="?4", now="?5")
        _, rows = execute(sql, (*params, micros()))
        return rows[0][0] if rows else None

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        sql = _TAKE.format(name="$1", owner="$2", every="$3::bigint", lease="$4::bigint", now=DB_NOW)
        return [rows[0][0] if (rows := await fetch(sql, *params)) else None for params in many]


@dataclass(frozen=True, slots=True, eq=False)
class KeepPeriod:
    """Prolong the lease while the work goes on: (name, owner, lease). Refused when somebody else has it."""

    name: str = "keep_period"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        name, owner, lease = params
        sql = "update leases set expires_at=? where name=? and owner=?"
        return 1 if execute(sql, (micros() + lease, name, owner))[0] else REFUSED

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        sql = f"update leases set expires_at={DB_NOW} + $3::bigint where name=$1 and owner=$2 returning 1"
        return [1 if await fetch(sql, *params) else REFUSED for params in many]


TAKE_PERIOD = TakePeriod()
KEEP_PERIOD = KeepPeriod()
END_PERIOD = Sql(  # the work is done: (name, owner, when it was taken); the next is due one period after that
    name="end_period",
    sqlite="update leases set expires_at=0, last_run_at=?3 where name=?1 and owner=?2",
    postgres="update leases l set expires_at=0, last_run_at=v.taken_at"
    " from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality"
    " as v(name, owner, taken_at, nth) where l.name=v.name and l.owner=v.owner returning v.nth",
)


class PeriodicRunner:
    """One per process; any number of processes may run the same list."""

    def __init__(self, committer: Committer, jobs: Sequence[Periodic], *, tick_seconds: float = TICK_SECONDS) -> None:
        self.id = new_id()
        self._committer = committer
        self._jobs = jobs
        self._tick = tick_seconds
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        for job in self._jobs:
            loop = keep_going(f"periodic.{job.name}", partial(self._try, job), every=self._tick)
            self._tasks.append(asyncio.create_task(loop, name=f"periodic {job.name}"))

    async def close(self) -> None:
        await end_tasks(*self._tasks)

    async def run_if_due(self, job: Periodic) -> bool:
        """One try: answers whether this process did the work."""
        every, lease = _micros(job.every), _micros(job.lease)
        answers = await self._committer.land(WriteSet(((TAKE_PERIOD, (job.name, self.id, every, lease)),)))
        if not answers or answers[0] is None:
            return False
        prolonging = asyncio.create_task(
            keep_going(f"periodic.{job.name}", partial(self._prolong, job), every=job.lease.total_seconds() / 3)
        )
        try:
            await job.run()
        finally:
            await end_tasks(prolonging)
        await self._committer.land(WriteSet(((END_PERIOD, (job.name, self.id, answers[0])),)))
        return True

    async def _try(self, job: Periodic) -> None:
        try:
            await self.run_if_due(job)
        except Refused:  # it took so long without a word that somebody else took over
            log.warning("periodic.overtaken", job=job.name)

    async def _prolong(self, job: Periodic) -> None:
        await self._committer.land(WriteSet(((KEEP_PERIOD, (job.name, self.id, _micros(job.lease))),)))


def _micros(span: timedelta) -> int:
    return int(span.total_seconds() * 1_000_000)
