"""W1, W5: a run that waits holds no worker, and goes on when its time or its fact comes."""

import asyncio
import time
from itertools import pairwise

import pytest

from pilothouse.features.runs import RunEnded
from pilothouse.kit.clock import from_wire
from pilothouse.kit.ids import RunId
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.stand import Stand


async def test_a_timer_lets_the_run_sleep_and_wakes_it(stand: Stand):
    began = time.time()
    run = await stand.start(await stand.agent(graphs.timer(0.4, repeat=3)))
    waiting = await stand.reaches(run["id"], "waiting")
    assert (waiting["ended_at"], waiting["outputs"]) == (None, {})
    assert waiting["started_at"] is not None
    ((owner,),) = await stand.rows("select owner from jobs where id=?1", run["id"])
    assert owner is None
    ended = await stand.reaches(run["id"], "completed")
    assert ended["outputs"] == {"tick": ["tick"] * 3}
    assert 1.2 <= time.time() - began < 5
    assert ended["started_at"] == waiting["started_at"]

    events = await stand.events(run["id"])
    statuses = [event["status"] for event in events if event["type"] == "run.status"]
    naps = statuses.count("waiting")
    assert 1 <= naps <= 3  # a wake-up that comes late may find the next moment near
    assert statuses == ["queued", "running", *["waiting", "running"] * naps]
    dues = [event["due"] for event in events if event["type"] == "step.waiting" and not event["over"]]
    moments = [from_wire(due).timestamp() for due in dues]
    assert [round(later - sooner, 3) for sooner, later in pairwise(moments)] == [0.4, 0.4]
    assert {event["wake_at"] for event in events if event.get("status") == "waiting"} <= set(dues)


async def test_a_run_that_wakes_goes_on_from_its_snapshot(stand: Stand):
    """Proved by an entry that only the log has: what stands before the snapshot is not read again."""
    run = await stand.start(await stand.agent(graphs.waits_for("go")))
    head = (await stand.reaches(run["id"], "waiting"))["last_event_id"]
    assert await stand.rows("select seq from snapshots where log_id=?1", run["id"]) == [(head,)]
    await stand.tell("update segments set body='broken' where log_id=:id", id=run["id"])
    await stand.house.api.runs.send_fact(stand.ann.actor, RunId(run["id"]), "go", {"by": "bob"})
    ended = await stand.reaches(run["id"], "completed")
    assert ended["outputs"] == {"said": [{"by": "bob"}]}
    assert await stand.rows("select 1 from snapshots where log_id=?1", run["id"]) == []


async def test_without_its_snapshot_it_goes_on_from_the_log(stand: Stand):
    run = await stand.start(await stand.agent(graphs.waits_for("go")))
    await stand.reaches(run["id"], "waiting")
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])
    await stand.house.api.runs.send_fact(stand.ann.actor, RunId(run["id"]), "go", 1)
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"said": [1]}


async def test_a_fact_that_nobody_waits_for_is_forgotten_and_the_run_sleeps_on(stand: Stand):
    run = await stand.start(await stand.agent(graphs.waits_for("go")))
    await stand.reaches(run["id"], "waiting")
    send = stand.house.api.runs.send_fact
    await send(stand.ann.actor, RunId(run["id"]), "stop", 1)

    async def forgotten() -> bool:
        return not await stand.rows("select 1 from inbox where job_id=?1", run["id"])

    await until(forgotten)
    before = (await stand.reaches(run["id"], "waiting"))["last_event_id"]
    await asyncio.sleep(0.3)
    assert (await stand.get(run["id"]))["last_event_id"] == before
    await send(stand.ann.actor, RunId(run["id"]), "go", 2)
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"said": [2]}
    with pytest.raises(RunEnded):
        await send(stand.ann.actor, RunId(run["id"]), "go", 3)


async def test_a_fact_sent_twice_under_one_id_counts_once(stand: Stand):
    run = await stand.start(await stand.agent(graphs.waits_for("go")))
    await stand.reaches(run["id"], "waiting")
    send = stand.house.api.runs.send_fact
    fact = "01900000-0000-7000-8000-000000000001"
    await asyncio.gather(
        *(send(stand.ann.actor, RunId(run["id"]), "go", 1, fact_id=fact) for _ in range(2)), return_exceptions=True
    )
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"said": [1]}


async def test_waiting_runs_hold_no_place(stand: Stand):
    """The cap is three of one agent."""
    agent = await stand.agent(graphs.waits_for("go"))
    runs = [await stand.start(agent) for _ in range(7)]
    for run in runs:
        await stand.reaches(run["id"], "waiting")
    for run in runs:
        await stand.house.api.runs.send_fact(stand.ann.actor, RunId(run["id"]), "go", 1)
    for run in runs:
        assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"said": [1]}
