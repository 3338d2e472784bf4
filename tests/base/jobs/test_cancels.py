"""A cancel is a mark on the row, on each database; a job that nobody runs is handed to whoever cancels it."""

import asyncio

import pytest

from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB, CANCEL_JOBS, CancelledJobs
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.moves import micros
from tests.base.jobs.desk import Desk


async def cancel(desk: Desk, job_id: str, *, agent: str = "a", owner: str = "me") -> Claimed | None:
    top = f"run/{desk.user}"
    params = (job_id, top, f"{top}/{agent}", micros(), owner)
    return (await desk.committer.land(WriteSet(((CANCEL_JOB, params),), locks=(top, f"{top}/{agent}"))))[0]


async def test_a_running_job_is_only_marked_and_its_worker_hears_of_it(desk: Desk):
    job = await desk.admit_running()
    await desk.beat()

    assert await cancel(desk, job.id) is None
    assert await cancel(desk, job.id) is None

    row = await desk.row(job.id)
    assert (row["state"], row["fence"], row["owner"]) == ("running", job.fence, "w1")
    assert row["cancel_at"] is not None
    assert await desk.beat() == [job.id]


async def test_a_queued_job_is_handed_over_under_a_new_fence_and_keeps_its_place(desk: Desk):
    job_id, _ = await desk.admit()

    taken = await cancel(desk, job_id)

    assert taken is not None
    assert (taken.id, taken.fence, taken.cancel_at is not None) == (job_id, 1, True)
    assert await desk.claim(job_id) == []
    assert await desk.used() == {"run/u1": 1, "run/u1/a": 1}
    await desk.end(taken)
    assert await desk.used() == {"run/u1": 0, "run/u1/a": 0}


async def test_a_held_job_gives_back_no_more_than_it_took(desk: Desk):
    await desk.admit_running(cap=1)
    held, state = await desk.admit(cap=1)
    assert state == "held"

    taken = await cancel(desk, held)

    assert taken is not None
    assert await desk.end(taken) == []
    assert await desk.used() == {"run/u1": 1, "run/u1/a": 1}


async def test_a_sleeping_job_is_handed_over_too(desk: Desk):
    job = await desk.admit_running()
    assert (await desk.suspend(job)).asleep

    taken = await cancel(desk, job.id)

    assert taken is not None
    assert taken.fence > job.fence
    await desk.end(taken)
    assert await desk.states() == {}
    assert await desk.used() == {"run/u1": 0, "run/u1/a": 0}


async def test_of_two_who_cancel_at_once_one_gets_the_job(desk: Desk):
    job_id, _ = await desk.admit()

    answers = await asyncio.gather(cancel(desk, job_id, owner="one"), cancel(desk, job_id, owner="other"))

    assert sum(answer is not None for answer in answers) == 1


async def test_a_job_that_has_ended_refuses(desk: Desk):
    job = await desk.admit_running()
    await desk.end(job)

    with pytest.raises(Refused):
        await cancel(desk, job.id)


async def test_w6_many_are_cancelled_at_once_each_as_if_alone(desk: Desk):
    running = await desk.admit_running(cap=3)
    sleeper = await desk.admit_running(cap=3)
    await desk.suspend(sleeper)
    queued = [(await desk.admit(cap=3))[0] for _ in range(2)]
    held, state = await desk.admit(cap=3)
    assert state == "held"
    await desk.beat()

    found = [(row[0], row[1], row[2], row[3]) for row in await desk.reader.rows(FOUND)]
    params = (found, micros(), "me")
    answers = await desk.committer.land(WriteSet(((CANCEL_JOBS, params),), locks=("run/u1", "run/u1/a")))

    answer: CancelledJobs = answers[0]
    assert answer.going == [running.id]
    assert {job.id for job in answer.taken} == {sleeper.id, *queued, held}
    assert all(job.cancel_at is not None for job in answer.taken)
    assert await desk.beat() == [running.id]
    for job in answer.taken:
        assert await desk.end(job) == []
    assert await desk.used() == {"run/u1": 1, "run/u1/a": 1}


FOUND = "select id, top_lane, lane, state from jobs order by id"
