"""Z11: blocks that are switched off, unknown or only placeholders are refused, whichever way they are come by."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.features.agents import AgentInvalid
from pilothouse.features.agents.plans import Recent
from pilothouse.features.runs import RunAsk
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import JsonObject
from tests.databases import fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Stand, open_installation, stamp

pytestmark = pytest.mark.fault  # `make faults` says of it too

PLACEHOLDER = "11111111-1111-4111-8111-111111111111"


@pytest_asyncio.fixture(loop_scope="session")
async def off(tmp_path: Path) -> AsyncGenerator[Stand]:
    """An installation of its own, in which blocks can be switched off."""
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        async with open_installation(settings_for(tmp_path)) as opened, opened.stand() as stand:
            yield stand


def switch_off(stand: Stand, block_id: str) -> None:
    """As a failed import does under way, and an operator with the next start."""
    house = stand.house.api
    house.registry.disable(block_id, "disabled by the operator")
    house.plans._planned = Recent(9)  # pyright: ignore[reportPrivateUsage]  plans do not outlive a start


async def refusal(stand: Stand, agent: str, **body: Any) -> tuple[int, str, set[str]]:
    answer = await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json={"inputs": {}, **body})
    told: Any = answer.json()
    found = {issue["code"] for issue in told["detail"]["issues"] if issue["severity"] == "error"}
    return answer.status_code, told["code"], found


DISABLED = (422, "agent_invalid", {"disabled_block"})


async def test_z11_by_id_at_validation_and_admission(off: Stand):
    agent = await off.agent(graphs.adder())
    switch_off(off, graphs.ADD)
    assert await refusal(off, agent, inputs={"n": 1}) == DISABLED
    saved = await off.ann.http.post("/api/v1/agents", json={"graph": graphs.adder()})
    assert (saved.status_code, saved.json()["code"]) == (422, "agent_invalid")
    assert await off.count("runs") == 0


async def test_z11_an_unknown_block_is_refused(off: Stand):
    unknown = graph("Unknown", [node("what", PLACEHOLDER)], [])
    saved = await off.ann.http.post("/api/v1/agents", json={"graph": unknown})
    assert saved.status_code == 422
    text = '{"format":"pilothouse.agent/1","name":"P","nodes":[{"id":"x","block":"' + PLACEHOLDER + '"}],"links":[]}'
    agent = await off.agent(graphs.adder())
    await off.tell("update agent_versions set document=:text where agent_id=:id", text=text, id=agent)
    switch_off(off, graphs.SLEEP)
    assert await refusal(off, agent) == (422, "agent_invalid", {"unknown_block"})


async def test_z11_in_a_sub_agent_at_admission(off: Stand):
    leaf = await off.agent(graphs.adder())
    middle = await off.agent(calls(leaf, "sum", n=1))
    top = await off.agent(calls(middle, "sum"))
    switch_off(off, graphs.ADD)
    for agent in (middle, top):
        assert await refusal(off, agent) == DISABLED
    assert await off.count("runs") == 0


async def test_z11_in_a_sub_agent_that_only_a_mask_or_a_link_names(off: Stand):
    leaf, harmless = await off.agent(graphs.adder()), await off.agent(graphs.timer(0))
    parent = await off.agent(calls(harmless, "tick"))
    linked = graph(
        "Linked",
        [
            node("which", graphs.ANY, name="which"),
            node("sub", graphs.CHILD, **graphs.order(harmless), inputs={"n": 1}),
            node("wrong", graphs.OUTPUT, name="wrong"),
        ],
        [link("which", "result", "sub", "graph_id"), link("sub", "error", "wrong", "value")],
    )
    by_link = await off.agent(linked)
    switch_off(off, graphs.ADD)
    masks: JsonObject = {"sub": {"graph_id": leaf, "inputs": {"n": 1}}}
    assert await refusal(off, parent, input_masks=masks) == DISABLED
    run = await off.start(by_link, wait=30, which=leaf)
    assert run["status"] == "completed_with_errors"
    assert await off.rows("select count(*) from runs where agent_id=?1", leaf) == [(0,)]


async def test_z11_at_the_start_of_a_step(off: Stand):
    """Switched off after the run was admitted: here and in a child."""
    document = graph(
        "Later",
        [node("wait", graphs.AWAIT, fact="go"), node("add", graphs.ADD), node("out", graphs.OUTPUT, name="sum")],
        [link("wait", "fact", "add", "a"), link("add", "sum", "out", "value")],
    )
    assert (await off.run(graphs.adder(), n=1))["status"] == "completed"  # it has been used before
    leaf = await off.agent(document)
    run = await off.start(await off.agent(calls(leaf, "sum")))
    await off.reaches(run["id"], "waiting")
    ((child,),) = await off.rows("select id from runs where parent_id=?1", run["id"])
    await off.reaches(child, "waiting")
    switch_off(off, graphs.ADD)
    await off.house.api.runs.send_fact(off.ann.actor, child, "go", 1)
    ended = await off.reaches(child, "failed")
    assert ended["reason"]["code"] == "disabled_block"
    assert (await off.reaches(run["id"], "completed_with_errors"))["outputs"].keys() == {"wrong"}


async def test_z11_by_doing_a_run_again(off: Stand):
    """A fork, though not from the step of that block, and a rerun."""
    run = await off.run(graphs.adder(), n=1)
    assert run["status"] == "completed"
    switch_off(off, graphs.ADD)
    ways: list[tuple[str, JsonObject]] = [("fork", {"step": 1, "confirm": True}), ("rerun", {})]
    for way, body in ways:
        answer = await off.ann.http.post(f"/api/v1/runs/{run['id']}/{way}", json=body)
        codes = {issue["code"] for issue in answer.json()["detail"]["issues"]}
        assert (answer.status_code, answer.json()["code"], codes) == DISABLED, way
    assert await off.count("runs") == 1


async def test_z11_by_autopilots_way_in(off: Stand):
    """Its tool calls the very function that every door calls."""
    agent = await off.agent(graphs.adder())
    switch_off(off, graphs.ADD)
    with pytest.raises(AgentInvalid):
        await off.house.api.runs.start_run(off.ann.actor, RunAsk(AgentId(agent), {"n": 1}, trigger="autopilot"))
    assert await off.count("runs") == 0
