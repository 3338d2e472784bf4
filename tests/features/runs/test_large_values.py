"""F17, E1: a large value is stored once, shown by its beginning, and read whole on demand."""

from collections.abc import Sequence

from pilothouse.engine.run import Run
from pilothouse.features.runs.loading import read_runs
from pilothouse.features.runs.values import MAX_VALUE_BYTES
from pilothouse.kit.json import JsonObject
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.graphs import link, node
from tests.features.runs.stand import Stand

BIG = "a large value " * 5_000


def chain(more: Sequence[JsonObject] = (), more_links: Sequence[JsonObject] = ()) -> JsonObject:
    """An input through three steps; `more` nodes stand beside."""
    stores = [node(f"s{nth}", graphs.STORE) for nth in range(3)]
    names = [("in", "result"), ("s0", "output"), ("s1", "output"), ("s2", "output")]
    links = [link(*names[nth], f"s{nth}", "input") for nth in range(3)]
    nodes = [node("in", graphs.ANY, name="x"), *stores, node("out", graphs.OUTPUT, name="y"), *more]
    return graphs.graph("Large", nodes, [*links, link("s2", "output", "out", "value"), *more_links])


async def test_a_large_value_is_stored_once_and_shown_by_its_beginning(stand: Stand):
    """engine:F17, engine:E1"""
    run = await stand.run(chain(), x=BIG)
    assert run["outputs"] == {"y": [BIG]}
    (kept,) = await stand.rows("select hash, body from log_values where log_id=?1", run["id"])
    (size,) = (await stand.rows("select sum(length(body)) from segments where log_id=?1", run["id"]))[0]
    assert size < len(BIG) / 2

    (shown,) = [event for event in await stand.events(run["id"]) if event["type"] == "run.output"]
    assert (shown["value"]["$value"], shown["value"]["bytes"]) == (kept[0], len(BIG) + 2)
    assert kept[1].startswith(shown["value"]["preview"])
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert all(step["outputs"][0]["value"]["$value"] == kept[0] for step in steps)


async def test_the_whole_value_is_read_by_its_hash_and_by_its_owner_only(stand: Stand):
    """engine:F17, engine:E1"""
    run = await stand.run(chain(), x=BIG)
    (shown,) = [event for event in await stand.events(run["id"]) if event["type"] == "run.output"]
    path = f"/api/v1/runs/{run['id']}/values/{shown['value']['$value']}"
    assert (await stand.ann.http.get(path)).json() == BIG
    assert (await stand.ann.http.get(path[:-1] + "z")).status_code == 422
    assert (await stand.ann.http.get(path[:-8] + "00000000")).status_code == 404
    bob = await stand.house.person()
    assert (await bob.http.get(path)).status_code == 404
    await bob.leave()

    assert (await stand.ann.http.delete(f"/api/v1/runs/{run['id']}")).status_code == 204
    assert await stand.rows("select 1 from log_values where log_id=?1", run["id"]) == []


async def test_a_run_with_large_values_goes_on_after_a_sleep(stand: Stand):
    """engine:F17, engine:D1: what is loaded is what was"""
    document = chain(
        [
            node("wait", graphs.AWAIT, fact="go"),
            node("j", graphs.DICTIONARY),
            node("both", graphs.OUTPUT, name="both"),
        ],
        [
            link("s2", "output", "j", "values_#_big"),
            link("wait", "fact", "j", "values_#_fact"),
            link("j", "dictionary", "both", "value"),
        ],
    )
    run = await stand.start(await stand.agent(document), x=BIG)
    await stand.reaches(run["id"], "waiting")
    ((body,),) = await stand.rows("select body from snapshots where log_id=?1", run["id"])
    assert len(body) < len(BIG) / 2
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])  # caches: deleting them changes nothing
    await stand.house.api.runs.send_fact(stand.ann.actor, run["id"], "go", BIG + "!")
    ended = await stand.reaches(run["id"], "completed", "failed")
    assert ended["outputs"]["both"] == [{"big": BIG, "fact": BIG + "!"}]


async def test_a_value_over_sixteen_megabytes_fails_its_step(small: Stand):
    """engine:F17"""
    document = graphs.graph(
        "Too large",
        [node("x", graphs.ANY, name="x"), node("all", graphs.LIST), node("o", graphs.OUTPUT, name="o")],
        [
            *(link("x", "result", "all", f"values_$_{nth}") for nth in range(17)),
            link("all", "list", "o", "value"),
        ],
    )
    run = await small.run(document, x="y" * (MAX_VALUE_BYTES // 17))
    steps = (await small.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    (failed,) = [step for step in steps if step["status"] == "failed"]
    assert failed["error"]["code"] == "value_too_large"


async def test_a_long_run_saves_snapshots_on_its_way(stand: Stand):
    """engine:D1: recovery reads what came after the last one, and finds the same state"""
    nodes = [
        node("items", graphs.STEP_THROUGH, items=list(range(2_000))),
        node("add", graphs.ADD, b=1),
        node("out", graphs.OUTPUT, name="sum"),
        node("sleep", graphs.SLEEP, seconds=600),
    ]
    document = graphs.graph("Long", nodes, [link("items", "item", "add", "a"), link("add", "sum", "out", "value")])
    run_id = (await stand.start(await stand.agent(document)))["id"]

    async def settled() -> bool:
        rows = await stand.rows(
            "select r.head, n.seq from runs r join snapshots n on n.log_id=r.id where r.id=?1", run_id
        )
        return bool(rows) and rows[0][0] >= 20_000  # all but the sleeper

    await until(settled, 30)
    stored = (await read_runs(stand.house.worker.reader, [run_id]))[run_id]
    assert stored.snapshot is not None
    assert len(stored.entries) < 15_000
    plan = (await stand.house.api.plans.pinned(stored.agent_id, stored.version)).plan
    shortcut = Run.restore(plan, stored.snapshot).fold(stored.entries)
    await stand.tell("delete from snapshots where log_id=:id", id=run_id)
    everything = (await read_runs(stand.house.worker.reader, [run_id]))[run_id]
    assert Run(plan).fold(everything.entries).snapshot() == shortcut.snapshot()
    await stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")
    await stand.reaches(run_id, "cancelled")
    assert await stand.rows("select 1 from snapshots where log_id=?1", run_id) == []
