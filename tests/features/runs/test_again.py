"""K1, K2, K3: a run is done again, whole or from a step on."""

from pathlib import Path
from typing import Any

import pytest

from pilothouse.features.runs import RunAsk
from pilothouse.kit.ids import AgentId
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.stand import Stand

PROBE = "0e57b10c-0000-4000-8000-000000000002"


def probes(path: Path, *items: Any) -> graphs.JsonObject:
    """Each item, plus what was asked for, leaves a line in the file; another line is left beside them."""
    return graph(
        "Probes",
        [
            node("by", graphs.NUMBER, name="by"),
            node("items", graphs.STEP_THROUGH, items=[*items]),
            node("add", graphs.ADD),
            node("probe", PROBE, path=str(path)),
            node("out", graphs.OUTPUT, name="sum"),
            node("aside", PROBE, path=str(path), value="aside"),
            node("other", graphs.OUTPUT, name="aside"),
        ],
        [
            link("by", "result", "add", "b"),
            link("items", "item", "add", "a"),
            link("add", "sum", "probe", "value"),
            link("probe", "value", "out", "value"),
            link("aside", "value", "other", "value"),
        ],
    )


def effects(path: Path) -> list[str]:
    """The runs that acted, once for each effect."""
    return [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []


async def steps(stand: Stand, run_id: str) -> list[dict[str, Any]]:
    answer = await stand.ann.http.get(f"/api/v1/runs/{run_id}/steps", params={"limit": 100})
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def step_of(stand: Stand, run_id: str, node_id: str, nth: int = 0) -> int:
    return [step for step in await steps(stand, run_id) if step["node_id"] == node_id][nth]["step_id"]


async def back(stand: Stand, run_id: str, how: str, status: int = 201, **body: Any) -> dict[str, Any]:
    answer = await stand.ann.http.post(f"/api/v1/runs/{run_id}/{how}", json=body or None)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_k1_a_replay_that_is_done_again_has_the_same_records(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    first = await stand.run(probes(lines, 1, 2), by=10)
    replay = await stand.reaches((await back(stand, first["id"], "replay"))["id"], "completed")
    again = await back(stand, replay["id"], "rerun")
    ended = await stand.reaches(again["id"], "completed", "completed_with_errors", "failed")
    assert (ended["status"], ended["outputs"]) == ("completed", first["outputs"])
    assert effects(lines) == [first["id"]] * 3


async def test_k2_a_replay_is_not_forked_and_names_the_run_that_can_be(stand: Stand):
    first = await stand.run(graphs.adder(), n=1)
    replay = await stand.reaches((await back(stand, first["id"], "replay"))["id"], "completed")
    add = await step_of(stand, replay["id"], "add")
    for body in ({"step": add}, {"step": add, "plan_only": True}):
        told = await back(stand, replay["id"], "fork", 409, **body)
        assert (told["code"], told["detail"]["run_id"]) == ("run_is_replay", first["id"])
    assert await stand.count("runs") == 2


@pytest.mark.parametrize("masks", [None, {"add": {"b": 40}}])
async def test_k1_a_rerun_has_the_payload_that_the_run_had(stand: Stand, masks: dict[str, graphs.JsonObject] | None):
    """K1, V3: with masks, which are judged another way, and without."""
    ask = RunAsk(AgentId(await stand.agent(graphs.hooked())), {}, masks=masks, payload={"id": 7})
    admitted = await stand.house.api.runs.start_run(stand.ann.actor, ask)
    first = await stand.reaches(admitted.id, "completed")
    again = await stand.reaches((await back(stand, first["id"], "rerun"))["id"], "completed")
    assert (first["outputs"], again["outputs"]) == ({"sent": [{"id": 7}]}, {"sent": [{"id": 7}]})


async def test_k1_a_rerun_is_the_same_version_with_the_same_inputs_and_masks(stand: Stand):
    agent = await stand.agent(graphs.adder(by=5))
    body = {"inputs": {"n": 2}, "input_masks": {"add": {"b": 40}}}
    first = (await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json=body, headers={"Prefer": "wait=30"})).json()
    again = await back(stand, first["id"], "rerun")
    assert again["origin"] == {"kind": "rerun", "run_id": first["id"], "step_id": None}
    ended = await stand.reaches(again["id"], "completed")
    assert ended["origin"] == again["origin"]
    assert (ended["inputs"], ended["outputs"], ended["version"]) == ({"n": 2}, {"sum": [42]}, 1)
    assert first["origin"] is None


async def test_k1_a_rerun_keeps_what_was_secret(stand: Stand):
    agent = await stand.agent(graphs.locked())
    body = {"inputs": {}, "input_masks": {"lock": {"key": "a secret"}, "wait": {"fact": "now"}}}
    first = (await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json=body)).json()
    again = await back(stand, first["id"], "rerun")
    for run in (first, again):
        await stand.reaches(run["id"], "waiting")
        await stand.house.api.runs.send_fact(stand.ann.actor, run["id"], "now", 1)
        assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"opened": [[8, 1]]}


async def test_k1_the_same_key_reruns_once(stand: Stand):
    first = await stand.run(graphs.adder(), n=1)
    headers = {"Idempotency-Key": "once"}
    url = f"/api/v1/runs/{first['id']}/rerun"
    one, two = [await stand.ann.http.post(url, headers=headers) for _ in range(2)]
    assert one.json()["id"] == two.json()["id"]
    assert two.headers["Idempotent-Replay"] == "true"
    await stand.reaches(one.json()["id"], "completed")


async def test_k2_the_plan_comes_first_and_effects_repeat_only_when_confirmed(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    run = await stand.run(probes(lines, 1, 2, 3), by=10)
    assert len(effects(lines)) == 4
    chosen = await step_of(stand, run["id"], "add", 1)

    plan = await back(stand, run["id"], "fork", 200, step=chosen, plan_only=True)
    assert [step["node_id"] for step in plan["again"]["steps"]] == ["add", "probe", "out"]
    assert plan["effects"]["steps"] == [plan["again"]["steps"][1]]
    assert plan["reused"]["count"] == len(await steps(stand, run["id"])) - 3

    refused = await back(stand, run["id"], "fork", 409, step=chosen)
    assert (refused["code"], refused["detail"]["plan"]) == ("effects_repeat", plan)
    assert await stand.count("runs") == 1
    assert len(effects(lines)) == 4


async def test_k2_a_fork_executes_only_what_depends_on_its_step(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    run = await stand.run(probes(lines, 1, 2, 3), by=10)
    before = await stand.events(run["id"])
    chosen = await step_of(stand, run["id"], "add", 1)

    forked = await back(stand, run["id"], "fork", step=chosen, inputs={"a": 90}, confirm=True)
    assert forked["origin"] == {"kind": "fork", "run_id": run["id"], "step_id": chosen}
    ended = await stand.reaches(forked["id"], "completed")
    assert ended["outputs"] == {"aside": ["aside"], "sum": [11, 100, 13]}
    assert effects(lines).count(forked["id"]) == 1
    assert await stand.events(run["id"]) == before  # the original is untouched

    found = await steps(stand, forked["id"])
    executed = [(step["node_id"], step["inputs"]) for step in found if step["recorded"] is None]
    assert executed == [
        ("add", {"a": 90, "b": 10}),
        ("probe", {"path": str(lines), "value": 100}),
        ("out", {"name": "sum", "value": 100}),
    ]
    assert ended["stats"]["recorded"] == len(found) - 3
    told = [event for event in await stand.events(forked["id"]) if event["type"] == "step.started"]
    originals = {step["step_id"]: step["node_id"] for step in await steps(stand, run["id"])}
    for event in told:
        if "recorded" in event:
            assert originals[event["recorded"]] == event["node_id"]


async def test_k2_a_fork_of_a_fork_goes_on(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    run = await stand.run(probes(lines, 1, 2), by=10)
    once = await back(
        stand, run["id"], "fork", step=await step_of(stand, run["id"], "add"), inputs={"a": 5}, confirm=True
    )
    await stand.reaches(once["id"], "completed")
    chosen = await step_of(stand, once["id"], "probe", 1)
    twice = await back(stand, once["id"], "fork", step=chosen, inputs={"value": 0}, confirm=True)
    ended = await stand.reaches(twice["id"], "completed")
    assert ended["outputs"] == {"aside": ["aside"], "sum": [15, 0]}
    assert effects(lines).count(twice["id"]) == 1


async def test_k2_large_values_are_taken_over_with_the_steps_that_gave_them(stand: Stand, tmp_path: Path):
    lines, large = tmp_path / "lines", "ü" * 50_000
    document = graph(
        "Large",
        [
            node("x", graphs.ANY, name="x"),
            node("probe", PROBE, path=str(lines)),
            node("out", graphs.OUTPUT, name="out"),
            node("greet", graphs.TEMPLATE, format="Hi {{ a }}"),
            node("hi", graphs.OUTPUT, name="hi"),
        ],
        [
            link("x", "result", "probe", "value"),
            link("probe", "value", "out", "value"),
            link("x", "result", "greet", "values_#_a"),
            link("greet", "output", "hi", "value"),
        ],
    )
    run = await stand.run(document, x=large)
    forked = await back(stand, run["id"], "fork", step=await step_of(stand, run["id"], "greet"))
    await stand.ann.http.delete(f"/api/v1/runs/{run['id']}")
    ended = await stand.reaches(forked["id"], "completed")
    assert ended["outputs"] == {"out": [large], "hi": [f"Hi {large}"]}
    assert len(effects(lines)) == 1


async def test_k3_a_fork_runs_in_another_version(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    document: Any = probes(lines, 1, 2)
    agent = await stand.agent(document)
    run = await stand.start(agent, wait=30, by=10)
    document["nodes"][4] = node("out", graphs.OUTPUT, name="renamed")
    saved = await stand.ann.http.put(f"/api/v1/agents/{agent}", json={"graph": document, "base_version": 1})
    assert saved.status_code == 200, saved.text
    forked = await back(stand, run["id"], "fork", step=await step_of(stand, run["id"], "out"), version=2)
    ended = await stand.reaches(forked["id"], "completed")
    assert (ended["version"], ended["outputs"]) == (2, {"aside": ["aside"], "renamed": [11, 12]})
    assert len(effects(lines)) == 3


async def test_k2_what_cannot_be_forked_is_refused(stand: Stand):
    run = await stand.run(graphs.adder(), n=1)
    add = await step_of(stand, run["id"], "add")
    assert (await back(stand, run["id"], "fork", 404, step=99))["code"] == "not_found"
    assert (await back(stand, run["id"], "fork", 422, step=add, inputs={"c": 1}))["code"] == "pin_not_editable"
    waiting = await stand.start(await stand.agent(graphs.waits_for("go")))
    await stand.reaches(waiting["id"], "waiting")
    assert (await back(stand, waiting["id"], "fork", 409, step=1))["code"] == "conflict"
    other = await stand.house.person()
    for how in ("rerun", "fork"):
        answer = await other.http.post(f"/api/v1/runs/{run['id']}/{how}", json={"step": add})
        assert answer.status_code == 404
    await other.leave()
    await stand.ann.http.post(f"/api/v1/runs/{waiting['id']}/cancel")
