"""Many processes admit, suspend, wake and settle at once: the caps hold and nothing is left behind."""

import asyncio
import random

import pytest

from pilothouse.base.jobs.claims import Claimed
from tests.base.jobs.desk import Desk
from tests.base.ports import committing, reading

JOBS = 2_000
AGENTS = ("a", "b", "c", "d")
TOP_CAP, CAP = 12, 4


async def work_off(desk: Desk, queue: "asyncio.Queue[str]", ended: list[str], chance: random.Random) -> None:
    """Claim what was rung, let some of it sleep and wake, settle the rest."""
    while len(ended) < JOBS:
        try:
            job_id = await asyncio.wait_for(queue.get(), 0.2)
        except TimeoutError:
            continue
        for job in await desk.claim(job_id):
            if chance.random() < 0.2:
                promoted = await sleep_and_wake(desk, job, queue)
            else:
                promoted = await desk.end(job)
                ended.append(job.id)
            for other in promoted:
                queue.put_nowait(other)


async def sleep_and_wake(desk: Desk, job: Claimed, queue: "asyncio.Queue[str]") -> list[str]:
    slept = await desk.suspend(job)
    assert slept.asleep
    if await desk.wake(job):
        queue.put_nowait(job.id)
    return slept.promoted


async def watch_caps(desk: Desk, ended: list[str], looks: list[int]) -> None:
    """Each look must find the caps kept."""
    while len(ended) < JOBS:
        rows = await desk.reader.rows(
            "select top_lane, lane, count(*) from jobs where state in ('queued', 'running') group by top_lane, lane"
        )
        assert sum(row[2] for row in rows) <= TOP_CAP
        assert all(row[2] <= CAP for row in rows)
        looks.append(len(rows))
        await asyncio.sleep(0.05)


@pytest.mark.scaled
async def test_caps_hold_and_no_job_is_stranded_with_two_processes(postgres_url: str):
    chance = random.Random(7)
    queue: asyncio.Queue[str] = asyncio.Queue()
    ended: list[str] = []
    looks: list[int] = []
    async with committing(postgres_url) as one, committing(postgres_url) as two, reading(postgres_url) as reader:
        desks = [Desk(one, reader), Desk(two, reader)]

        async def admit_some(desk: Desk, count: int) -> None:
            for _ in range(count):
                job_id, state = await desk.admit(agent=chance.choice(AGENTS), top_cap=TOP_CAP, cap=CAP)
                if state == "queued":
                    queue.put_nowait(job_id)

        admitting = [admit_some(desks[n % 2], JOBS // 20) for n in range(20)]
        workers = [work_off(desks[n % 2], queue, ended, chance) for n in range(16)]
        async with asyncio.timeout(90):
            await asyncio.gather(*admitting, *workers, watch_caps(desks[0], ended, looks))

        assert len(looks) > 5
        assert len(set(ended)) == JOBS
        assert not await desks[0].states()
        assert set((await desks[0].used()).values()) == {0}
        await asyncio.sleep(1.1)  # PostgreSQL counts with a delay
        assert await reader.rows("select deadlocks from pg_stat_database where datname=current_database()") == [(0,)]
