"""What becomes of ended runs: first their logs go, and a summary of each step stays; then they go altogether."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NamedTuple

import structlog

from pilothouse.base.committer import Committer, Refused, WriteSet
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql
from pilothouse.features.agents import Plans
from pilothouse.features.reviews import FORGET_REVIEWS
from pilothouse.features.runs.events import read_steps
from pilothouse.features.runs.steps import shortened
from pilothouse.features.runs.writes import delete_log
from pilothouse.kit.json import Json, dumps

log = structlog.get_logger()

PAGE: Final = 200
STEPS_AT_ONCE: Final = 5_000  # in memory, with all that went in and came out
_KEEP_SUMMARY: Final = Sql(
    name="keep_summary",
    sqlite="update runs set steps=?2 where id=?1 and status is not null and steps is null and pinned_at is null",
    postgres="update runs t set steps=v.steps from unnest($1::text[], $2::text[]) with ordinality as v(id, steps, nth)"
    " where t.id=v.id and t.status is not null and t.steps is null and t.pinned_at is null returning v.nth",
)
# A child's log is its parent's to read until that has ended too.
_OLD: Final = (
    "select r.id, r.agent_id, r.version, r.ended_at, r.steps is not null, r.pinned_at is not null,"
    " r.parent_id is not null and p.id is not null and p.status is null"
    " from runs r left join runs p on p.id=r.parent_id where r.id > ?1 and r.id < ?2 order by r.id limit ?3"
)


class OldRun(NamedTuple):
    """A run that began long ago."""

    id: str
    agent_id: str
    version: int
    ended_at: int | None
    is_short: bool  # its log is gone already
    is_pinned: bool
    is_awaited: bool


@dataclass(frozen=True, slots=True)
class Retention:
    """Goes through what is old, a page at a time. Ids sort by the moment of their making, so no index is needed."""

    committer: Committer
    reader: Reader
    plans: Plans
    log_days: int  # 0: for ever
    run_days: int

    async def forget_old_runs(self, now: int | None = None) -> None:
        """Safe to do twice, and by two at once."""
        now = now or micros()
        spans = [days for days in (self.log_days, self.run_days) if days]
        if not spans:
            return
        before, after = _id_of(now - _micros(min(spans))), ""
        while rows := await self.reader.rows(_OLD, after, before, PAGE):
            for row in rows:
                await self._look_at(OldRun(*row), now)
            after = rows[-1][0]
            await asyncio.sleep(0)

    async def _look_at(self, run: OldRun, now: int) -> None:
        if run.ended_at is None or run.is_pinned or run.is_awaited:
            return
        try:
            if self.run_days and run.ended_at < now - _micros(self.run_days):
                await self.committer.land(forget_run(run.id, for_age=True))
            elif self.log_days and not run.is_short and run.ended_at < now - _micros(self.log_days):
                await self._shorten(run)
        except Refused:  # pinned, deleted or done by another in this very moment
            log.info("retention.passed_by", run_id=run.id)

    async def _shorten(self, run: OldRun) -> None:
        plan = await self.plans.outline(run.agent_id, run.version)
        kept: list[Json] = []
        after: int | None = 0
        while after is not None:
            steps, after = await read_steps(self.reader, run.id, plan, after, STEPS_AT_ONCE)
            kept += map(shortened, steps)
        summary = dumps(kept)
        writes = ((_KEEP_SUMMARY, (run.id, summary)), *delete_log(run.id))
        await self.committer.land(WriteSet(writes, size=len(summary)))


_TREE: Final = (
    "select r.id from runs r where r.status is not null{which} and r.id in (with recursive tree(id) as"
    " (select o.id from runs o where o.id=?1 union all select c.id from runs c join tree t on c.parent_id=t.id)"
    " select id from tree) order by r.id for update"
)
_ALL: Final = _TREE.format(which="")
_UNPINNED: Final = _TREE.format(which=" and r.pinned_at is null")


def _forget(run_id: str, for_age: bool) -> Script:
    rows = yield _UNPINNED if for_age else _ALL, (run_id,)
    if not any(row[0] == run_id for row in rows):
        return REFUSED
    for (found,) in rows:
        yield "delete from runs where id=?1", (found,)
        yield "delete from segments where log_id=?1", (found,)
        yield "delete from log_values where log_id=?1", (found,)
        yield "delete from snapshots where log_id=?1", (found,)
        yield FORGET_REVIEWS, (found,)
    return len(rows)


_FORGET_RUN: Final = Scripted("forget_run", _forget)


def forget_run(run_id: str, *, for_age: bool = False) -> WriteSet:
    """An ended run with all that belongs to it. Refused when there is none. One below it that has not ended stays.

    `for_age`: nobody asked for it, so what is pinned stays too.
    """
    return WriteSet(((_FORGET_RUN, (run_id, for_age)),))


def _micros(days: int) -> int:
    return int(timedelta(days=days).total_seconds() * 1_000_000)


def _id_of(moment: int) -> str:
    """What every id made from this moment on sorts behind."""
    digits = f"{max(0, moment) // 1000:012x}"
    return f"{digits[:8]}-{digits[8:]}"
