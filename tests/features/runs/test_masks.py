"""C2: `parent/child` reaches into a sub-agent, at any depth, and survives a resume."""

from typing import Any, cast

import pytest

from pilothouse.kit.json import Json, JsonObject
from tests.features.runs import graphs
from tests.features.runs.graphs import calls
from tests.features.runs.stand import Stand
from tests.features.runs.test_children import children_of


async def masked(stand: Stand, agent: str, masks: JsonObject, **inputs: Json) -> Any:
    body = {"inputs": inputs, "input_masks": masks}
    headers = {"Prefer": "wait=30"}
    return await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json=body, headers=headers)


async def test_c2_a_mask_reaches_a_node_of_a_sub_agent(stand: Stand):
    leaf = await stand.agent(graphs.adder(by=2))
    middle = await stand.agent(calls(leaf, "sum", n=1))
    top = await stand.agent(calls(middle, "sum"))
    answer = await masked(stand, middle, {"sub/add": {"b": 10}})
    assert answer.json()["outputs"] == {"sum": [11]}
    answer = await masked(stand, top, {"sub/sub/add": {"b": 100}})
    assert answer.json()["outputs"] == {"sum": [101]}


async def test_c2_the_runs_mask_wins_over_the_nodes_own(stand: Stand):
    leaf = await stand.agent(graphs.adder(by=2))
    document = calls(leaf, "sum", n=1)
    cast(Any, document["nodes"])[0]["inputs"]["nodes_input_masks"] = {"add": {"b": 10}}
    middle = await stand.agent(document)
    assert (await stand.start(middle, wait=30))["outputs"] == {"sum": [11]}
    assert (await masked(stand, middle, {"sub/add": {"b": 20}})).json()["outputs"] == {"sum": [21]}


async def test_c2_a_mask_survives_a_resume(stand: Stand):
    leaf = await stand.agent(graphs.waits_for("go"))
    middle = await stand.agent(calls(leaf, "said"))
    body: JsonObject = {"inputs": {}, "input_masks": {"sub/wait": {"fact": "other"}}}
    run = (await stand.ann.http.post(f"/api/v1/agents/{middle}/runs", json=body)).json()
    await stand.reaches(run["id"], "waiting")
    ((child_id, *_),) = await children_of(stand, run["id"])
    await stand.reaches(child_id, "waiting")
    await stand.tell("delete from snapshots where log_id=:id", id=child_id)
    await stand.house.api.runs.send_fact(stand.ann.actor, child_id, "other", 1)
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"said": [1]}


@pytest.mark.parametrize("path", ["nobody", "sub/nobody", "out/x", "sub/out/x"])
async def test_c2_a_mask_of_no_node_is_refused(stand: Stand, path: str):
    leaf = await stand.agent(graphs.adder(by=2))
    middle = await stand.agent(calls(leaf, "sum", n=1))
    answer = await masked(stand, middle, {path: {"b": 1}})
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
    assert answer.json()["detail"]["issues"][0]["code"] == "mask_unknown_node"
    assert await stand.count("runs") == 0


@pytest.mark.parametrize("pin", ["", "b_$_x", "b" + "_#_c" * 300])
@pytest.mark.parametrize("path", ["sub", "sub/add"])
async def test_c2_a_mask_of_no_pin_is_refused_and_not_tried_until_it_is_poison(stand: Stand, path: str, pin: str):
    """engine:V3, engine:V5"""
    middle = await stand.agent(calls(await stand.agent(graphs.adder(by=2)), "sum", n=1))
    answer = await masked(stand, middle, {path: {pin: 1}})
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
    (issue,) = answer.json()["detail"]["issues"]
    assert (issue["node_id"], issue["field"], issue["code"]) == (path, pin, "bad_pin_path")
    assert await stand.count("runs") == 0


async def test_c2_a_mask_may_name_another_agent_which_is_judged_as_it_is_used(stand: Stand):
    """C2, V5: at any depth, by the one validator."""
    leaf, other = await stand.agent(graphs.adder(by=2)), await stand.agent(graphs.adder(by=5))
    middle = await stand.agent(calls(leaf, "sum", n=1))
    top = await stand.agent(calls(middle, "sum"))
    named: JsonObject = {"graph_id": other}
    assert (await masked(stand, middle, {"sub": named})).json()["outputs"] == {"sum": [6]}
    assert (await masked(stand, top, {"sub/sub": named})).json()["outputs"] == {"sum": [6]}
    both: JsonObject = {"sub/sub": named, "sub/sub/add": {"b": 10}}
    assert (await masked(stand, top, both)).json()["outputs"] == {"sum": [11]}
    answer = await masked(stand, top, {"sub/sub": named, "sub/sub/nobody": {"b": 1}})
    assert [issue["code"] for issue in answer.json()["detail"]["issues"]] == ["mask_unknown_node"]


@pytest.mark.parametrize("named", [{"graph_id": "0190a000-0000-7000-8000-000000000001"}, {"graph_version": 7}])
async def test_c2_a_mask_that_names_no_agent_is_refused(stand: Stand, named: JsonObject):
    middle = await stand.agent(calls(await stand.agent(graphs.adder(by=2)), "sum", n=1))
    top = await stand.agent(calls(middle, "sum"))
    answer = await masked(stand, top, {"sub/sub": named})
    assert (answer.status_code, answer.json()["detail"]["issues"][0]["code"]) == (422, "sub_agent_missing")
    assert await stand.count("runs") == 0


async def test_c2_masks_of_a_run_and_of_a_node_meet_pin_by_pin(stand: Stand):
    leaf = await stand.agent(graphs.adder(by=2))
    brings: JsonObject = {"add": {"a": 100, "b": 10}}
    sub = graphs.node("sub", graphs.CHILD, **graphs.order(leaf), inputs={"n": 1}, nodes_input_masks=brings)
    out = graphs.node("out", graphs.OUTPUT, name="sum")
    middle = await stand.agent(graphs.graph("Brings", [sub, out], [graphs.link("sub", "sum", "out", "value")]))
    assert (await masked(stand, middle, {"sub/add": {"b": 20}})).json()["outputs"] == {"sum": [120]}
