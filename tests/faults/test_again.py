"""K2: a run that goes back to another is killed under way; it goes on, and what was recorded is not done again."""

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
            f"/api/v1/runs/{run_id}/{how}", json=body, headers={"Idempotency-Key": how + run_id}
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
