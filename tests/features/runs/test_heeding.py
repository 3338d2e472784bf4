"""W1: which waits a fact ends, and which facts must stay for a step that is not waiting yet."""

from pilothouse.base.jobs.inbox import Fact
from pilothouse.engine.entries import accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.run import Run
from pilothouse.engine.state import Pause
from pilothouse.features.runs.children import FACT
from pilothouse.features.runs.heeding import heed
from pilothouse.graph.parse import parse
from pilothouse.kit.ids import RunId, new_id
from pilothouse.kit.json import JsonObject, dumps
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, node
from tests.features.runs.stand import Stand

NEWS: JsonObject = {"run_id": "c", "ended": None}
END: JsonObject = {"run_id": "c", "ended": {"status": "completed", "reason": None, "stats": {}}}


def waiting_for_child() -> Run:
    run = Run(compile_plan(parse(graph("One", [node("sub", graphs.AWAIT, fact="x")], [])), graphs.CATALOGUE))
    run.fold([accepted(1, {})])
    run.begin(2)
    step = run.ready[0]
    run.start(step, 3)
    run.wait(step, Pause("child", None, {"run_id": "c"}, {"after": 1}), 4)
    return run


def fact(fact_id: str, body: JsonObject) -> Fact:
    return Fact(fact_id, FACT, dumps(body))


def test_the_end_of_a_child_is_heard_before_its_news():
    """Else the news would wake the step, and the end would find nobody waiting."""
    for facts in ([fact("1", NEWS), fact("2", END)], [fact("1", END), fact("2", NEWS)]):
        run = waiting_for_child()
        assert heed(run, facts, 5) == {"1", "2"}
        assert run.ready[0].facts == [END]


def test_an_end_that_nobody_waits_for_yet_stays():
    run = waiting_for_child()
    assert heed(run, [fact("1", NEWS)], 5) == {"1"}
    assert heed(run, [fact("2", END)], 6) == set()
    assert heed(run, [fact("3", NEWS)], 7) == {"3"}


def test_facts_of_others_are_left_alone():
    run = waiting_for_child()
    other: JsonObject = {**END, "run_id": "another"}
    assert heed(run, [fact("1", other), Fact("2", "go", '{"value":1}')], 5) == set()
    assert len(run.waiting) == 1


async def test_an_end_that_came_before_its_step_waits_is_not_lost(stand: Stand):
    """As after a crash: one step waits, another was in flight when its child ended."""
    document = graph(
        "Two",
        [
            node("wait", graphs.AWAIT, fact="go"),
            node("slow", graphs.SLEEP, seconds=0.5, value=1),
            node("late", graphs.AWAIT, fact="late"),
            node("out", graphs.OUTPUT, name="said"),
        ],
        [graphs.link("slow", "value", "late", "value"), graphs.link("late", "fact", "out", "value")],
    )
    run = await stand.start(await stand.agent(document))

    async def slow_runs() -> bool:
        kinds = [(event["type"], event.get("node_id")) for event in await stand.events(run["id"])]
        return ("step.started", "slow") in kinds and ("step.waiting", "wait") in kinds

    await until(slow_runs)
    await stand.house.api.runs.send_fact(stand.ann.actor, RunId(run["id"]), "late", 7, fact_id=new_id())
    await stand.tell("update jobs set state='queued', owner=null, due_at=0, fence=fence+1 where id=:id", id=run["id"])
    stand.ring(run["id"])
    await until(lambda: said(stand, run["id"]))
    await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")


async def said(stand: Stand, run_id: str) -> bool:
    outputs = [event for event in await stand.events(run_id) if event["type"] == "run.output"]
    return [event["value"] for event in outputs] == [7]
