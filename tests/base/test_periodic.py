"""Periodic work is done once per period, by whichever process comes first, and goes on when that one dies."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from pilothouse.base.committer import Refused
from pilothouse.base.periodic import Periodic, PeriodicRunner
from tests.base.ports import AnyCommitter, committing
from tests.base.waiting import until

DAY = timedelta(days=1)


@pytest.fixture
async def committers(database_url: str) -> AsyncGenerator[list[AnyCommitter]]:
    """Those of three processes."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(committing(database_url)) for _ in range(3)]


class Work:
    """Counts how often it was done, and by how many at a time."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.done = 0
        self.now = 0
        self.most = 0
        self.seconds = seconds

    async def run(self) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(self.seconds)
        self.now -= 1
        self.done += 1


async def test_three_processes_do_the_work_of_a_period_once(committers: list[AnyCommitter]):
    work = Work()
    runners = [PeriodicRunner(committer, [Periodic("tidy", DAY, work.run)]) for committer in committers]

    for _ in range(5):
        await asyncio.gather(*(runner.run_if_due(Periodic("tidy", DAY, work.run)) for runner in runners))

    assert work.done == 1


async def test_every_period_is_done_and_never_by_two_at_a_time(committers: list[AnyCommitter]):
    work = Work(0.05)
    job = Periodic("tidy", timedelta(seconds=0.2), work.run)
    runners = [PeriodicRunner(committer, [job], tick_seconds=0.02) for committer in committers]
    for runner in runners:
        await runner.start()

    await until(lambda: work.done >= 4)
    for runner in runners:
        await runner.close()

    assert work.most == 1


async def test_jobs_have_periods_of_their_own(committer: AnyCommitter):
    work = [Work(), Work()]
    runner = PeriodicRunner(committer, [])

    for _ in range(3):
        await runner.run_if_due(Periodic("often", timedelta(0), work[0].run))
        await runner.run_if_due(Periodic("rarely", DAY, work[1].run))

    assert [each.done for each in work] == [3, 1]


async def test_a_holder_that_died_is_followed_when_its_lease_ends(committers: list[AnyCommitter]):
    entered = asyncio.Event()

    async def stand_still() -> None:
        entered.set()
        await asyncio.Event().wait()

    lease = timedelta(seconds=0.5)
    dying = asyncio.create_task(
        PeriodicRunner(committers[0], []).run_if_due(Periodic("tidy", DAY, stand_still, lease=lease))
    )
    await entered.wait()
    work = Work()
    job, heir = Periodic("tidy", DAY, work.run, lease=lease), PeriodicRunner(committers[1], [])
    await asyncio.sleep(1.0)
    assert not await heir.run_if_due(job)  # it lives, and has prolonged its lease

    dying.cancel()

    async def taken_over() -> bool:
        return await heir.run_if_due(job)

    await until(taken_over, 3)
    assert work.done == 1


async def test_work_that_fails_is_tried_again_and_the_loop_goes_on(committer: AnyCommitter):
    calls: list[int] = []

    async def fail_once() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("out of luck")

    job = Periodic("tidy", timedelta(seconds=0.1), fail_once, lease=timedelta(seconds=0.2))
    runner = PeriodicRunner(committer, [job], tick_seconds=0.02)
    await runner.start()
    await until(lambda: len(calls) >= 3)
    await runner.close()


async def test_whoever_was_overtaken_cannot_end_the_period(committers: list[AnyCommitter]):
    """Its process stood still for longer than its lease."""
    work, runners = Work(), [PeriodicRunner(committer, []) for committer in committers]
    lease = timedelta(microseconds=1)

    async def be_overtaken() -> None:
        await asyncio.sleep(0.05)
        await runners[1].run_if_due(Periodic("tidy", DAY, work.run))

    with pytest.raises(Refused):
        await runners[0].run_if_due(Periodic("tidy", DAY, be_overtaken, lease=lease))
