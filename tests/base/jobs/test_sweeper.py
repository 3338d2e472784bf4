"""What the sweeper finds that should not be there."""

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.bells import LocalBell
from pilothouse.base.jobs.sweeper import FORGOTTEN_MICROS, Sweeper
from pilothouse.base.statements import Sql
from tests.base.jobs.desk import Desk

LOSE_WAKE = Sql(
    name="lose_wake",
    sqlite="update jobs set state='waiting', moved_at=moved_at-?2 where id=?1",
    postgres="update jobs j set state='waiting', moved_at=moved_at-v.past"
    " from unnest($1::text[], $2::bigint[]) as v(id, past) where j.id=v.id",
    touches=None,
)


@pytest.mark.parametrize(("past", "expected"), [(FORGOTTEN_MICROS, "queued"), (1_000_000, "waiting")])
async def test_a_sleeper_whose_wake_was_lost_is_found_in_time(desk: Desk, past: int, expected: str):
    """engine:D6"""
    job, other = await desk.admit_running(), await desk.admit_running()
    for sleeper in (job, other):
        await desk.suspend(sleeper)
        await desk.committer.land(WriteSet(((LOSE_WAKE, (sleeper.id, past)),)))
    await desk.send(job, "fact")
    await desk.committer.land(WriteSet(((LOSE_WAKE, (job.id, past)),)))

    await Sweeper(desk.committer, desk.reader, LocalBell(), shared=False).wake_forgotten()

    assert ((await desk.row(job.id))["state"], (await desk.row(other.id))["state"]) == (expected, "waiting")
