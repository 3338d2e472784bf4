"""K2, K4, Y2, WS-5: forks, replays, dry runs and runs that write files, killed at random moments, over and over."""

import asyncio
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import httpx2

from pilothouse.kit.json import Json, JsonObject
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import AGAIN_KILLS, SEED
from tests.faults.stages import worker_of
from tests.faults.test_again import effect_steps, start_few

FILES = ["one.txt", "two.txt", "three.txt"]


class Order(NamedTuple):
    """A run that is asked for under a key, until somebody says that it is there; and what it must give."""

    path: str
    body: JsonObject
    outputs: Json
    is_dry: bool = False

    async def place(self, rig: Rig, key: str) -> str | None:
        try:
            answer = await rig.client.http.post(self.path, json=self.body, headers={"Idempotency-Key": key})
        except httpx2.TransportError:
            return None
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]


async def orders(rig: Rig) -> list[Order]:
    """One of each kind, with what it gives when nothing goes wrong. The fork comes first."""
    run_id = await rig.client.start("effects", 1)
    assert run_id is not None
    real = await rig.client.ended(run_id)
    _, chosen, _ = await effect_steps(rig, run_id)
    trial_path = f"/api/v1/agents/{rig.client.person.agents['effects']}/runs"
    trial: JsonObject = {"inputs": {"n": 1}, "dry_run": True}
    stubbed = await Order(trial_path, trial, None).place(rig, "trial")
    assert stubbed is not None
    writes = f"/api/v1/agents/{rig.client.person.agents['files']}/runs"
    return [
        Order(f"/api/v1/runs/{run_id}/fork", {"step": chosen, "confirm": True}, real["outputs"]),
        Order(f"/api/v1/runs/{run_id}/replay", {}, real["outputs"], True),
        Order(trial_path, trial, (await rig.client.ended(stubbed))["outputs"], True),
        Order(writes, {"inputs": {"n": 7}}, {"result": ["7\n"]}),
    ]


async def place_all(rig: Rig, asked: Sequence[Order], number: int) -> list[str | None]:
    return await asyncio.gather(*(order.place(rig, f"{number}-{at}") for at, order in enumerate(asked)))


async def test_k2_k4_y2_ws_5_whatever_is_killed_is_done_once_and_whole(quick_launcher: Launcher, place: Place):
    """A fork repeats what depends on its step and nothing else; files are there once, with their bytes."""
    random = Random(SEED)
    async with open_rig(quick_launcher, place) as rig:
        await start_few(rig)
        asked = await orders(rig)
        writers: list[str] = []
        for number in range(AGAIN_KILLS):
            before = set(rig.effects.acted)
            begun = asyncio.create_task(place_all(rig, asked, number))
            await asyncio.sleep(random.uniform(0, 0.9))
            await rig.processes[worker_of(rig)].kill()
            await begun
            await rig.start(worker_of(rig))
            ids = await place_all(rig, asked, number)  # by the same keys: the same runs
            for run_id, order in zip(ids, asked, strict=True):
                assert run_id is not None
                ended = await rig.client.ended(run_id, 60)
                seen = (ended["dry_run"], ended["status"], ended["outputs"])
                assert seen == (order.is_dry, "completed", order.outputs), (number, order)
            assert len(set(rig.effects.acted) - before) == 2, number  # by the fork, each under its key
            writers.append(str(ids[-1]))
        for run_id in writers:
            await check_files(rig, run_id)


async def check_files(rig: Rig, run_id: str) -> None:
    listed = await rig.client.http.get("/api/v1/files", params={"folder": f"/runs/{run_id}"})
    files = {file["name"]: file for file in listed.json()["items"]}
    assert sorted(files) == sorted(FILES)
    for file in files.values():
        assert (file["revision"], file["origin"]) == (1, "run")
        got = await rig.client.http.get(f"/api/v1/files/{file['id']}/download")
        assert (got.status_code, got.content) == (200, b"7\n")
