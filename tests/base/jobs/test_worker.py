"""A worker's promises: each job once at a time, none stranded, whatever the bell, the database or the clock do."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest

from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.jobs.bells import LocalBell
from pilothouse.base.jobs.claims import CLAIM_JOBS, Claimed
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.sweeper import Sweeper
from pilothouse.base.jobs.worker import MAX_ATTEMPTS, Foresee, Handler, Hold, Worker
from pilothouse.base.statements import Sql
from tests.base.jobs.desk import KIND, Desk
from tests.base.jobs.test_moves import MARK_CANCEL
from tests.base.ports import committing, reading
from tests.base.waiting import until
from tests.conftest import MakePostgres
from tests.databases import prepare


@asynccontextmanager
async def working(
    desk: Desk,
    handler: Handler,
    *,
    slots: int = 4,
    lease: float | None = None,
    bell: LocalBell | None = None,
    foresee: Mapping[str, Foresee] | None = None,
) -> AsyncGenerator[Worker]:
    worker = Worker(
        *(desk.committer, desk.reader, bell or LocalBell(), {KIND: handler}),
        slots=slots,
        lease_seconds=lease,
        version="test",
        foresee=foresee,
    )
    await worker.start()
    try:
        yield worker
    finally:
        await worker.stop(0.2)


@pytest.fixture
def bell() -> LocalBell:
    return LocalBell()


async def test_a_rung_job_runs_once_and_is_gone(desk: Desk, lease: float | None, bell: LocalBell):
    seen: list[str] = []

    async def handle(hold: Hold) -> None:
        seen.append(hold.job.id)
        await desk.end(hold.job)

    async with working(desk, handle, lease=lease, bell=bell):
        ids = [(await desk.admit())[0] for _ in range(4)]
        bell.ring(KIND, ids)
        bell.ring(KIND, ids)
        await until(desk.is_clear)
    assert sorted(seen) == sorted(ids)


async def test_a_kind_is_told_of_its_jobs_before_they_are_claimed(desk: Desk, lease: float | None, bell: LocalBell):
    told: list[str] = []

    async def handle(hold: Hold) -> None:
        told.append("claimed")
        await desk.end(hold.job)

    foresee = {KIND: told.extend, "another kind": told.extend}
    async with working(desk, handle, lease=lease, bell=bell, foresee=foresee):
        job_id, _ = await desk.admit()
        bell.ring(KIND, [job_id])
        await until(desk.is_clear)
    assert told == [job_id, "claimed"]


async def test_jobs_that_nobody_rang_for_are_found(desk: Desk, lease: float | None):
    started = time.monotonic()

    async with working(desk, lambda hold: _end(desk, hold), lease=lease):
        await desk.admit()
        await until(desk.is_clear)
    assert time.monotonic() - started < 4


async def _end(desk: Desk, hold: Hold) -> None:
    await desk.end(hold.job)


@dataclass(slots=True)
class Stumbling:
    """A committer that fails at the first claim, through a fault of ours."""

    committer: Committer
    stumbled: bool = False

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[object]]":
        return self.committer.submit(writes)

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[object]:
        if writes.writes[0][0] is CLAIM_JOBS and not self.stumbled:
            self.stumbled = True
            raise RuntimeError("a fault of ours")
        return await self.committer.land(writes, urgent=urgent)

    async def close(self) -> None: ...


async def test_what_was_rung_for_is_claimed_though_the_first_claim_failed(desk: Desk, lease: float | None):
    bell, committer = LocalBell(), Stumbling(desk.committer)
    async with working(replace(desk, committer=committer), lambda hold: _end(desk, hold), lease=lease, bell=bell):
        job_id, _ = await desk.admit()
        bell.ring(KIND, [job_id])
        await until(desk.is_clear)
    assert committer.stumbled


async def test_two_workers_share_the_jobs_and_double_none(desk: Desk, lease: float | None):
    seen: list[str] = []

    async def handle(hold: Hold) -> None:
        seen.append(hold.job.id)
        await asyncio.sleep(0.01)
        await desk.end(hold.job)

    bells = [LocalBell(), LocalBell()]
    async with working(desk, handle, lease=lease, bell=bells[0]), working(desk, handle, lease=lease, bell=bells[1]):
        ids = [(await desk.admit(cap=60, top_cap=60))[0] for _ in range(60)]
        for bell in bells:
            bell.ring(KIND, ids)
        await until(desk.is_clear)
    assert sorted(seen) == sorted(ids)


async def test_a_job_that_keeps_failing_is_handed_over_as_poison(desk: Desk, lease: float | None, bell: LocalBell):
    attempts: list[int] = []
    job_id, _ = await desk.admit()

    async def handle(hold: Hold) -> None:
        attempts.append(hold.job.attempt)
        if hold.is_poison:
            await desk.end(hold.job)
        else:
            raise RuntimeError("again")

    async with working(desk, handle, lease=lease, bell=bell):
        for count in range(1, MAX_ATTEMPTS + 2):
            bell.ring(KIND, [job_id])
            await until(lambda count=count: len(attempts) == count)
            await _make_due(desk, job_id)
        await until(desk.is_clear)
    assert attempts == list(range(1, MAX_ATTEMPTS + 2))


async def _make_due(desk: Desk, job_id: str) -> None:
    """Do not wait for the backoff: once the fault was written, take the job and release it as due."""

    async def is_written() -> bool:
        return (await desk.row(job_id)).get("state") in (None, "queued")

    await until(is_written, 5)
    if row := await desk.row(job_id):
        assert row["due_at"] > micros() - 1_000_000
        await desk.committer.land(WriteSet(((_DUE, (job_id,)),)))


_DUE = Sql(
    name="make_due",
    sqlite="update jobs set due_at=0 where id=? and state='queued'",
    postgres="update jobs set due_at=0 where id = any($1::text[]) and state='queued'",
    touches=None,
)


async def test_a_cancel_mark_is_seen_without_a_ring(desk: Desk, lease: float | None):
    async def handle(hold: Hold) -> None:
        await hold.cancelled.wait()
        await desk.end(hold.job)

    async with working(desk, handle, lease=lease) as worker:
        job_id, _ = await desk.admit()
        await until(lambda: worker.busy == 1)
        await desk.committer.land(WriteSet(((MARK_CANCEL, (job_id,)),)))
        await until(desk.is_clear, 3)


async def test_a_stopped_worker_releases_what_it_could_not_finish(desk: Desk, lease: float | None, bell: LocalBell):
    async def handle(hold: Hold) -> None:
        await asyncio.Event().wait()

    async with working(desk, handle, lease=lease, bell=bell) as worker:
        ids = [(await desk.admit())[0] for _ in range(2)]
        bell.ring(KIND, ids)
        await until(lambda: worker.busy == 2)

    for job_id in ids:
        row = await desk.row(job_id)
        assert (row["state"], row["attempt"], row["owner"]) == ("queued", 0, None)
    assert await desk.reader.rows("select id from workers") == []


async def test_a_handler_that_leaves_at_shutdown_hands_its_job_on(desk: Desk, lease: float | None, bell: LocalBell):
    async def handle(hold: Hold) -> None:
        await hold.stopping.wait()

    async with working(desk, handle, lease=lease, bell=bell) as worker:
        job_id, _ = await desk.admit()
        bell.ring(KIND, [job_id])
        await until(lambda: worker.busy == 1)

    assert (await desk.row(job_id))["state"] == "queued"


async def test_a_job_that_comes_back_before_its_first_handler_left_is_kept(desk: Desk, lease: float | None):
    """The handler lets it sleep, a fact wakes it, the same worker claims it, and only then the first call ends."""
    calls: list[Hold] = []
    second_may_end = asyncio.Event()

    async def handle(hold: Hold) -> None:
        calls.append(hold)
        if len(calls) == 1:
            await desk.suspend(hold.job)
            await desk.send(hold.job, "fact")
            bell.ring(KIND, [hold.job.id])
            await until(lambda: len(calls) == 2)
            return
        await second_may_end.wait()
        await desk.end(hold.job)

    bell = LocalBell()
    async with working(desk, handle, lease=lease, bell=bell) as worker:
        bell.ring(KIND, [(await desk.admit())[0]])
        await until(lambda: len(calls) == 2)
        await until(lambda: worker.busy == 1)
        await asyncio.sleep(0.2)
        assert worker.busy == 1
        second_may_end.set()
        await until(desk.is_clear)


async def test_reserved_slots_take_jobs_born_claimed(desk: Desk, lease: float | None):
    seen: list[str] = []

    async def handle(hold: Hold) -> None:
        seen.append(hold.job.id)
        await desk.end(hold.job)

    async with working(desk, handle, lease=lease, slots=1) as worker:
        assert worker.reserve()
        assert not worker.reserve()
        job = await _admit_claimed(desk, worker)
        worker.begin(job)
        await until(lambda: worker.busy == 0)  # a moment after the job is gone
        assert worker.reserve()
        worker.begin(None)
    assert seen == [job.id]


async def _admit_claimed(desk: Desk, worker: Worker) -> Claimed:
    job_id, _ = await desk.admit(owner=worker.id)
    row = await desk.reader.rows(
        "select id, kind, user_id, top_lane, lane, fence, attempt, cancel_at, reply_to from jobs where id=?1", job_id
    )
    return Claimed(*row[0])


async def test_timers_wake_sleepers(desk: Desk, lease: float | None, bell: LocalBell):
    calls: list[int] = []

    async def handle(hold: Hold) -> None:
        calls.append(hold.job.fence)
        if len(calls) == 1:
            await desk.suspend(hold.job, wake_at=micros() + 200_000)
        else:
            await desk.end(hold.job)

    sweeper = Sweeper(desk.committer, desk.reader, bell, shared=lease is not None)
    async with working(desk, handle, lease=lease, bell=bell):
        await sweeper.start()
        bell.ring(KIND, [(await desk.admit())[0]])
        await until(desk.is_clear)
        await sweeper.close()
    assert len(calls) == 2


async def test_what_a_dead_process_left_running_goes_on_at_the_next_start(desk: Desk, lease: float | None):
    job = await desk.admit_running()
    bell = LocalBell()

    async with working(desk, lambda hold: _end(desk, hold), lease=lease, bell=bell):
        sweeper = Sweeper(desk.committer, desk.reader, bell, shared=lease is not None)
        await sweeper.start()
        await until(desk.is_clear, 3)
        await sweeper.close()
    assert await desk.row(job.id) == {}


@pytest.mark.scaled
async def test_a_worker_that_slept_past_its_lease_never_acts_for_its_old_jobs(postgres_url: str):
    """The whole process stands still, as under SIGSTOP, so that nobody could tell its handlers."""
    holds: list[Hold] = []

    async def handle(hold: Hold) -> None:
        holds.append(hold)
        if len(holds) == 1:
            await asyncio.Event().wait()
        await desk.end(hold.job)

    async with committing(postgres_url) as committer, reading(postgres_url) as reader:
        desk, bell = Desk(committer, reader), LocalBell()
        async with working(desk, handle, lease=1.0, bell=bell) as worker:
            sweeper = Sweeper(committer, reader, bell, shared=True)
            await sweeper.start()
            first_id = worker.id
            await desk.admit()
            await until(lambda: len(holds) == 1)
            assert holds[0].lease.may_act()

            time.sleep(1.3)  # noqa: ASYNC251
            assert not holds[0].lease.may_act()
            await until(desk.is_clear)

            assert worker.id != first_id
            assert worker.lease.may_act()
            assert holds[0].lease.is_lost()
            assert not holds[0].lease.may_act()
            assert holds[1].job.fence > holds[0].job.fence
            await sweeper.close()


@pytest.mark.scaled
async def test_jobs_survive_a_database_that_goes_away(private_postgres: MakePostgres):
    server = private_postgres()
    await prepare(server.url)
    seen: list[str] = []

    async def handle(hold: Hold) -> None:
        seen.append(hold.job.id)
        await asyncio.sleep(0.3)
        await desk.end(hold.job)

    async with committing(server.url) as committer, reading(server.url) as reader:
        desk, bell = Desk(committer, reader), LocalBell()
        sweeper = Sweeper(committer, reader, bell, shared=True)
        async with working(desk, handle, lease=2.0, bell=bell, slots=8):
            await sweeper.start()
            ids = [(await desk.admit(cap=40, top_cap=40))[0] for _ in range(24)]
            bell.ring(KIND, ids)
            await until(lambda: len(seen) >= 4)

            await asyncio.to_thread(server.kill)
            await asyncio.sleep(1.0)
            await asyncio.to_thread(server.start)

            await until(desk.is_clear, 30)
            await sweeper.close()
    assert set(seen) == set(ids)
