"""F6: whoever follows a run sees every event once and in order, whatever happens to the server."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig

pytestmark = pytest.mark.fault


@pytest.mark.later("scaled")
async def test_two_readers_resume_over_a_kill_and_see_the_same(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        run_id = await rig.client.start("steady", 1)
        assert run_id is not None
        readers = [asyncio.create_task(follow(rig, run_id)) for _ in range(2)]
        await asyncio.sleep(0.35)
        for process in list(rig.processes.values()):
            await process.kill()
        await rig.start_all()

        async with asyncio.timeout(30):
            first, second = await asyncio.gather(*readers)

        assert first == second
        assert [event["id"] for event in first] == list(range(1, len(first) + 1))
        assert first[-1]["type"] == "run.finished"
        page = await rig.client.http.get(f"/api/v1/runs/{run_id}/events", params={"follow": "false", "limit": 1000})
        assert page.json()["items"] == first


async def follow(rig: Rig, run_id: str) -> list[dict[str, Any]]:
    """Read to the end, coming back with the last id as often as it takes."""
    seen: list[dict[str, Any]] = []
    path = f"/api/v1/runs/{run_id}/events"
    while not seen or seen[-1]["type"] != "run.finished":
        headers = {"Last-Event-ID": str(seen[-1]["id"])} if seen else {}
        try:
            async with rig.client.http.stream("GET", path, headers=headers) as answer:
                async for line in answer.aiter_lines():
                    if line.startswith("data:"):
                        seen.append(json.loads(line.removeprefix("data:")))
        except httpx2.TransportError:
            await asyncio.sleep(0.05)
    return seen
