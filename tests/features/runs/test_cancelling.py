"""W6: the first final state wins, and a cancelled run ends at once or within two seconds."""

import asyncio
import time
from typing import Any

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.moves import micros
from pilothouse.features.runs.writes import lanes_of
from pilothouse.kit.ids import new_id
from tests.features.runs import graphs
from tests.features.runs.stand import Stand


async def cancel(stand: Stand, run_id: str) -> dict[str, Any]:
    answer = await stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")
    assert answer.status_code == 200, answer.text
    return answer.json()


REASON = {"code": "cancelled", "message": "The run was cancelled.", "step_id": None}


async def test_a_running_run_ends_soon(stand: Stand):
    run = await stand.start(await stand.agent(graphs.sleeper(600)), n=1)
    await stand.reaches(run["id"], "running")
    asked = time.monotonic()
    assert (await cancel(stand, run["id"]))["cancelled"] is True
    ended = await stand.reaches(run["id"], "cancelled")
    assert time.monotonic() - asked < 2
    assert (ended["reason"], ended["outputs"]) == (REASON, {})
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert [(step["node_id"], step["status"]) for step in steps] == [("n", "completed"), ("sleep", "cancelled")]
    assert steps[1]["ended_at"] == (await stand.events(run["id"]))[-1]["at"]


async def test_a_waiting_run_ends_at_once(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(3600)))
    await stand.reaches(run["id"], "waiting")
    said = await cancel(stand, run["id"])
    assert (said["cancelled"], said["run"]["status"], said["run"]["reason"]) == (True, "cancelled", REASON)
    assert await stand.rows("select 1 from snapshots where log_id=?1", run["id"]) == []


async def test_a_held_run_ends_at_once_and_never_runs(stand: Stand):
    agent = await stand.agent(graphs.sleeper(0.6))
    going = [await stand.start(agent, n=n) for n in range(3)]
    held = await stand.start(agent, n=3)
    assert await stand.rows("select state from jobs where id=?1", held["id"]) == [("held",)]
    said = await cancel(stand, held["id"])
    assert (said["cancelled"], said["run"]["status"], said["run"]["started_at"]) == (True, "cancelled", None)
    kinds = [(event["type"], event["status"]) for event in await stand.events(held["id"])]
    assert kinds == [("run.status", "queued"), ("run.finished", "cancelled")]
    for run in going:
        await stand.reaches(run["id"], "completed")
    used = await stand.rows("select used from lanes where key like ?1", f"run/{stand.ann.actor.user_id}%")
    assert [row[0] for row in used] == [0, 0]


async def test_an_ended_run_stays_as_it_is(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    assert await cancel(stand, run["id"]) == {"cancelled": False, "run": run}


async def test_cancelling_twice_is_as_cancelling_once(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(3600)))
    await stand.reaches(run["id"], "waiting")
    said = await asyncio.gather(*(cancel(stand, run["id"]) for _ in range(5)))
    assert {one["run"]["status"] for one in said if one["run"]["ended_at"]} == {"cancelled"}
    assert [event["type"] for event in await stand.events(run["id"])].count("run.finished") == 1


async def test_a_foreign_run_cannot_be_cancelled(small: Stand):
    run = await small.start(await small.agent(graphs.timer(3600)))
    bob = await small.house.person()
    for run_id in (run["id"], new_id()):
        assert (await bob.http.post(f"/api/v1/runs/{run_id}/cancel")).status_code == 404
    assert (await small.reaches(run["id"], "waiting"))["status"] == "waiting"
    await cancel(small, run["id"])
    await bob.leave()


async def test_the_sweeper_leaves_a_run_to_who_cancels_it_for_a_moment(stand: Stand):
    """And takes it back when that process died."""
    agent = await stand.agent(graphs.timer(3600))
    run = await stand.start(agent)
    await stand.reaches(run["id"], "waiting")
    params = (run["id"], *lanes_of(stand.ann.actor.user_id, agent), micros(), new_id())
    ((claimed,),) = [await stand.house.api.committer.land(WriteSet(((CANCEL_JOB, params),)))]
    await stand.house.worker.sweeper.sweep()
    assert await stand.rows("select state, fence from jobs where id=?1", run["id"]) == [("running", claimed.fence)]

    await stand.tell(
        "update jobs set cancel_at=cancel_at-3000000, moved_at=moved_at-3000000 where id=:id", id=run["id"]
    )
    await stand.house.worker.sweeper.requeue_orphans()
    assert (await stand.reaches(run["id"], "cancelled"))["reason"] == REASON
