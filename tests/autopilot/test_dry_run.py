"""autopilot:1.2: a session that rehearses reaches nothing outside, whatever the model asks."""

from typing import Literal

from pilothouse.autopilot import all_tools
from pilothouse.base.tools import Effect, ToolBox, ToolContext, ToolResult
from tests.autopilot.room import Room
from tests.autopilot.stage import BYE, Stage, calls
from tests.base.waiting import until
from tests.features.runs import graphs


class Sent(ToolResult):
    type: Literal["sent"] = "sent"


def posting(sent: list[str]) -> ToolBox:
    tools = ToolBox()

    async def post(ctx: ToolContext, text: str) -> ToolResult:
        """Send a text to somebody."""
        sent.append(text)
        return Sent(message="Sent.")

    async def look(ctx: ToolContext) -> ToolResult:
        """Look at something."""
        return Sent(message="Looked.")

    tools.tool(label="Posting", effect=Effect.OUTSIDE)(post)
    tools.tool(label="Looking")(look)
    return tools


async def test_outside_effects_are_left_out_and_the_model_is_not_told(both: Stage):
    """1.2: reads are real; the stored result says what it was."""
    sent: list[str] = []
    script = await both.play(calls(("post", '{"text": "hi"}'), ("look", "{}")), BYE, tools=posting(sent))
    said = await (await both.bridge.another(dry_run=True)).ask("post hi")
    assert sent == []
    assert {output["type"]: output.get("is_dry_run") for output in said.outputs} == {"simulated": True, "sent": None}
    assert "dry" not in str(script.asked[-1]["messages"][-2:]).lower()
    await both.play(calls(("post", '{"text": "hi"}')), BYE, tools=posting(sent))
    await both.bridge.ask("post hi")
    assert sent == ["hi"]


async def test_wrong_arguments_are_refused_in_a_rehearsal_too(both: Stage):
    """1.2"""
    await both.play(calls(("post", "{}")), BYE, tools=posting([]))
    said = await (await both.bridge.another(dry_run=True)).ask("post")
    assert said.outputs[0]["type"] == "error"


async def test_a_run_is_a_rehearsal_though_the_model_asks_for_a_real_one(both: Stage):
    """1.2"""
    agent = await both.bridge.stand.agent(graphs.adder())
    asked = f'{{"library_agent_id": "{agent}", "inputs": {{"n": 1}}, "dry_run": false, "wait_for_result": 30}}'
    script = await both.play(calls(("run_agent", asked)), BYE, tools=all_tools())
    said = await (await both.bridge.another(dry_run=True)).ask("run it")
    assert said.outputs[0]["is_dry_run"] is True
    assert "is_dry_run" not in str(script.asked[-1]["messages"])


async def test_a_cancel_of_what_was_delegated_is_simulated(room: Room):
    """1.2, SS4: it is told as done; the sub-session goes on."""
    dry = await room.bridge.another(dry_run=True)
    room.when("please", ("run_sub_session", {"prompt": "rest now", "wait_for_result": 0}))
    room.when("rest now", ("rest", {"n": 1}))
    child = (await dry.ask("please")).outputs[0]["sub_session_id"]
    await until(lambda: room.shop.done == [1])
    room.when("stop", ("get_sub_session_result", {"sub_session_id": child, "cancel": True}))
    assert (await dry.ask("stop")).outputs[0]["status"] == "cancelled"
    room.shop.gate.set()
    room.when("wait", ("get_sub_session_result", {"sub_session_id": child, "wait_if_running": 60}))
    assert (await dry.ask("wait")).outputs[0]["status"] == "completed"


async def test_what_was_delegated_in_a_rehearsal_hides_its_flag_from_both_models(room: Room):
    """1.2, T10: also where one result holds another; the stored ones have it."""
    agent = await room.bridge.stand.agent(graphs.adder())
    run = {"library_agent_id": agent, "inputs": {"n": 1}, "wait_for_result": 60}
    room.when("please", ("run_sub_session", {"prompt": "run it", "wait_for_result": 60}))
    room.when("run it", ("run_agent", run))
    said = await (await room.bridge.another(dry_run=True)).ask("please")
    (call,) = said.outputs[0]["tool_calls"]
    assert (call["tool_name"], call["output"]["is_dry_run"]) == ("run_agent", True)
    assert "is_dry_run" not in str([body["messages"] for body in room.script.asked])


def test_every_tool_that_reaches_outside_is_named_as_such():
    """1.2: what rehearses by itself is known by name."""
    outside = {name for name, tool in all_tools().items() if tool.effect is Effect.OUTSIDE}
    assert {name for name in outside if all_tools()[name].rehearses} == {"run_agent"}
