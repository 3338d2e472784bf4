"""W4: an agent inside an agent. The child's run belongs to the step, its outputs come as they are committed."""

import asyncio
from typing import Any, cast

import pytest

from pilothouse.blocks.context import ChildOrder
from pilothouse.engine.context import StepContext
from pilothouse.features.agents import AgentInvalid
from pilothouse.features.runs import desk
from pilothouse.features.runs.desk import Desk
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject
from tests.features.runs import graphs
from tests.features.runs.graphs import CHILD, calls, graph, link, node, order
from tests.features.runs.stand import Stand


async def children_of(stand: Stand, run_id: str) -> list[tuple[Any, ...]]:
    sql = "select id, parent_step, status from runs where parent_id=?1 order by parent_step, id"
    return await stand.rows(sql, run_id)


def fails() -> JsonObject:
    """Would give `sum`, if it ever got so far."""
    return graph(
        "Child",
        [node("bad", graphs.TIMER, {"on_error": "fail"}, seconds=-1), node("out", graphs.OUTPUT, name="sum")],
        [link("bad", "output_message", "out", "value")],
    )


async def test_a_child_runs_and_its_outputs_are_the_steps(stand: Stand):
    child = await stand.agent(graphs.adder(by=2))
    run = await stand.run(calls(child, "sum", n=40))
    assert (run["status"], run["outputs"], run["stats"]["children"]) == ("completed", {"sum": [42]}, 1)
    ((child_id, step, status),) = await children_of(stand, run["id"])
    assert (step, status) == (1, "completed")
    shown = await stand.get(child_id)
    assert (shown["trigger"], shown["inputs"], shown["outputs"]) == ("agent", {"n": 40}, {"sum": [42]})
    used = await stand.rows("select used from lanes where key like ?1", f"run/{stand.ann.actor.user_id}%")
    assert {row[0] for row in used} == {0}


async def test_linked_pins_are_the_childs_inputs_and_win(stand: Stand):
    child = await stand.agent(graphs.adder(by=2))
    document = graph(
        "Parent",
        [
            node("n", graphs.NUMBER, name="n"),
            node("sub", CHILD, **order(child), inputs={"n": 1}),
            node("out", graphs.OUTPUT, name="sum"),
        ],
        [link("n", "result", "sub", "n"), link("sub", "sum", "out", "value")],
    )
    assert (await stand.run(document, n=5))["outputs"] == {"sum": [7]}


async def test_each_step_of_a_node_has_a_child_of_its_own(stand: Stand):
    """And their outputs go on in the order in which the steps started, however long each child takes."""
    child = await stand.agent(graphs.adder(by=10))
    document = graph(
        "Many",
        [
            node("items", graphs.STEP_THROUGH, items=[1, 2, 3, 4]),
            node("sub", CHILD, **order(child), inputs={}),
            node("out", graphs.OUTPUT, name="sum"),
        ],
        [link("items", "item", "sub", "n"), link("sub", "sum", "out", "value")],
    )
    run = await stand.run(document)
    assert (run["outputs"], run["stats"]["children"]) == ({"sum": [11, 12, 13, 14]}, 4)
    assert len({row[0] for row in await children_of(stand, run["id"])}) == 4


async def test_large_outputs_arrive_whole(stand: Stand):
    """F17: they stand beside the child's log, not in it."""
    text = "x" * 100_000
    child = await stand.agent(graphs.greeting("{{ who }}" * 2))
    document = graph(
        "Large",
        [
            node("who", graphs.TEXT, name="who"),
            node("sub", CHILD, **order(child), inputs={}),
            node("out", graphs.OUTPUT, name="greeting"),
        ],
        [link("who", "result", "sub", "who"), link("sub", "greeting", "out", "value")],
    )
    assert (await stand.run(document, who=text))["outputs"] == {"greeting": [text * 2]}


async def test_outputs_come_in_commit_order_while_the_child_works(stand: Stand):
    """The child gives three things, then waits for a word; the parent has them all by then."""
    child = await stand.agent(
        graph(
            "Child",
            [
                node("items", graphs.STEP_THROUGH, items=[1, 2, 3]),
                node("out", graphs.OUTPUT, name="item"),
                node("wait", graphs.AWAIT, fact="go"),
                node("last", graphs.OUTPUT, name="item"),
            ],
            [link("items", "item", "out", "value"), link("wait", "fact", "last", "value")],
        )
    )
    run = await stand.start(await stand.agent(calls(child, "item")))

    async def heard() -> list[Any]:
        return [event["value"] for event in await stand.events(run["id"]) if event["type"] == "run.output"]

    for _ in range(200):
        if len(await heard()) == 3:
            break
        await asyncio.sleep(0.02)
    assert await heard() == [1, 2, 3]
    ((child_id, *_),) = await children_of(stand, run["id"])
    assert (await stand.get(child_id))["status"] == "waiting"
    assert (await stand.reaches(run["id"], "waiting"))["status"] == "waiting"

    await stand.house.api.runs.send_fact(stand.ann.actor, child_id, "go", 4)
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"item": [1, 2, 3, 4]}


async def test_a_child_with_errors_completes_its_step_and_counts_in_the_parent(stand: Stand):
    child = await stand.agent(
        graph(
            "Child",
            [
                node("bad", graphs.TIMER, seconds=-1),
                node("good", graphs.ADD, a=1),
                node("out", graphs.OUTPUT, name="sum"),
            ],
            [link("good", "sum", "out", "value")],
        )
    )
    run = await stand.run(calls(child, "sum"))
    assert (run["status"], run["outputs"]) == ("completed_with_errors", {"sum": [2]})
    assert (run["stats"]["errors_unhandled"], run["stats"]["steps"]) == (1, {"completed": 2})
    assert (run["reason"]["code"], run["reason"]["step_id"]) == ("step_failed", 1)


async def test_a_failed_child_fails_its_step(stand: Stand):
    child = await stand.agent(fails())
    run = await stand.run(calls(child, "sum"))
    assert (run["status"], list(run["outputs"])) == ("completed_with_errors", ["wrong"])
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert (steps[0]["error"]["code"], steps[0]["error"]["detail"]["status"]) == ("child_failed", "failed")


async def test_a_cancelled_child_fails_its_step(stand: Stand):
    child = await stand.agent(graphs.timer(3600))
    run = await stand.start(await stand.agent(calls(child, "tick")))
    await stand.reaches(run["id"], "waiting")
    ((child_id, *_),) = await children_of(stand, run["id"])
    assert (await stand.ann.http.post(f"/api/v1/runs/{child_id}/cancel")).json()["cancelled"]
    ended = await stand.reaches(run["id"], "completed_with_errors")
    assert ended["stats"]["errors_handled"] == 1


async def test_an_unknown_or_foreign_child_is_refused_before_anything_is_written(stand: Stand):
    bob = await stand.house.person()
    for child in (new_id(), await stand.agent(graphs.adder(), bob)):
        with pytest.raises(AgentInvalid) as refused:
            await stand.agent(calls(child, "sum", n=1))
        assert "sub_agent_missing" in str(refused.value.facts["issues"])
    await bob.leave()


async def test_a8_a_pinned_version_works_on_when_its_agent_is_deleted(stand: Stand):
    """A8: what was pinned never changes, also for runs that begin later."""
    child = await stand.agent(graphs.adder(by=2))
    parent = await stand.agent(calls(child, "sum", n=1))
    gone = await stand.ann.http.delete(f"/api/v1/agents/{child}", headers={"If-Match": '"v1"'})
    assert gone.status_code == 204, gone.text
    assert (await stand.start(parent, wait=30))["outputs"] == {"sum": [3]}


async def test_an_agent_that_calls_itself_stops_at_ten(stand: Stand):
    """A8: refused when it is asked for; and by the engine, when masks or links hide it until then."""
    loop = await stand.agent(
        graph(
            "Loop",
            [
                node("n", graphs.ANY, name="n"),
                node("sub", CHILD, **order(new_id()), inputs={}),
                node("out", graphs.OUTPUT, name="n"),
                node("wrong", graphs.OUTPUT, name="wrong"),
            ],
            [
                link("n", "result", "sub", "graph_id"),
                link("n", "result", "sub", "n"),
                link("sub", "error", "wrong", "value"),
                link("sub", "wrong", "wrong", "value"),
            ],
        )
    )
    run = await stand.start(loop, wait=60, n=loop)
    assert run["status"] == "completed_with_errors"
    assert run["stats"]["children"] == 10
    assert "deeper than 10" in run["outputs"]["wrong"][0]


@pytest.mark.parametrize("attempts", [1, 3])
async def test_a_step_that_waits_keeps_its_child_when_its_run_is_read_from_the_log(stand: Stand, attempts: int):
    """Whoever goes on with the parent knows from the log alone that the child is there, and how far it was heard."""
    child = await stand.agent(graphs.waits_for("go"))
    run = await stand.start(await stand.agent(calls(child, "said", policy={"retry": {"max_attempts": attempts}})))
    await stand.reaches(run["id"], "waiting")
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])
    ((child_id, *_),) = await children_of(stand, run["id"])
    await stand.house.api.runs.send_fact(stand.ann.actor, child_id, "go", 1)
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"said": [1]}
    assert len(await children_of(stand, run["id"])) == 1


async def test_a_retried_step_gets_a_new_child(stand: Stand):
    child = await stand.agent(fails())
    retry: JsonObject = {"retry": {"max_attempts": 2, "backoff_s": 0.05, "on": "any"}}
    run = await stand.run(calls(child, "sum", policy=retry))
    assert run["status"] == "completed_with_errors"
    assert len(await children_of(stand, run["id"])) == 2


async def test_lanes_do_not_tie_parents_and_children_together(stand: Stand):
    """C3: three places for an agent, four for a user, and ten parents of three generations each."""
    leaf = await stand.agent(graphs.adder())
    middle = await stand.agent(calls(leaf, "sum", n=1))
    top = await stand.agent(calls(middle, "sum"))
    runs = [await stand.start(top) for _ in range(10)]
    for run in runs:
        assert (await stand.reaches(run["id"], "completed", seconds=40))["outputs"] == {"sum": [2]}
    used = await stand.rows("select used from lanes where key like ?1", f"run/{stand.ann.actor.user_id}%")
    assert {row[0] for row in used} == {0}


async def test_outputs_reach_a_parent_that_is_busy_with_something_else(stand: Stand):
    """Its other branch takes a minute; the child's outputs are there long before."""
    child = await stand.agent(graphs.adder(by=2))
    document = calls(child, "sum", n=40)
    document["nodes"] = [*cast(list[Json], document["nodes"]), node("slow", graphs.SLEEP, seconds=60)]
    run = await stand.start(await stand.agent(document))
    for _ in range(250):
        if any(event["type"] == "run.output" for event in await stand.events(run["id"])):
            break
        await asyncio.sleep(0.02)
    else:
        raise AssertionError("nothing came within five seconds")
    assert (await stand.get(run["id"]))["status"] == "running"
    await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")
    await stand.reaches(run["id"], "cancelled")


async def test_r5_a_run_and_its_children_finish_on_their_own_version(stand: Stand):
    """R5: whatever is saved or deleted meanwhile."""
    child = await stand.agent(graphs.waits_for("go"))
    parent = await stand.agent(calls(child, "said"))
    run = await stand.start(parent)
    await stand.reaches(run["id"], "waiting")
    ((child_id, *_),) = await children_of(stand, run["id"])
    for agent in (child, parent):
        saved = await stand.ann.http.put(f"/api/v1/agents/{agent}", json={"graph": graphs.timer(1), "base_version": 1})
        assert saved.status_code == 200, saved.text
        gone = await stand.ann.http.delete(f"/api/v1/agents/{agent}", headers={"If-Match": '"v2"'})
        assert gone.status_code == 204, gone.text
    await stand.tell("delete from snapshots where log_id in (:a, :b)", a=run["id"], b=child_id)
    await stand.house.api.runs.send_fact(stand.ann.actor, child_id, "go", 7)
    ended = await stand.reaches(run["id"], "completed")
    assert (ended["version"], ended["outputs"]) == (1, {"said": [7]})


async def test_w4_a_child_that_is_started_twice_at_once_is_one(stand: Stand, monkeypatch: pytest.MonkeyPatch):
    """engine:W4: both look before either has written, and the second finds that its child is there"""
    looked, start, check = asyncio.Barrier(2), vars(Desk)["_start"], desk.check_run

    async def start_twice(self: Desk, run_id: str, step: StepContext, order: ChildOrder) -> None:
        await asyncio.gather(*(start(self, run_id, step, order) for _ in range(2)))

    async def check_together(*asked: Any) -> Any:
        await looked.wait()
        return await check(*asked)

    monkeypatch.setattr(Desk, "_start", start_twice)
    monkeypatch.setattr(desk, "check_run", check_together)
    child = await stand.agent(graphs.adder(by=2))
    run = await stand.run(calls(child, "sum", n=40))
    assert (run["status"], run["outputs"], run["stats"]["children"]) == ("completed", {"sum": [42]}, 1)
    assert len(await children_of(stand, run["id"])) == 1
