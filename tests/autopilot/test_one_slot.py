"""autopilot:8.7, 2.7, 15.7: who waits for a session holds no worker: one slot is enough for twenty parents."""

import asyncio
from pathlib import Path

import pytest

from tests.autopilot.bridge import Bridge, Said, open_bridge
from tests.autopilot.test_block import PILOT
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs.graphs import OUTPUT, graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Installation, Stand, open_installation, stamp
from tests.lines import settings_of_lines

PARENTS, PEOPLE = 20, 4  # one person may have five turns running and fifteen in flight


async def one_slot(folder: Path, url: str, **lines: object) -> None:
    await stamp(url)
    async with open_installation(settings_for(folder, worker_concurrency=1, **lines)) as opened:
        people = [await opened.person() for _ in range(PEOPLE)]
        stands = [Stand(opened, person) for person in people]
        bridges = [await open_bridge(stands[n % PEOPLE]) for n in range(PARENTS)]
        said = await asyncio.gather(*(delegates(bridge) for bridge in bridges))
        assert [(one.status, one.outputs[0]["status"]) for one in said] == [("completed", "completed")] * PARENTS
        assert len({one.outputs[0]["sub_session_id"] for one in said}) == PARENTS
        ended = await asyncio.gather(*(asks(stands[n % PEOPLE]) for n in range(PARENTS)))
        assert ended == [("completed", 1)] * PARENTS
        await everything_is_over(opened)
        for person in people:
            await person.leave()


async def delegates(bridge: Bridge) -> Said:
    turn_id = await bridge.start("delegate: find three blocks about text")
    status = await bridge.ended(turn_id, 60)
    return Said(status, [event for event in await bridge.events() if event.turn_id == turn_id])


async def asks(stand: Stand) -> tuple[str, int]:
    """A run whose one step waits for AutoPilot."""
    nodes = [node("pilot", PILOT, prompt="help"), node("out", OUTPUT, name="said")]
    agent_id = await stand.agent(graph("Asks", nodes, [link("pilot", "response", "out", "value")]))
    started = await stand.start(agent_id)
    run = await stand.reaches(started["id"], "completed", "completed_with_errors", seconds=60)
    return run["status"], len(run["outputs"]["said"])


async def everything_is_over(opened: Installation) -> None:
    for table in ("jobs", "watches", "inbox"):
        assert await opened.api.reader.rows(f"select 1 from {table}") == [], table


async def test_twenty_parents_and_their_sub_sessions_finish_on_one_slot(tmp_path: Path):
    """8.7"""
    with fresh_sqlite(tmp_path) as url:
        await one_slot(tmp_path, url)


@pytest.mark.scaled
async def test_so_they_do_on_one_slot_of_one_worker_process(tmp_path: Path, broker_url: str, own_redis_url: str):
    """8.7"""
    with fresh_postgres() as url:
        lines = {**settings_of_lines(broker_url, own_redis_url), "database_url": url}
        await one_slot(tmp_path, url, **lines)
