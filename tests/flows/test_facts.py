"""A run that waits for somebody takes what it is told, once, whenever it comes."""

import asyncio

import pytest

from tests.faults.checker import Checker
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig
from tests.faults.send_fact import send

pytestmark = pytest.mark.fault


@pytest.mark.later("scaled")
async def test_a_fact_that_comes_before_the_run_sleeps_is_taken(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        run_id = await rig.client.start("lingers", 1)
        assert run_id is not None
        await waiting(rig, run_id)
        await send(rig.place.read_settings(), rig.people[0].user_id, run_id, "go")
        run = await rig.client.ended(run_id)
        assert run["outputs"] == {"result": [3], "aside": [1]}
        await rig.quiet()
        await Checker(rig).judge()


async def waiting(rig: Rig, run_id: str) -> None:
    """Until its wait is on disk, though it does not sleep yet."""
    async with asyncio.timeout(10):
        sql = "select 1 from segments where log_id=?1 and body like '%\"fact\"%'"
        while not await rig.reader.rows(sql, run_id):
            await asyncio.sleep(0.01)
