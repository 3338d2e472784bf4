"""F10: one key, one run, however often and to whomever it is said."""

import asyncio

import httpx2
import pytest

from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig

pytestmark = pytest.mark.fault


@pytest.mark.later("embedded")
async def test_fifty_equal_requests_at_once_start_one_run(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        run_ids = await asyncio.gather(*(insist(rig, "the same key") for _ in range(50)))
        assert len(set(run_ids)) == 1
        await rig.quiet()
        assert await rig.reader.rows("select id, status from runs") == [(run_ids[0], "completed")]


@pytest.mark.later("scaled")
async def test_a_request_repeated_over_a_kill_starts_one_run(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        name = "serve" if rig.embedded else "api"
        await rig.stop(rig.processes[name])
        await rig.start(name, failpoint="accepted_not_rung")  # durable, and nobody is told
        with pytest.raises(httpx2.TransportError):
            await rig.client.ask("pure", 1, "again")
        assert await rig.processes[name].gone(5)
        await rig.start(name)

        run_id = await insist(rig, "again")
        assert (await rig.client.ended(run_id))["outputs"] == {"result": [7]}
        assert await rig.reader.rows("select id from runs") == [(run_id,)]


async def insist(rig: Rig, key: str) -> str:
    """Ask until it is answered; one that is being answered elsewhere is a conflict for a moment."""
    async with asyncio.timeout(20):
        while True:
            answer = await rig.client.ask("pure", 1, key)
            if answer.status_code == 201:
                return answer.json()["id"]
            assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_in_progress"), answer.text
            await asyncio.sleep(0.05)
