"""E4: a log stays for 30 days after its run's end, the run for 90; what is pinned or not final stays."""

from datetime import timedelta
from typing import Any, cast

import pytest

from pilothouse.base.jobs.moves import micros
from pilothouse.features.runs import Retention
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import Json
from tests.features.runs import graphs
from tests.features.runs.graphs import calls
from tests.features.runs.stand import Stand

BYTES_OF_TEN_STEPS = 3_000  # as docs/explanation/waiting.md tells
BYTES_AFTER_ITS_LOG = 2_000


def days(number: float) -> int:
    return int(timedelta(days=number).total_seconds() * 1_000_000)


async def forget(stand: Stand, after_days: float, *, log_days: int = 30, run_days: int = 90) -> None:
    """What the upkeep does so many days from now."""
    house = stand.house.worker
    mine = Retention(house.committer, house.reader, house.plans, log_days, run_days)
    await mine.forget_old_runs(micros() + days(after_days))


async def get(stand: Stand, path: str) -> Any:
    return await stand.ann.http.get(f"/api/v1/runs/{path}")


async def test_e4_after_30_days_inputs_outputs_and_summaries_are_left(stand: Stand):
    run = await stand.run(graphs.adder(by=2), n=1)
    steps = (await get(stand, f"{run['id']}/steps")).json()["items"]
    await forget(stand, 29)
    assert (await get(stand, f"{run['id']}/steps")).json()["items"] == steps

    await forget(stand, 31)
    assert await stand.get(run["id"]) == run
    assert await stand.rows("select 1 from segments where log_id=?1", run["id"]) == []
    left = (await get(stand, f"{run['id']}/steps")).json()["items"]
    assert left == [{**step, "inputs": None, "outputs": []} for step in steps]
    pages = (await get(stand, f"{run['id']}/steps?limit=2")).json()
    assert pages["items"] == left[:2]
    rest = await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps", params={"cursor": pages["next_cursor"]})
    assert (rest.json()["items"], rest.json()["next_cursor"]) == (left[2:], None)


async def test_e4_the_summary_has_all_steps_of_a_long_run(small: Stand, monkeypatch: pytest.MonkeyPatch):
    """engine:E4"""
    monkeypatch.setattr("pilothouse.features.runs.retention.STEPS_AT_ONCE", 3)
    run = await small.run(graphs.fan_out(10))
    before = (await get(small, f"{run['id']}/steps?limit=100")).json()["items"]
    await forget(small, 31)
    left = (await get(small, f"{run['id']}/steps?limit=100")).json()["items"]
    assert [step["step_id"] for step in left] == [step["step_id"] for step in before]
    assert len(left) == sum(run["stats"]["steps"].values()) > 10


async def test_h51_events_of_an_expired_log_are_gone(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    await forget(stand, 31)
    for query in ("after=0&follow=false", "after=0", f"after={run['last_event_id'] - 1}"):
        answer = await get(stand, f"{run['id']}/events?{query}")
        assert (answer.status_code, answer.json()["code"]) == (410, "expired")
    at_end = await get(stand, f"{run['id']}/events?after={run['last_event_id']}&follow=false")
    assert (at_end.status_code, at_end.json()["items"]) == (200, [])


async def test_e4_after_90_days_the_run_is_gone(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    await forget(stand, 89)
    assert (await get(stand, run["id"])).status_code == 200
    await forget(stand, 91)
    assert (await get(stand, run["id"])).status_code == 404


async def test_e4_zero_days_are_for_ever(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    await forget(stand, 4000, log_days=0, run_days=0)
    assert len(await stand.events(run["id"])) == run["last_event_id"]
    await forget(stand, 4000, log_days=30, run_days=0)
    assert (await get(stand, run["id"])).status_code == 200
    assert (await get(stand, f"{run['id']}/events?follow=false")).status_code == 410


async def test_e4_pinned_and_unfinished_runs_stay(stand: Stand):
    pinned = await stand.run(graphs.adder(), n=1)
    waits = await stand.start(await stand.agent(graphs.waits_for("go")))
    await stand.reaches(waits["id"], "waiting")
    runs = stand.house.api.runs
    await runs.pin_run(stand.ann.actor, RunId(pinned["id"]), pinned=True)
    await forget(stand, 400)
    assert len(await stand.events(pinned["id"])) == pinned["last_event_id"]
    await runs.send_fact(stand.ann.actor, RunId(waits["id"]), "go", 1)
    assert (await stand.reaches(waits["id"], "completed"))["outputs"] == {"said": [1]}

    await runs.pin_run(stand.ann.actor, RunId(pinned["id"]), pinned=False)
    await forget(stand, 400)
    assert (await get(stand, pinned["id"])).status_code == 404


async def test_e4_a_child_stays_while_its_parent_may_read_it(stand: Stand):
    leaf = await stand.agent(graphs.adder())
    document = calls(leaf, "sum", n=1)
    document["nodes"] = [*cast(list[Json], document["nodes"]), graphs.node("wait", graphs.AWAIT, fact="go")]
    run = await stand.start(await stand.agent(document))
    await stand.reaches(run["id"], "waiting")
    ((child,),) = await stand.rows("select id from runs where parent_id=?1", run["id"])
    await stand.reaches(child, "completed")
    assert (await stand.ann.http.delete(f"/api/v1/runs/{child}")).status_code == 409
    await forget(stand, 400)
    assert await stand.rows("select 1 from segments where log_id=?1", child) != []

    await stand.house.api.runs.send_fact(stand.ann.actor, RunId(run["id"]), "go", 1)
    await stand.reaches(run["id"], "completed")
    assert (await stand.ann.http.delete(f"/api/v1/runs/{run['id']}")).status_code == 204
    assert await stand.rows("select 1 from runs where id=?1", child) == []
    assert await stand.rows("select 1 from segments where log_id=?1", child) == []


async def test_e4_a_pinned_child_outlives_its_parent(stand: Stand):
    """engine:E4"""
    leaf = await stand.agent(graphs.adder())
    run = await stand.run(calls(await stand.agent(calls(leaf, "sum", n=1)), "sum"))
    ((child,),) = await stand.rows("select id from runs where parent_id=?1", run["id"])
    ((grandchild,),) = await stand.rows("select id from runs where parent_id=?1", child)
    assert (await stand.ann.http.patch(f"/api/v1/runs/{child}/pinned", json={"pinned": True})).status_code == 204
    await forget(stand, 91)
    assert [(await get(stand, found)).status_code for found in (run["id"], child, grandchild)] == [404, 200, 404]
    assert await stand.events(child) != []

    assert (await stand.ann.http.delete(f"/api/v1/runs/{child}")).status_code == 204
    assert (await get(stand, child)).status_code == 404


async def test_e4_twice_is_as_once(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    await forget(stand, 31)
    left = (await get(stand, f"{run['id']}/steps")).json()
    await forget(stand, 31)
    assert (await get(stand, f"{run['id']}/steps")).json() == left


@pytest.mark.parametrize(("after_days", "most"), [(0, BYTES_OF_TEN_STEPS), (31, BYTES_AFTER_ITS_LOG)])
async def test_e4_what_a_run_takes(stand: Stand, after_days: int, most: int):
    """Bytes of a run of ten pure steps, its row and its log."""
    run = await stand.run(graphs.chain(10), n=1)
    await forget(stand, after_days)
    texts = "coalesce(length(inputs), 0) + coalesce(length(outputs), 0) + coalesce(length(stats), 0)"
    row = await stand.rows(f"select {texts} + coalesce(length(steps), 0) + 8 * 36 from runs where id=?1", run["id"])
    log = await stand.rows("select coalesce(sum(length(body) + 60), 0) from segments where log_id=?1", run["id"])
    assert run["outputs"] == {"sum": [11]}
    assert row[0][0] + log[0][0] <= most


async def test_e4_a_run_is_pinned_and_let_go_over_http(stand: Stand):
    """E4: the answer says so, and retention heeds it"""
    run = await stand.run(graphs.adder(), n=1)
    assert run["pinned"] is False
    place = f"/api/v1/runs/{run['id']}/pinned"
    for pinned in (True, True, False):
        assert (await stand.ann.http.patch(place, json={"pinned": pinned})).status_code == 204
        assert (await stand.get(run["id"]))["pinned"] is pinned
        listed = (await stand.ann.http.get("/api/v1/runs")).json()["items"]
        assert [item["pinned"] for item in listed] == [pinned]
    bob = await stand.house.person()
    assert (await bob.http.patch(place, json={"pinned": True})).status_code == 404
    assert (await stand.get(run["id"]))["pinned"] is False
    await bob.leave()
