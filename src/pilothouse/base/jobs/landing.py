"""Landing writes in a job's name, through outages, for as long as the job can still be ours."""

import asyncio
from dataclasses import replace
from typing import Any

from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.jobs.lease import Lease, LeaseLost
from pilothouse.kit.errors import Unavailable

RETRY_SECONDS = 0.25


async def land_for(lease: Lease, committer: Committer, writes: WriteSet) -> list[Any]:
    """The statements' answers; an empty list when it landed at an earlier try, whose answers were lost.

    Raises `LeaseLost` when the database stays away for so long that others may have the job.
    """
    while True:
        try:
            return await committer.land(writes)
        except Unavailable:
            if lease.is_lost():
                raise LeaseLost from None
            writes = replace(writes, doubtful=True)
            await asyncio.sleep(RETRY_SECONDS)
