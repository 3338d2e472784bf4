"""E3: where the time of a run went, as its statistics tell it."""

import asyncio
from datetime import datetime
from typing import NamedTuple

from tests.features.runs import graphs
from tests.features.runs.stand import Stand

MILLISECONDS = 100  # that a run is kept waiting here


class Times(NamedTuple):
    """In milliseconds."""

    queued: int
    active: int
    whole: int


async def times_of(stand: Stand, run_id: str) -> Times:
    """Of a run that completes; they must fit its moments, and each other."""
    run = await stand.reaches(run_id, "completed")
    stats = run["stats"]
    created, started, ended = (datetime.fromisoformat(run[f"{name}_at"]) for name in ("created", "started", "ended"))
    times = Times(stats["queue_ms"], stats["active_ms"], stats["duration_ms"])
    seconds = ((started - created).total_seconds(), (ended - created).total_seconds())
    assert (times.queued, times.whole) == tuple(int(passed * 1000) for passed in seconds)
    assert times.queued + times.active <= times.whole
    return times


async def test_e3_a_run_that_is_held_was_queued_so_long(stand: Stand):
    """engine:E3, engine:C3: three of an agent run at a time here."""
    agent = await stand.agent(graphs.sleeper(60))
    busy = [await stand.start(agent, n=n) for n in range(3)]
    body = {"inputs": {"n": 7}, "input_masks": {"sleep": {"seconds": 0.05}}}
    held = (await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json=body)).json()
    assert await stand.rows("select state from jobs where id=?1", held["id"]) == [("held",)]
    await asyncio.sleep(MILLISECONDS / 1000)
    for run in busy:
        await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")

    times = await times_of(stand, held["id"])
    assert (times.queued >= MILLISECONDS, times.active >= 50) == (True, True), times


async def test_e3_a_run_that_sleeps_is_not_at_work(stand: Stand):
    """engine:E3, engine:W1"""
    run = await stand.start(await stand.agent(graphs.waits_for("go")))
    await stand.reaches(run["id"], "waiting")
    await asyncio.sleep(MILLISECONDS / 1000)
    await stand.house.api.runs.send_fact(stand.ann.actor, run["id"], "go", 1)

    times = await times_of(stand, run["id"])
    assert times.whole - times.queued - times.active >= MILLISECONDS, times
