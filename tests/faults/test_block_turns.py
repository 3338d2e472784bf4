"""autopilot:15.7, 11.1, engine:W1, Z1: a worker killed while a run asks AutoPilot, sleeps, and hears the answer."""

import asyncio
import signal
import time
from contextlib import suppress

import httpx2
import pytest

from pilothouse.app.house import House, open_house
from pilothouse.features.agents import create_agent
from pilothouse.features.runs import RunAsk, queries
from pilothouse.features.runs.present import RunFacts
from pilothouse.kit.ids import AgentId, RunId
from pilothouse.kit.json import Json, JsonObject
from tests.faults.agents import OUTPUT, link, node
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig
from tests.faults.test_turns import start

PILOT = "c069dc6b-c3ed-4c12-b6e5-d47361e64ce6"
# The turn is there and nobody rang; the run is about to sleep, and asleep; the turn is about to end, and has ended
# without a word to the run; the run is about to end.
PLACES = ["accepted_not_rung", "before_suspend", "after_suspend", "before_settle", "after_settle", "before_settle:2"]


def asks() -> JsonObject:
    nodes: list[Json] = [node("pilot", PILOT, prompt="help"), node("out", OUTPUT, name="said")]
    links: list[Json] = [link("pilot", "response", "out", "value")]
    return {"format": "pilothouse.agent/1", "name": "Asks", "nodes": nodes, "links": links}


async def started(house: House, rig: Rig, agent_id: str) -> str:
    """Over HTTP where a process serves; the bell of this process reaches workers only."""
    if not rig.embedded:
        return (await house.runs.start_run(rig.people[0].actor, RunAsk(AgentId(agent_id), {}))).id
    with suppress(httpx2.TransportError):  # whoever takes it may die before it answers; the run is there all the same
        answer = await rig.client.http.post(f"/api/v1/agents/{agent_id}/runs", json={"inputs": {}})
        assert answer.status_code == 201, answer.text
    return (await rig.reader.rows("select id from runs order by id desc limit 1"))[0][0]


async def ended(house: House, rig: Rig, run_id: str, seconds: float = 60) -> RunFacts:
    deadline = time.monotonic() + seconds
    while (facts := await queries.get_run(house.reader, rig.people[0].actor, RunId(run_id))).ended_at is None:
        assert time.monotonic() < deadline, facts.status
        await asyncio.sleep(0.02)
    return facts


@pytest.mark.timeout(300)
@pytest.mark.later("scaled")
async def test_a_run_killed_around_its_wait_for_autopilot_asks_once_and_gets_its_answer(
    launcher: Launcher, place: Place
):
    """15.7, 11.1"""
    async with open_rig(launcher, place) as rig, open_house(place.read_settings(), serves=False) as house:
        async with house.units.write(rig.people[0].actor) as work:
            agent_id = (await create_agent(work, house.registry, asks())).id
        await start(rig)
        wanted = await ended(house, rig, await started(house, rig, agent_id))
        assert wanted.status == "completed"
        for failpoint in PLACES:
            own = rig.embedded and failpoint == "accepted_not_rung"  # it took the run itself, before the turn
            worker = await start(rig, f"{failpoint}:2" if own else failpoint)
            run_id = await started(house, rig, agent_id)
            assert await worker.gone(20), f"{failpoint} was not met: {worker.said()}"
            assert worker.code == -signal.SIGKILL
            await start(rig)
            got = await ended(house, rig, run_id)
            assert (got.status, got.outputs) == ("completed", wanted.outputs), failpoint
        await rig.quiet()
        for table in ("watches", "inbox"):
            assert await rig.reader.rows(f"select 1 from {table}") == [], table
        made = await rig.reader.rows("select id from chat_sessions where origin='autopilot_block'")
        turns = await rig.reader.rows(
            "select distinct session_id, status from chat_turns where origin='autopilot_block'"
        )
        assert len(made) == len(PLACES) + 1
        assert sorted(turns) == sorted((row[0], "completed") for row in made)
        assert len(await rig.reader.rows("select 1 from chat_turns")) == len(made)
