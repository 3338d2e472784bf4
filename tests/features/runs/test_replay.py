"""K4: an ended run is lived once more from its records, and two runs are compared."""

from pathlib import Path
from typing import Any

from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.stand import Stand
from tests.features.runs.test_again import back, effects, probes, steps
from tests.features.runs.test_dry_runs import KEEP, RECALL, SAMPLE

NOW = "716a67b3-6760-42e7-86dc-18645c6e00fc"


async def replay(stand: Stand, run_id: str) -> dict[str, Any]:
    begun = await back(stand, run_id, "replay")
    assert (begun["dry_run"], begun["origin"]) == (True, {"kind": "replay", "run_id": run_id, "step_id": None})
    return await stand.reaches(begun["id"], "completed", "completed_with_errors", "failed")


async def compare(stand: Stand, a: str, b: str, status: int = 200) -> dict[str, Any]:
    answer = await stand.ann.http.get("/api/v1/runs/compare", params={"a": a, "b": b})
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_k4_effects_are_answered_from_records_and_the_rest_is_computed(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    run = await stand.run(probes(lines, 1, 2, 3), by=10)
    again = await replay(stand, run["id"])
    assert (again["status"], again["outputs"]) == ("completed", run["outputs"])
    assert len(effects(lines)) == 4
    marked = {step["node_id"]: step["recorded"] is not None for step in await steps(stand, again["id"])}
    assert {name for name, recorded in marked.items() if recorded} == {"probe", "aside"}

    compared = await compare(stand, run["id"], again["id"])
    assert (compared["same_status"], compared["same_outputs"]) == (True, True)
    assert all(row["same_outputs"] for row in compared["nodes"])
    assert {row["node_id"] for row in compared["nodes"]} == set(marked)


async def test_k4_chance_moments_memory_and_answers_of_people_are_as_they_were(stand: Stand):
    document = graph(
        "Unrepeatable",
        [
            node("some", SAMPLE, data=list(range(1000)), sample_size=5),
            node("now", NOW, trigger="go"),
            node("keep", KEEP, key="last", value="first"),
            node("recall", RECALL, key="last", default_value="nothing"),
            node("tick", graphs.TIMER, input_message="tick", seconds=0, repeat=2),
            *(node(f"{name}_out", graphs.OUTPUT, name=name) for name in ("some", "now", "recall", "tick")),
        ],
        [
            link("some", "sampled_data", "some_out", "value"),
            link("now", "date_time", "now_out", "value"),
            link("recall", "value", "recall_out", "value"),
            link("tick", "output_message", "tick_out", "value"),
        ],
    )
    run = await stand.run(document)
    assert set(run["outputs"]) == {"some", "now", "recall", "tick"}
    assert (await replay(stand, run["id"]))["outputs"] == run["outputs"]


async def test_k4_sub_agents_and_reviews_are_not_asked_again(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    child = await stand.agent(probes(lines, 1))
    run = await stand.run(calls(child, "sum", by=10))
    again = await replay(stand, run["id"])
    assert again["outputs"] == run["outputs"] == {"sum": [11]}
    assert await stand.rows("select count(*) from runs where parent_id=?1", again["id"]) == [(0,)]
    assert len(effects(lines)) == 2


async def test_k4_a_fork_can_be_replayed_with_its_edits(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    run = await stand.run(probes(lines, 1, 2), by=10)
    chosen = [step["step_id"] for step in await steps(stand, run["id"]) if step["node_id"] == "add"][1]
    forked = await back(stand, run["id"], "fork", step=chosen, inputs={"a": 7}, confirm=True)
    ended = await stand.reaches(forked["id"], "completed")
    assert ended["outputs"]["sum"] == [11, 17]
    assert (await replay(stand, forked["id"]))["outputs"] == ended["outputs"]
    compared = await compare(stand, run["id"], forked["id"])
    different = {row["node_id"] for row in compared["nodes"] if not row["same_outputs"]}
    assert (compared["same_outputs"], different) == (False, {"add", "probe", "out"})
    assert [output for output in compared["outputs"] if not output["same"]] == [
        {"name": "sum", "same": False, "a": [11, 12], "b": [11, 17]}
    ]


async def test_k4_a_step_without_a_record_fails(stand: Stand, tmp_path: Path):
    """It was cancelled before its effect: what never happened is not made up."""
    lines = tmp_path / "lines"
    document = graph(
        "Waits",
        [
            node("wait", graphs.AWAIT, fact="go"),
            node("probe", "0e57b10c-0000-4000-8000-000000000002", path=str(lines)),
            node("out", graphs.OUTPUT, name="wrong"),
        ],
        [link("wait", "fact", "probe", "value"), link("probe", "error", "out", "value")],
    )
    run = await stand.start(await stand.agent(document))
    await stand.reaches(run["id"], "waiting")
    await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")
    again = await replay(stand, run["id"])
    assert (again["status"], again["reason"]["code"]) == ("completed_with_errors", "step_failed")
    failed = [step["error"]["code"] for step in await steps(stand, again["id"]) if step["error"]]
    assert failed == ["record_missing"]
    assert effects(lines) == []


async def test_k4_costs_and_durations_are_compared_node_by_node(stand: Stand):
    document = graph(
        "Spends",
        [node("spend", graphs.SPEND, value=1), node("out", graphs.OUTPUT, name="out")],
        [link("spend", "value", "out", "value")],
    )
    run = await stand.run(document)
    again = await replay(stand, run["id"])
    compared = await compare(stand, run["id"], again["id"])
    assert (compared["a"]["cost_microdollars"], compared["b"]["cost_microdollars"]) == (30, 0)
    (spend,) = [row for row in compared["nodes"] if row["node_id"] == "spend"]
    assert (spend["a"]["cost_microdollars"], spend["b"]["cost_microdollars"]) == (30, 0)
    assert spend["a"]["statuses"] == spend["b"]["statuses"] == {"completed": 1}
    assert spend["b"]["duration_ms"] == 0
    assert spend["a"]["duration_ms"] > 0


async def test_k4_only_ones_own_ended_runs_are_compared(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    other = await stand.house.person()
    answer = await other.http.get("/api/v1/runs/compare", params={"a": run["id"], "b": run["id"]})
    assert answer.status_code == 404
    await other.leave()
    waiting = await stand.start(await stand.agent(graphs.waits_for("go")))
    assert (await compare(stand, run["id"], waiting["id"], 409))["code"] == "conflict"
    await stand.ann.http.post(f"/api/v1/runs/{waiting['id']}/cancel")
