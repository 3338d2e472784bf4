"""W1: facts for jobs that may be asleep, at work, cancelled or over, many at once, on each database."""

import asyncio

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.inbox import TELL_JOB
from pilothouse.base.jobs.moves import micros
from tests.base.jobs.desk import Desk


async def tell(desk: Desk, job: Claimed, fact_id: str) -> str | None:
    params = (job.id, micros(), fact_id, "@child", "1")
    return (await desk.committer.land(WriteSet(((TELL_JOB, params),), locks=(job.top,))))[0]


async def facts_of(desk: Desk, job: Claimed) -> list[str]:
    rows = await desk.reader.rows("select id from inbox where job_id=?1 order by id", job.id)
    return [row[0] for row in rows]


async def asleep(desk: Desk, **options: int) -> Claimed:
    job = await desk.admit_running(**options)
    assert (await desk.suspend(job)).asleep
    return job


async def test_w1_sleepers_told_together_wake_in_the_places_there_are(desk: Desk):
    jobs = [await asleep(desk, cap=2) for _ in range(5)]

    rung = await asyncio.gather(*(tell(desk, job, f"fact-{nth}") for job in jobs for nth in range(2)))

    states = {job.id: (await desk.row(job.id))["state"] for job in jobs}
    assert sorted(states.values()) == ["held"] * 3 + ["queued"] * 2
    assert {job_id for job_id in rung if job_id} == {job_id for job_id, state in states.items() if state == "queued"}
    assert await desk.used() == {"run/u1": 2, "run/u1/a": 2}
    for job in jobs:
        assert await facts_of(desk, job) == ["fact-0", "fact-1"]


async def test_w1_a_job_at_work_is_told_and_not_rung_for(desk: Desk):
    job = await desk.admit_running()

    assert await tell(desk, job, "one") is None
    assert await tell(desk, job, "one") is None

    assert await facts_of(desk, job) == ["one"]
    await desk.guard(job)  # it is still in the same hands


async def test_w6_a_job_that_was_cancelled_or_is_over_is_told_nothing(desk: Desk):
    cancelled, over, other = [await desk.admit_running() for _ in range(3)]
    cancel = (cancelled.id, cancelled.top, cancelled.lane, micros(), "w2")
    await desk.committer.land(WriteSet(((CANCEL_JOB, cancel),), locks=(cancelled.top,)))
    await desk.end(over)

    assert await asyncio.gather(*(tell(desk, job, "one") for job in (cancelled, over, other))) == [None] * 3

    assert await desk.reader.rows("select job_id from inbox") == [(other.id,)]


async def test_w1_telling_and_a_suspension_that_race_lose_nothing(desk: Desk):
    for turn in range(20):
        job = await desk.admit_running()
        slept, rung = await asyncio.gather(desk.suspend(job), tell(desk, job, f"f{turn}"))
        state = (await desk.row(job.id))["state"]
        assert (slept.asleep, rung, state) in {(True, job.id, "queued"), (False, None, "running")}
        await desk.end((await desk.claim(job.id))[0] if state == "queued" else job)
