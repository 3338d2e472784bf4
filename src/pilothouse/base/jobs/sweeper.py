"""The sweeper, in every process: gives the jobs of dead workers back, and wakes those whose timer is due."""

import asyncio

import structlog

from pilothouse.base import failpoints
from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.jobs import stopped
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.claims import LEASE_ENDS, REQUEUE_ORPHANS
from pilothouse.base.jobs.moves import DB_NOW, WAKE_JOB, micros
from pilothouse.base.jobs.watches import missed_watchers, tell_watchers
from pilothouse.base.loops import end_tasks, keep_going
from pilothouse.base.reader import Reader
from pilothouse.base.statements import Rows
from pilothouse.base.telemetry import JOBS_FORGOTTEN, JOBS_REQUEUED

log = structlog.get_logger()

FORGOTTEN_MICROS = 60_000_000
FORGOTTEN_PASSES = 60  # it is not expected, so it is looked for less often
SWEEP_SECONDS = 0.25  # a lease of 4 s and this, and a dead worker's jobs go on within 5
BATCH = 500
_JUST_AFTER = 2_000  # microseconds


class Sweeper:
    """Looks first with a read, so that an idle installation writes nothing."""

    def __init__(self, committer: Committer, reader: Reader, bell: Bell, *, shared: bool) -> None:
        """`shared`: other processes may own jobs. If not, the data directory's lock proves that none does."""
        self._committer, self._reader, self._bell = committer, reader, bell
        self._shared = shared
        self._passes = 0
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        if not self._shared:
            await self.requeue_orphans()  # what the last process left running
        loops = [keep_going("sweeper", self.sweep, every=SWEEP_SECONDS)]
        if self._shared:  # beside the sweep, which may itself wait for a lock of theirs
            loops.append(keep_going("sweeper.stopped", self._end_stopped, every=stopped.LOOK_SECONDS))
        self._tasks = [asyncio.create_task(loop) for loop in loops]

    async def close(self) -> None:
        await end_tasks(*self._tasks)

    async def _end_stopped(self) -> None:
        await stopped.end_stopped_sessions(self._reader)

    async def sweep(self) -> None:
        """One pass."""
        await self.wake_due()
        await self.tell_watchers()
        if self._shared:
            await self._await_orphans()
        self._passes += 1
        if self._passes % FORGOTTEN_PASSES == 0:
            await self.wake_forgotten()

    async def _await_orphans(self) -> None:
        """Leases of living workers have seconds left. One that ends before the next pass is taken at that moment."""
        [(left,)] = await self._reader.rows(
            f"select min({LEASE_ENDS}) - {DB_NOW} from jobs j left join workers w on w.id=j.owner"
            " where j.state='running'"
        )
        if left is not None and left < SWEEP_SECONDS * 1_000_000:
            await asyncio.sleep(max(0.0, (left + _JUST_AFTER) / 1_000_000))
            await self.requeue_orphans()

    async def requeue_orphans(self) -> None:
        while True:
            answers = await self._committer.land(WriteSet(((REQUEUE_ORPHANS, (BATCH,)),)))
            orphans: list[tuple[str, str]] = answers[0] if answers else []
            if not orphans:
                return
            JOBS_REQUEUED.inc(len(orphans))
            log.info("sweeper.requeued", jobs=len(orphans))
            failpoints.hit("requeued_not_rung")
            for job_id, kind in orphans:
                self._bell.ring(kind, [job_id])

    async def wake_due(self) -> None:
        """Queue the waiting jobs whose timer is due."""
        now = micros()
        rows = await self._reader.rows(
            "select id, kind, top_lane, lane from jobs where state='waiting' and due_at <= ?1 limit ?2", now, BATCH
        )
        if rows:
            failpoints.hit("timer_due")
            await self._wake(rows, now, only_if_due=True)

    async def tell_watchers(self) -> None:
        """Wake the jobs that wait for one that is over, where whoever ended it could not."""
        if missed := await missed_watchers(self._reader, BATCH):
            await tell_watchers(self._committer, self._bell, missed)

    async def wake_forgotten(self) -> None:
        """Queue the jobs that wait although their inbox holds something, for longer than any wake takes."""
        now = micros()
        rows = await self._reader.rows(
            "select distinct j.id, j.kind, j.top_lane, j.lane from inbox i join jobs j on j.id=i.job_id"
            " where j.state='waiting' and j.moved_at <= ?1 limit ?2",
            now - FORGOTTEN_MICROS,
            BATCH,
        )
        if rows:
            JOBS_FORGOTTEN.inc(len(rows))
            log.error("sweeper.forgotten", jobs=len(rows))
            await self._wake(rows, now, only_if_due=False)

    async def _wake(self, rows: Rows, now: int, *, only_if_due: bool) -> None:
        wakes = [
            self._committer.submit(WriteSet(((WAKE_JOB, (job_id, top, lane, now, only_if_due)),), locks=(top,)))
            for job_id, _, top, lane in rows
        ]
        for (job_id, kind, *_), answers in zip(rows, await asyncio.gather(*wakes), strict=True):
            if answers and answers[0]:
                self._bell.ring(kind, [job_id])
