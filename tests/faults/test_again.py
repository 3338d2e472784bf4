"""K2, K4, Y2: forks, replays and dry runs are killed under way; they go on, and repeat nothing."""

import signal
from typing import Any

import httpx2

from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig
from tests.faults.stages import arm, worker_of


async def start_few(rig: Rig) -> None:
    for name in ("serve",) if rig.embedded else ("api", "one"):
        await rig.start(name)


async def ask_again(rig: Rig, run_id: str, how: str, **body: Any) -> str | None:
    """Under a key, so that it can be asked once more when the answer was lost with its process."""
    try:
        answer = await rig.client.http.post(
            f"/api/v1/runs/{run_id}/{how}", json=body or None, headers={"Idempotency-Key": how + run_id}
        )
    except httpx2.TransportError:
        return None
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def effect_steps(rig: Rig, run_id: str) -> list[int]:
    steps = (await rig.client.http.get(f"/api/v1/runs/{run_id}/steps", params={"limit": 50})).json()["items"]
    return [step["step_id"] for step in steps if "url" in (step["inputs"] or {})]


async def test_k2_a_fork_that_is_killed_goes_on_and_repeats_no_effect(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await start_few(rig)
        run_id = await rig.client.start("effects", 1)
        assert run_id is not None
        first = await rig.client.ended(run_id)
        _, chosen, _ = await effect_steps(rig, run_id)
        before = set(rig.effects.acted)

        victim = await arm(rig, worker_of(rig), "effect_done_not_journaled:1")
        body = {"step": chosen, "confirm": True}
        forked = await ask_again(rig, run_id, "fork", **body)
        assert await victim.gone(30)
        assert victim.code == -signal.SIGKILL
        await rig.start(victim.name)
        forked = forked or await ask_again(rig, run_id, "fork", **body)
        assert forked is not None
        ended = await rig.client.ended(forked, 60)
        assert (ended["status"], ended["outputs"]) == ("completed", first["outputs"])
        assert len(set(rig.effects.acted) - before) == 2  # the chosen one and the one after it, each under its key
        assert await effect_steps(rig, run_id) == await effect_steps(rig, forked)


async def test_k4_y2_a_replay_and_a_dry_run_that_are_killed_end_as_they_would_have(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await start_few(rig)
        run_id = await rig.client.start("effects", 1)
        assert run_id is not None
        first = await rig.client.ended(run_id)
        before = set(rig.effects.acted)
        path = f"/api/v1/agents/{rig.client.person.agents['effects']}/runs"
        trial = (await rig.client.http.post(path, json={"inputs": {"n": 1}, "dry_run": True})).json()
        calm = await rig.client.ended(trial["id"])
        for asked, expected in ((run_id, first), (trial["id"], calm)):
            how = "replay" if asked == run_id else "rerun"
            victim = await arm(rig, worker_of(rig), "before_settle:1")
            begun = await ask_again(rig, asked, how)
            assert await victim.gone(30)
            assert victim.code == -signal.SIGKILL
            await rig.start(victim.name)
            begun = begun or await ask_again(rig, asked, how)
            assert begun is not None
            ended = await rig.client.ended(begun, 60)
            assert (ended["dry_run"], ended["status"], ended["outputs"]) == (True, "completed", expected["outputs"])
        assert set(rig.effects.acted) == before
