"""What was queued while nobody listened is begun when somebody does, not half a second later."""

import pytest

from pilothouse.base.jobs import worker
from pilothouse.base.jobs.bells import LocalBell
from pilothouse.base.jobs.sweeper import Sweeper
from pilothouse.base.jobs.worker import Hold
from tests.base.jobs.desk import Desk
from tests.base.jobs.test_worker import working
from tests.base.waiting import until


async def test_the_jobs_of_a_killed_process_go_on_as_soon_as_the_next_one_works(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    """engine:D6: in one process the sweeper rings at its start, before there is a worker to hear it."""
    monkeypatch.setattr(worker, "PULL_SECONDS", 3600.0)
    seen: list[str] = []
    bell = LocalBell()

    async def handle(hold: Hold) -> None:
        seen.append(hold.job.id)
        await desk.end(hold.job)

    orphan = await desk.admit_running()
    queued, _ = await desk.admit()
    sweeper = Sweeper(desk.committer, desk.reader, bell, shared=False)
    await sweeper.start()
    try:
        async with working(desk, handle, bell=bell):
            await until(desk.is_clear)
    finally:
        await sweeper.close()
    assert sorted(seen) == sorted([orphan.id, queued])
