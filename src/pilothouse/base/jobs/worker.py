"""A worker: it takes ids from the bell or from the table, claims them, and runs their handlers in its slots."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import structlog

from pilothouse.base import failpoints, telemetry
from pilothouse.base.committer import Committer, Refused, WriteSet
from pilothouse.base.jobs import unheld
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.claims import CLAIM_JOBS, FAREWELL, HEARTBEAT, NOTICED, RELEASE_JOB, Claimed
from pilothouse.base.jobs.lease import Lease, LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.offers import Offers
from pilothouse.base.jobs.unheld import Name, Unheld
from pilothouse.base.loops import end_tasks, keep_going
from pilothouse.base.reader import Reader, marks
from pilothouse.base.statements import Rows
from pilothouse.kit.errors import Unavailable
from pilothouse.kit.ids import new_id

log = structlog.get_logger()

MAX_ATTEMPTS = 5
MAX_CLAIMED_AT_ONCE = 128
PULL_SECONDS = 0.5
RING_MICROS = 400_000  # younger jobs have most likely just been rung for
MAX_BACKOFF_SECONDS = 60.0


@dataclass(slots=True, eq=False)
class Hold:
    """A claimed job and what its handler must watch."""

    job: Claimed
    lease: Lease
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)  # somebody asked to cancel
    stopping: asyncio.Event = field(default_factory=asyncio.Event)  # the process shuts down: hand the job on
    told: asyncio.Event = field(default_factory=asyncio.Event)  # its inbox is not empty

    @property
    def is_poison(self) -> bool:
        """Whether it was tried too often: its handler must end it as failed instead of running it."""
        return self.job.attempt > MAX_ATTEMPTS


# Runs a job until it is settled or suspended. If it raises or returns without either, the job is released.
Handler: TypeAlias = Callable[[Hold], Awaitable[None]]
# Is told which jobs of its kind are about to be claimed, and may begin to read; most of them come to its handler.
Foresee: TypeAlias = Callable[[Sequence[str]], None]


class Worker:
    """Slots for jobs. `lease_seconds` None means that this process alone serves its database (embedded)."""

    def __init__(
        self,
        committer: Committer,
        reader: Reader,
        bell: Bell,
        handlers: Mapping[str, Handler],
        *,
        slots: int,
        lease_seconds: float | None,
        version: str,
        foresee: Mapping[str, Foresee] | None = None,
    ) -> None:
        self.id = new_id()  # a new one whenever the lease was lost
        self.lease = Lease(lease_seconds)
        self._committer, self._reader, self._bell = committer, reader, bell
        self._handlers = handlers
        self._foresee = foresee or {}
        self._slots = slots
        self._version = version
        self._asked = 0  # claims under way
        self._reserved = 0
        self._forfeited = 0  # reserved slots whose job belongs to a lease that was lost
        self._offers = Offers()
        self._wanted = asyncio.Event()
        self._claiming = asyncio.Lock()
        self._holds: dict[Name, tuple[Hold, asyncio.Task[None]]] = {}
        self._unheld = Unheld(reader)
        self._loops: list[asyncio.Task[None]] = []
        self._beating = False
        self._stopping = False

    @property
    def busy(self) -> int:
        return len(self._holds) + self._reserved + self._asked

    @property
    def _may_take(self) -> bool:
        """Whether a job taken now would be ours: not before the first heartbeat under this name has landed."""
        return not self._stopping and self.lease.may_act() and (self._beating or self.lease.seconds is None)

    async def start(self) -> None:
        await self._beat()
        await self._bell.listen(list(self._handlers), self._offer, self._cancel)
        pause = 1.0 if self.lease.seconds is None else min(1.0, self.lease.seconds / 4)
        for loop in (
            keep_going("worker.claim", self._claim_offers, every=0.0),
            keep_going("worker.heartbeat", self._keep_lease, every=pause),
            keep_going("worker.pull", self._pull, every=PULL_SECONDS),
            keep_going("worker.unheld", self._release_unheld, every=unheld.LOOK_SECONDS),
        ):
            self._loops.append(asyncio.create_task(loop))
        if self.lease.seconds is None:
            await self._pull(0)  # within one process nobody heard what was rung for before now

    # A job admitted in this very process, with a free slot, is inserted already claimed: one commit saved.

    def reserve(self) -> bool:
        """Keep a slot for a job that is about to be admitted; answers whether there was one."""
        if not self._may_take or self.busy >= self._slots or self._offers:
            return False
        self._reserved += 1
        return True

    def begin(self, job: Claimed | None) -> None:
        """Use (or with None give up) a reserved slot."""
        self._reserved -= 1
        if self._forfeited:
            self._forfeited -= 1  # the sweeper finds its job under the name that this worker had
        elif job is not None:
            self._start(job, self.lease)
        self._wanted.set()

    def _offer(self, kind: str, ids: Sequence[str], done: Callable[[], None]) -> None:
        self._offers.put(kind, ids, done)
        self._wanted.set()

    def _cancel(self, ids: Sequence[str]) -> None:
        wanted = set(ids)
        for (job_id, _), (hold, _) in self._holds.items():
            if job_id in wanted:
                hold.cancelled.set()

    async def _claim_offers(self) -> None:
        await self._wanted.wait()
        self._wanted.clear()
        while self._offers and self.busy < self._slots and not self._stopping:
            batch = self._offers.take(min(self._slots - self.busy, MAX_CLAIMED_AT_ONCE))
            failpoints.hit("rung_not_claimed")
            answered = False
            for kind, foresee in self._foresee.items():
                foresee([job_id for job_id, delivery in batch if delivery.kind == kind])
            try:
                await self._claim([job_id for job_id, _ in batch])
                answered = True
            except Unavailable:
                await asyncio.sleep(PULL_SECONDS)
            finally:
                if answered:
                    self._offers.acknowledge(batch)
                else:
                    self._offers.put_back(batch)
                    asyncio.get_running_loop().call_later(PULL_SECONDS, self._wanted.set)  # else nobody looks at them

    async def _claim(self, ids: Sequence[str]) -> None:
        async with self._claiming:
            owner, lease = self.id, self.lease
            if not self._may_take:
                raise Unavailable("this worker may not take work now")
            self._asked += len(ids)
            try:
                answers = await self._committer.land(WriteSet(((CLAIM_JOBS, (owner, tuple(ids))),)))
            finally:
                self._asked -= len(ids)
            failpoints.hit("claimed_nothing_flushed")
            for job in answers[0] if answers else ():
                self._start(job, lease)

    def _start(self, job: Claimed, lease: Lease) -> None:
        hold = Hold(job, lease)
        if job.cancel_at is not None:
            hold.cancelled.set()
        if self._stopping:
            hold.stopping.set()
        telemetry.JOBS_CLAIMED.inc()
        telemetry.JOBS_RUNNING.inc()
        task = asyncio.create_task(self._work(hold))
        self._holds[job.id, job.fence] = (hold, task)
        task.add_done_callback(lambda _: self._let_go(job))  # also when it is cancelled before it began

    def _let_go(self, job: Claimed) -> None:
        telemetry.JOBS_RUNNING.dec()
        self._holds.pop((job.id, job.fence), None)
        self._wanted.set()

    async def _work(self, hold: Hold) -> None:
        job = hold.job
        try:
            await self._handlers[job.kind](hold)
            if hold.stopping.is_set():
                await self._release_quietly(job, counts=False)  # touches nothing when it was settled or sleeps
        except (LeaseLost, Refused):
            log.warning("job.lost", job_id=job.id, fence=job.fence)
        except Exception as error:  # the worker's door: whatever went wrong, the job goes on elsewhere
            telemetry.JOBS_FAULTED.inc()
            log.warning("job.fault", job_id=job.id, attempt=job.attempt, error=type(error).__name__, exc_info=True)
            await self._release_quietly(job, after_seconds=backoff_seconds(job.attempt))

    async def _release_quietly(self, job: Claimed, *, after_seconds: float = 0.0, counts: bool = True) -> None:
        try:
            await self.release(job, after_seconds=after_seconds, counts=counts)
        except Unavailable:  # it is ours in the table but not in our hands: released when the database is back
            log.warning("job.not_released", job_id=job.id)

    async def release(self, job: Claimed, *, after_seconds: float = 0.0, counts: bool = True) -> None:
        """Hand a job on: another worker, or this one later, goes on with it."""
        await self._hand_on(job.id, job.fence, job.kind, after_seconds=after_seconds, counts=counts)

    async def _hand_on(self, job_id: str, fence: int, kind: str, *, after_seconds: float, counts: bool) -> None:
        due_at = micros() + int(after_seconds * 1_000_000) if after_seconds else 0
        answers = await self._committer.land(WriteSet(((RELEASE_JOB, (job_id, fence, due_at, counts)),)))
        if answers and answers[0] and not after_seconds:
            self._bell.ring(kind, [job_id])

    async def _release_unheld(self) -> None:
        """Where this process alone serves the database, every running job must be in its hands."""
        for job in await self._unheld.overdue(None if self.lease.seconds is None else self.id, self._holds):
            log.warning("job.unheld", job_id=job.id, fence=job.fence)
            await self._hand_on(job.id, job.fence, job.kind, after_seconds=0.0, counts=True)

    async def _keep_lease(self) -> None:
        # A process that slept past its lease must find out before its next heartbeat lands.
        if self.lease.is_lost():
            self._lose_lease()
        try:
            async with asyncio.timeout(self.lease.seconds):
                await self._beat()
        except TimeoutError:
            log.warning("worker.no_heartbeat")

    async def _beat(self) -> None:
        if self.lease.seconds is None:
            self._notice(await self._reader.rows(NOTICED))
            return
        sent_at, lease = time.monotonic(), self.lease
        params = (self.id, "worker", self._version, int(self.lease.seconds * 1_000_000))
        answers = await self._committer.land(WriteSet(((HEARTBEAT, params),)), urgent=True)
        lease.renew(sent_at)
        self._beating = True
        self._notice(answers[0] if answers else [])

    def _notice(self, rows: Rows) -> None:
        """Jobs of ours that somebody asked to cancel, or sent something to."""
        self._cancel([row[0] for row in rows if row[1]])
        told = {row[0] for row in rows if row[2]}
        for (job_id, _), (hold, _) in self._holds.items():
            if job_id in told:
                hold.told.set()

    def _lose_lease(self) -> None:
        """Others may own our jobs by now: let go of them all, and go on under a new name.

        Under the old name nobody beats any more, so the sweeper hands on whatever has not been taken yet.
        """
        if not self._beating:
            return  # nothing was claimed under this name
        self._beating = False
        telemetry.LEASES_LOST.inc()
        log.warning("worker.lease_lost", jobs=len(self._holds))
        if self._holds:
            failpoints.hit("lease_lost")
        self.lease.lose()
        for _, task in self._holds.values():
            task.cancel()
        self._forfeited = self._reserved
        self.id, self.lease = new_id(), Lease(self.lease.seconds)

    async def _pull(self, younger_micros: int = RING_MICROS) -> None:
        """With free slots, look for due work that nobody rang for: repairs lost rings without publishing again."""
        free = self._slots - self.busy
        if not self._may_take or free < 1 or self._offers:
            return
        kinds, now = list(self._handlers), micros()
        rows = await self._reader.rows(
            f"select id from jobs where state='queued' and due_at <= ?1 and moved_at <= ?2"
            f" and kind in ({marks(len(kinds), 4)}) order by due_at, id limit ?3",
            now,
            now - younger_micros,
            min(free, MAX_CLAIMED_AT_ONCE),
            *kinds,
        )
        if ids := [row[0] for row in rows][: max(0, self._slots - self.busy)]:
            await self._claim(ids)

    async def stop(self, grace_seconds: float) -> None:
        """Stop claiming, let steps finish for the grace period, release the rest."""
        self._stopping = True
        until = time.monotonic() + grace_seconds
        await self._bell.stop_listening()
        for hold, _ in self._holds.values():
            hold.stopping.set()
        await self._wait_for_claims(grace_seconds)
        if tasks := [task for _, task in self._holds.values()]:
            await asyncio.wait(tasks, timeout=max(0.0, until - time.monotonic()))
        left = list(self._holds.values())
        await end_tasks(*(task for _, task in left))
        await end_tasks(*self._loops)
        await asyncio.gather(*(self._release_quietly(hold.job, counts=False) for hold, _ in left))
        if self.lease.seconds is not None:
            await asyncio.gather(self._committer.land(WriteSet(((FAREWELL, (self.id,)),))), return_exceptions=True)

    async def _wait_for_claims(self, seconds: float) -> None:
        """A claim under way may still bring jobs, which then must be released."""
        try:
            async with asyncio.timeout(max(1.0, seconds)), self._claiming:
                pass
        except TimeoutError:
            log.warning("worker.claim_unanswered")


def backoff_seconds(attempt: int) -> float:
    """How long a job waits after its n-th infrastructure fault."""
    return min(MAX_BACKOFF_SECONDS, 0.5 * 2 ** max(0, attempt - 1))
