"""autopilot:14.1-14.4, 15.6, 15.7, 1.2: what AutoPilot may do when a run asks it, and how deep that may go."""

from typing import cast

import pytest

from pilothouse.base.jobs.moves import micros
from pilothouse.base.permissions import Permissions
from pilothouse.blocks.rehearsal import PreparedHttp
from pilothouse.engine.context import StepContext
from pilothouse.engine.ports import StepFailed
from pilothouse.engine.state import Step, node_states
from pilothouse.features.chat import queries
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.stage import Stage
from pilothouse.kit.ids import AgentId, new_id
from pilothouse.kit.json import Json, JsonObject
from tests.autopilot.bridge import Bridge
from tests.autopilot.room import Room
from tests.autopilot.test_block import PILOT, only_session, pilot, pilot_node, sessions
from tests.features.runs.graphs import CHILD, graph, node


async def test_blocks_and_sub_sessions_nest_three_deep_together(room: Room):
    """15.6: counted through runs, and through the runs of their sub-agents"""
    deeper = await room.bridge.stand.agent(pilot("deeper"))
    schemas: dict[str, Json] = {"inputs": {}, "input_schema": {}, "output_schema": {}}
    inner = graph("Inner", [node("child", CHILD, None, graph_id=deeper, graph_version=1, **schemas)], [])
    around = await room.bridge.stand.agent(inner)
    room.when("deeper", ("run_agent", {"library_agent_id": around, "wait_for_result": 60}))
    room.when("delegates", ("run_sub_session", {"prompt": "deeper", "wait_for_result": 60}))
    run = await room.bridge.stand.run(pilot("deeper"))
    assert run["status"] == "completed", run
    assert [view.metadata["depth"] for view in await sessions(room)] == [1, 2, 3]
    codes = await failures(room)
    assert codes == ["nesting_limit"]
    said = await room.bridge.ask("delegates")
    assert said.status == "completed"
    assert [view.metadata["depth"] for view in await sessions(room)] == [1, 2, 2, 3, 3]
    assert await failures(room) == ["nesting_limit"] * 2


async def failures(room: Room) -> list[str]:
    """The codes of the AutoPilot steps that failed."""
    stand = room.bridge.stand
    found: list[str] = []
    for (run_id,) in await stand.rows("select id from runs where user_id=?1", stand.ann.actor.user_id):
        ended = [event for event in await stand.events(run_id) if event["type"] == "step.finished" and event["error"]]
        found += [event["error"]["code"] for event in ended if event["node_id"] == "pilot"]
    return found


async def test_an_agent_may_allow_less_nesting(room: Room):
    """15.6: and never more"""
    agent_id = await room.bridge.stand.agent(pilot("second", max_recursion_depth=1))
    room.when("first", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 60}))
    await room.bridge.stand.run(pilot("first", max_recursion_depth=10))
    assert [view.metadata["depth"] for view in await sessions(room)] == [1]
    assert await failures(room) == ["nesting_limit"]


async def test_the_session_of_a_block_keeps_its_depth_when_the_run_is_over(room: Room):
    """15.6: whoever writes in it later"""
    run = await room.bridge.stand.run(pilot("hello"))
    room.when("delegates", ("run_sub_session", {"prompt": "below", "wait_for_result": 60}))
    said = await Bridge(room.bridge.stand, run["outputs"]["session_id"][0]).ask("delegates")
    stand = room.bridge.stand
    below = await queries.get_session(stand.house.api.reader, stand.ann.actor, said.outputs[0]["sub_session_id"])
    assert below.metadata["depth"] == 2


async def test_autopilot_gets_no_right_that_the_run_lacks(room: Room):
    """14.2, 14.4, 15.7: the filters of the turn that started the run and of the block count together"""
    agent_id = await room.bridge.stand.agent(pilot("inside", tools=["rest"], blocks=["12345678"], blocks_exclude=True))
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 60}))
    narrow = {"tools": ["count_up"], "tools_exclude": True}
    said = await room.bridge.ask("go", permissions=narrow)
    assert said.outputs[0]["execution"]["status"] == "completed", said.outputs
    session = await only_session(room)
    allowed = Permissions.of(cast(JsonObject, session.metadata["permissions"]))
    assert not any(allowed.allows_tool(name) for name in ("rest", "count_up"))
    assert allowed.allows_tool("stumble")
    assert not allowed.allows_block("12345678-0000-4000-8000-000000000000", "Some block")
    asked = next(body for body in room.script.asked if "inside" in str(body["messages"]))
    offered = {tool["function"]["name"] for tool in asked["tools"]}
    assert not offered & {"rest", "count_up"}
    assert {"stumble", "run_agent"} <= offered


async def test_only_the_tools_that_the_block_lists(room: Room):
    """14.1, 15.7"""
    run = await room.bridge.stand.run(pilot("inside", tools=["count_up"], tools_exclude=False))
    assert run["status"] == "completed"
    assert [tool["function"]["name"] for tool in room.script.asked[-1]["tools"]] == ["count_up"]


async def test_a_dry_one_asks_in_a_dry_session(room: Room):
    """1.2, 15.7: and never lets one that acts go on for a dry one"""
    await room.bridge.stand.run(pilot("inside", dry_run=True))
    assert (await only_session(room)).metadata["dry_run"] is True
    run = await room.bridge.stand.run(pilot("more", dry_run=True, session_id=room.bridge.session_id))
    assert run["status"] == "completed_with_errors"
    assert await failures(room) == ["dry_run_left"]


async def test_a_dry_session_rehearses_a_run_that_would_ask(room: Room):
    """1.2"""
    dry = await room.bridge.another(dry_run=True)
    agent_id = await room.bridge.stand.agent(pilot("inside"))
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 60}))
    rehearsed = (await dry.ask("go")).outputs[0]
    assert (rehearsed["type"], rehearsed["is_dry_run"]) == ("agent_output", True)
    assert await sessions(room) == [], "nobody was asked"


async def test_a_model_does_not_find_the_block_unless_it_builds(room: Room):
    """F2, 15.7"""
    room.when("search", ("find_block", {"query": "AutoPilot"}))
    room.when("build", ("find_block", {"query": "AutoPilot", "for_agent_generation": True}))
    found = [
        [one["id"] for one in (await room.bridge.ask(words)).outputs[0].get("blocks", [])]
        for words in ("search", "build")
    ]
    assert [PILOT in ids for ids in found] == [False, True]


async def test_nobody_runs_the_block_alone(room: Room):
    """15.7: outside of a run nothing stands behind it, so whoever calls it alone is refused"""
    house, user_id = room.bridge.stand.house.api, room.bridge.stand.ann.actor.user_id
    agent_id = await room.bridge.stand.agent(graph("Lonely", [pilot_node("hello")], []))
    plan = (await house.plans.find(user_id, AgentId(agent_id))).plan
    alone = Stage(house.registry, PreparedHttp(), RunMemories(house.reader)).get(PILOT)
    step = StepContext(new_id(), Step(1, node_states(plan, {"inputs": {}})[0], {}, 0), micros)
    with pytest.raises(StepFailed) as refused:
        await alone.call({"prompt": "hello"}, step)
    assert refused.value.code == "not_available"
    assert await sessions(room) == []
