"""Lists, counts, steps, single runs, and forgetting them."""

from typing import Any

import pytest

from pilothouse.features.runs.steps import MAX_OUTPUTS
from pilothouse.kit.ids import new_id
from tests.features.runs import graphs
from tests.features.runs.stand import Stand

RUNS = "/api/v1/runs"


async def pages(stand: Stand, path: str, **params: Any) -> list[list[Any]]:
    """All pages of a list, by its cursors."""
    found: list[list[Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await stand.ann.http.get(path, params={**params, **cursor})
        assert answer.status_code == 200, answer.text
        found.append(answer.json()["items"])
        if answer.json()["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json()["next_cursor"]}


async def test_runs_are_listed_newest_first_and_page_by_page(stand: Stand):
    agent = await stand.agent(graphs.adder())
    made = [(await stand.start(agent, wait=20, n=n))["id"] for n in range(5)]
    found = await pages(stand, RUNS, limit=2)
    assert [[run["id"] for run in page] for page in found] == [made[:2:-1], made[2:0:-1], made[:1]]
    whole = await stand.get(made[0])
    large = {"inputs", "outputs", "not_reached", "leftovers", "stats"}
    assert found[2][0] == {name: value for name, value in whole.items() if name not in large}


async def test_runs_are_found_by_agent_and_by_status(stand: Stand):
    adder, timer = await stand.agent(graphs.adder()), await stand.agent(graphs.timer(3600))
    done = await stand.start(adder, wait=20, n=1)
    bad = await stand.start(adder, wait=20, n=2**64 - 1)
    waiting = await stand.start(timer)
    await stand.reaches(waiting["id"], "waiting")

    async def ids(path: str = RUNS, **params: str) -> list[str]:
        return [run["id"] for page in await pages(stand, path, **params) for run in page]

    assert await ids() == [waiting["id"], bad["id"], done["id"]]
    assert await ids(agent_id=timer) == [waiting["id"]] == await ids(status="waiting")
    assert await ids(f"/api/v1/agents/{adder}/runs") == [bad["id"], done["id"]]
    assert await ids(f"/api/v1/agents/{adder}/runs", status="completed") == [done["id"]]
    assert await ids(status="completed_with_errors") == [bad["id"]]
    held = [(await stand.start(await stand.agent(graphs.sleeper(0.3)), n=n))["id"] for n in range(6)]
    unfinished = {*await ids(status="queued"), *await ids(status="running")}
    assert set(held) - unfinished <= set(await ids(status="completed"))
    for run_id in held:
        await stand.reaches(run_id, "completed")
        await stand.ann.http.delete(f"{RUNS}/{run_id}")
    assert await ids(status="running") == await ids(agent_id=new_id()) == []
    summary = (await stand.ann.http.get(f"{RUNS}/summary")).json()
    assert summary == {"total": 3, "by_status": {"completed": 1, "completed_with_errors": 1, "waiting": 1}}
    for params in ({"status": "done"}, {"agent_id": "x"}, {"limit": "0"}, {"limit": "201"}, {"cursor": "x"}):
        assert (await stand.ann.http.get(RUNS, params=params)).status_code == 422
    await stand.ann.http.post(f"{RUNS}/{waiting['id']}/cancel")


async def test_others_see_nothing_of_a_run(small: Stand):
    run = await small.run(graphs.adder(), n=1)
    bob = await small.house.person()
    assert (await bob.http.get(RUNS)).json() == {"items": [], "next_cursor": None}
    assert (await bob.http.get(f"{RUNS}/summary")).json()["total"] == 0
    for run_id in (run["id"], new_id()):
        for path in (f"{RUNS}/{run_id}", f"{RUNS}/{run_id}/steps"):
            assert (await bob.http.get(path)).status_code == 404
        assert (await bob.http.delete(f"{RUNS}/{run_id}")).status_code == 404
    assert (await small.ann.http.get(f"{RUNS}/not-an-id")).status_code == 422
    assert (await small.get(run["id"])) == run
    await bob.leave()


async def test_steps_tell_what_went_in_and_came_out(stand: Stand):
    run = await stand.run(graphs.adder(by=2), n=1)
    ((first, second, third),) = await pages(stand, f"{RUNS}/{run['id']}/steps")
    assert [step["node_id"] for step in (first, second, third)] == ["n", "add", "out"]
    assert second["started_at"] <= second["ended_at"]
    assert {name: value for name, value in second.items() if name not in {"started_at", "ended_at"}} == {
        **{"step_id": 2, "node_id": "add", "status": "completed", "attempt": 1, "error": None, "waiting": None},
        "recorded": None,
        "simulated": False,
        **{"inputs": {"a": 1, "b": 2}, "outputs": [{"pin": "sum", "value": 3}], "output_count": 1},
    }


@pytest.mark.parametrize("limit", [7, 200])
async def test_steps_come_by_pages_that_hold_each_step_once(small: Stand, limit: int):
    run = await small.run(graphs.fan_out(150))
    found = await pages(small, f"{RUNS}/{run['id']}/steps", limit=limit)
    steps = [step for page in found for step in page]
    assert {len(page) for page in found[:-1]} <= {limit}
    assert [step["step_id"] for step in steps] == list(range(1, 302))
    assert {step["status"] for step in steps} == {"completed"}
    (items,) = [step for step in steps if step["node_id"] == "items"]
    assert (len(items["outputs"]), items["output_count"]) == (MAX_OUTPUTS, 300)


async def test_the_steps_of_a_waiting_run_say_so(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(3600)))
    await stand.reaches(run["id"], "waiting")
    ((step,),) = await pages(stand, f"{RUNS}/{run['id']}/steps")
    assert (step["node_id"], step["status"], step["ended_at"]) == ("timer", "waiting", None)
    await stand.ann.http.post(f"{RUNS}/{run['id']}/cancel")


async def test_an_ended_run_can_be_forgotten_and_no_other(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    path = f"{RUNS}/{run['id']}"
    assert (await stand.ann.http.delete(path)).status_code == 204
    assert (await stand.ann.http.delete(path)).status_code == 404
    assert (await stand.ann.http.get(path)).status_code == 404
    assert await stand.rows("select 1 from segments where log_id=?1", run["id"]) == []

    going = await stand.start(await stand.agent(graphs.timer(3600)))
    await stand.reaches(going["id"], "waiting")
    refused = await stand.ann.http.delete(f"{RUNS}/{going['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    await stand.ann.http.post(f"{RUNS}/{going['id']}/cancel")
    assert (await stand.ann.http.delete(f"{RUNS}/{going['id']}")).status_code == 204
    assert (await stand.ann.http.get(f"{RUNS}/summary")).json()["total"] == 0
