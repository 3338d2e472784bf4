"""What the sweeper finds that should not be there."""

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.bells import LocalBell
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.seizing import SEIZE_JOB
from pilothouse.base.jobs.sweeper import FORGOTTEN_MICROS, SWEEP_SECONDS, Sweeper
from pilothouse.base.jobs.tables import jobs
from pilothouse.base.statements import Sql, update_by
from tests.base.jobs.desk import Desk
from tests.base.ports import committing, reading

LOSE_WAKE = Sql(
    name="lose_wake",
    sqlite="update jobs set state='waiting', moved_at=moved_at-?2 where id=?1",
    postgres="update jobs j set state='waiting', moved_at=moved_at-v.past"
    " from unnest($1::text[], $2::bigint[]) as v(id, past) where j.id=v.id",
    touches=None,
)

AWAKE = update_by(jobs, ["id"], ["state"])
PAST_CANCEL = update_by(jobs, ["id"], ["cancel_at"])
GIVE_TO = update_by(jobs, ["id"], ["owner"])


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


@pytest.mark.scaled
async def test_a_lease_that_ends_before_the_next_pass_is_taken_at_that_moment(postgres_url: str):
    """engine:D6: a quarter of a second sooner, of the five within which others must go on."""
    async with committing(postgres_url) as committer, reading(postgres_url) as reader:
        desk = Desk(committer, reader)
        dead, alive = await desk.admit_running(), await desk.admit_running()
        await desk.committer.land(WriteSet(((GIVE_TO, (dead.id, "w2")),)))
        await desk.beat("w1", lease=4.0)
        await desk.beat("w2", lease=SWEEP_SECONDS / 2)

        await Sweeper(committer, reader, LocalBell(), shared=True).sweep()

        assert ((await desk.row(dead.id))["state"], (await desk.row(alive.id))["state"]) == ("queued", "running")


@pytest.mark.scaled
async def test_who_seizes_a_job_has_a_moment_to_end_it_however_long_ago_it_was_cancelled(postgres_url: str):
    """autopilot:10.3: it is taken five seconds after the cancel, by a process that may have no lease."""
    async with committing(postgres_url) as committer, reading(postgres_url) as reader:
        desk = Desk(committer, reader)
        job = await desk.admit_running()
        await committer.land(WriteSet(((PAST_CANCEL, (job.id, micros() - 5_000_000)),)))
        (seized,) = await committer.land(WriteSet(((SEIZE_JOB, (job.id, "api", micros())),)))

        await Sweeper(committer, reader, LocalBell(), shared=True).requeue_orphans()
        row = await desk.row(job.id)
        assert (row["state"], row["owner"], row["fence"]) == ("running", "api", seized.fence)

        await committer.land(WriteSet(((LOSE_WAKE, (job.id, 3_000_000)), (AWAKE, (job.id, "running")))))
        await Sweeper(committer, reader, LocalBell(), shared=True).requeue_orphans()
        assert (await desk.row(job.id))["state"] == "queued"  # it died, too
