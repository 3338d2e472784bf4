"""A job that is a worker's own in the table, or nobody's, but in no hands, is handed on."""

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs import unheld
from pilothouse.base.jobs.claims import CLAIM_JOBS
from pilothouse.base.jobs.worker import Hold
from tests.base.jobs.desk import Desk
from tests.base.jobs.test_worker import working
from tests.base.ports import committing, reading
from tests.base.waiting import until


async def test_a_job_that_is_ours_but_in_nobodys_hands_is_handed_on(
    desk: Desk, lease: float | None, monkeypatch: pytest.MonkeyPatch
):
    """As after an outage that swallowed the answer to a claim; sooner than in life, which the next test waits for."""
    monkeypatch.setattr(unheld, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(unheld, "UNHELD_SECONDS", 0.3)
    seen: list[int] = []

    async def handle(hold: Hold) -> None:
        seen.append(hold.job.fence)
        await desk.end(hold.job)

    async with working(desk, handle, lease=lease) as worker:
        job_id, _ = await desk.admit()
        await desk.committer.land(WriteSet(((CLAIM_JOBS, (worker.id, (job_id,))),)))
        await until(desk.is_clear)
    assert len(seen) == 1


async def test_what_another_owner_left_in_an_embedded_database_is_handed_on(sqlite_url: str):
    """As when the caller that cancelled a sleeping job went away before it ended it."""
    async with committing(sqlite_url) as committer, reading(sqlite_url) as reader:
        desk = Desk(committer, reader)

        async def handle(hold: Hold) -> None:
            await desk.end(hold.job)

        async with working(desk, handle):
            job_id, _ = await desk.admit()
            assert await desk.claim(job_id, owner="somebody")
            await until(desk.is_clear)
