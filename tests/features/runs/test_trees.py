"""W6: cancelling reaches everything below a run, in one transaction, and nothing is started for it afterwards."""

import asyncio
import time
from typing import Any, cast

import pytest

from pilothouse.base.committer import Refused
from pilothouse.base.jobs.claims import Claimed
from pilothouse.features.runs.admitting import RunAsk, new_run
from pilothouse.features.runs.children import Parent, child_run_id
from pilothouse.features.runs.writes import KIND, Caps, admit_child, lanes_of
from pilothouse.kit.ids import AgentId, new_id
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.stand import Stand

FINAL = {"completed", "completed_with_errors", "failed", "cancelled"}


async def tree(stand: Stand, root: str) -> dict[str, str | None]:
    sql = (
        "with recursive tree(id) as (select id from runs where id=?1 union all"
        " select r.id from runs r join tree t on r.parent_id=t.id) select r.id, r.status from runs r join tree t"
        " on t.id=r.id"
    )
    return {row[0]: row[1] for row in await stand.rows(sql, root)}


async def grown(stand: Stand, root: str, count: int) -> None:
    async def there() -> bool:
        return len(await tree(stand, root)) >= count

    await until(there)


async def cancel(stand: Stand, run_id: str) -> dict[str, Any]:
    answer = await stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("leaf", [graphs.timer(3600), graphs.sleeper(600)], ids=["waiting", "running"])
async def test_w6_all_generations_end(stand: Stand, leaf: graphs.JsonObject):
    works = leaf["name"] == "Sleeper"
    out, inputs = "result" if works else "tick", cast(dict[str, Any], {"n": 1} if works else {})
    middle = await stand.agent(calls(await stand.agent(leaf), out, **inputs))
    run = await stand.start(await stand.agent(calls(middle, out)))
    await grown(stand, run["id"], 3)
    await asyncio.sleep(0.2)
    asked = time.monotonic()
    said = await cancel(stand, run["id"])
    assert (said["cancelled"], said["run"]["status"]) == (True, "cancelled")

    async def over() -> bool:
        return set((await tree(stand, run["id"])).values()) == {"cancelled"}

    await until(over)
    assert time.monotonic() - asked < 2
    jobs = await stand.rows("select count(*) from jobs where user_id=?1", stand.ann.actor.user_id)
    assert jobs == [(0,)]
    assert (await cancel(stand, run["id"]))["cancelled"] is False


async def test_w6_the_marks_are_made_in_one_transaction(stand: Stand):
    """Whoever sees one of them sees all."""
    sleeper = await stand.agent(graphs.sleeper(600))
    both = graph(
        "Both",
        [
            node("sub", graphs.CHILD, **graphs.order(sleeper), inputs={"n": 1}),
            node("slow", graphs.SLEEP, seconds=600),
        ],
        [],
    )
    run = await stand.start(await stand.agent(both))
    await grown(stand, run["id"], 2)
    seen: set[int] = set()

    async def look() -> None:
        sql = "select count(*), count(cancel_at) from jobs where user_id=?1"
        for _ in range(200):
            ((jobs, marked),) = await stand.rows(sql, stand.ann.actor.user_id)
            if jobs == 2:
                seen.add(marked)
            if jobs == 0:
                return

    await asyncio.gather(look(), cancel(stand, run["id"]))
    assert seen <= {0, 2}


async def test_w6_a_run_that_fails_takes_its_children_with_it(stand: Stand):
    """S2: `on_error: fail` cancels what runs, in children too."""
    waits = await stand.agent(graphs.timer(3600))
    document = graph(
        "Fails",
        [
            node("sub", graphs.CHILD, **graphs.order(waits), inputs={}),
            node("later", graphs.TIMER, seconds=0.5),
            node("bad", graphs.CONDITION, {"on_error": "fail"}, operator="<", value2="x"),
        ],
        [link("later", "output_message", "bad", "value1")],
    )
    cast_nodes: Any = document["nodes"]
    cast_nodes[1]["inputs"]["input_message"] = {"no": "number"}
    run = await stand.start(await stand.agent(document))
    assert (await stand.reaches(run["id"], "failed"))["reason"]["code"] == "step_failed"

    async def over() -> bool:
        return set((await tree(stand, run["id"])).values()) == {"failed", "cancelled"}

    await until(over)


async def test_w6_nothing_is_started_for_a_run_that_was_cancelled(stand: Stand):
    """The mark came between the look at the child's agent and its admission."""
    child = await stand.agent(graphs.timer(3600))
    agent = await stand.agent(graphs.sleeper(600))
    run = await stand.start(agent, n=1)
    await stand.reaches(run["id"], "running")
    ((fence,),) = await stand.rows("select fence from jobs where id=?1", run["id"])
    job = Claimed(
        run["id"], KIND, stand.ann.actor.user_id, *lanes_of(stand.ann.actor.user_id, agent), fence, 1, 1, None
    )
    planned = await stand.house.api.plans.find(stand.ann.actor.user_id, child)
    parent = Parent(run["id"], 1, 1)
    ask = RunAsk(AgentId(child), {})
    keyring = stand.house.api.keyring
    ids = [child_run_id(run["id"], step, 1) for step in (1, 2)]
    made = [new_run(run_id, job.user_id, ask, planned, keyring, parent=parent) for run_id in ids]
    land = stand.house.api.committer.land
    await land(admit_child(made[0], Caps(9, 9), parent, job))
    await stand.tell("update jobs set cancel_at=1 where id=:id", id=run["id"])
    for stale in (job, job._replace(fence=fence + 1)):
        with pytest.raises(Refused):
            await land(admit_child(made[1], Caps(9, 9), parent, stale))
    assert len(await tree(stand, run["id"])) == 2
    await cancel(stand, run["id"])

    async def over() -> bool:
        return all(status in FINAL for status in (await tree(stand, run["id"])).values())

    await until(over)


async def test_w6_a_foreign_child_is_as_if_it_did_not_exist(small: Stand):
    run = await small.start(await small.agent(calls(await small.agent(graphs.timer(3600)), "tick")))
    await grown(small, run["id"], 2)
    bob = await small.house.person()
    for run_id in [*await tree(small, run["id"]), new_id()]:
        assert (await bob.http.post(f"/api/v1/runs/{run_id}/cancel")).status_code == 404
    await cancel(small, run["id"])
    await bob.leave()


async def test_children_are_listed_under_their_parent_only(stand: Stand):
    run = await stand.run(calls(await stand.agent(graphs.adder()), "sum", n=1))
    listed = (await stand.ann.http.get("/api/v1/runs")).json()["items"]
    assert [item["id"] for item in listed] == [run["id"]]
    below = (await stand.ann.http.get("/api/v1/runs", params={"parent_id": run["id"]})).json()["items"]
    assert [(item["parent_id"], item["parent_step"], item["trigger"]) for item in below] == [(run["id"], 1, "agent")]
    assert (await stand.ann.http.get("/api/v1/runs/summary")).json()["total"] == 1
