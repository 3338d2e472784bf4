"""The scaled profile as an operator starts it: api, worker and scheduler apart, asked to stop one after the other."""

import pytest

from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import open_rig


@pytest.mark.scaled
async def test_processes_apart_run_agents_and_end_when_they_are_asked(launcher: Launcher, scaled: Place):
    async with open_rig(launcher, scaled) as rig:
        for name in ("api", "one"):
            await rig.start(name)
        scheduler = await rig.start("scheduler", wait=False)

        answer = await rig.client.http.post(
            f"/api/v1/agents/{rig.client.person.agents['pure']}/runs",
            json={"inputs": {"n": 1}},
            headers={"Prefer": "wait=20"},
        )
        assert (answer.status_code, answer.json()["outputs"]) == (200, {"result": [7]})
        timer = await rig.client.start("timers", 1)  # one that sleeps, and is woken by whoever sweeps
        assert timer is not None
        assert (await rig.client.ended(timer))["status"] == "completed"

        waiting = await rig.client.start("steady", 1)  # one that is under way when its worker stops
        assert waiting is not None
        codes = {process.name: await rig.stop(process) for process in (rig.processes["one"], scheduler)}
        assert (await rig.client.http.get("/health/live")).status_code == 200
        codes["api"] = await rig.stop(rig.processes["api"])
        assert codes == {"one": 0, "scheduler": 0, "api": 0}
        assert await rig.reader.rows("select id from workers") == []
        await rig.start("two")
        await rig.quiet()
        assert await rig.reader.rows("select status from runs where id=?1", waiting) == [("completed",)]
