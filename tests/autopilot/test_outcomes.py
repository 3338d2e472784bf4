"""autopilot:15.2, 15.4, 15.5: what is told of a delegated turn, however it stands."""

from pilothouse.autopilot import all_tools
from pilothouse.base.tools import ToolBox
from pilothouse.kit.json import JsonObject
from tests.autopilot.bridge import Bridge
from tests.autopilot.room import Found, Room
from tests.autopilot.stage import BYE, Stage, calls
from tests.base.waiting import until
from tests.providers.script import Answer, Refusal, Tool

DELEGATE = '{"prompt": "the task", "wait_for_result": 60}'


async def test_a_child_that_broke_off_is_an_error_with_its_reason_and_what_it_had_said(both: Stage):
    """15.2: `error` carries the child's text."""
    half = Answer(text=("Half of it is done.",), tools=(Tool("c9", "count_up", '{"n": 1}'),))
    tools = ToolBox(all_tools(), both.shop.tools)
    await both.play(calls(("run_sub_session", DELEGATE)), half, Refusal(401), BYE, tools=tools)
    (told,) = (await both.bridge.ask("go")).outputs
    assert (told["status"], both.shop.done) == ("error", [1])
    assert told["error"].endswith("Half of it is done.")
    assert len(told["error"]) > len("Half of it is done.")
    assert [call["tool_name"] for call in told["tool_calls"]] == ["count_up"]


async def _look(room: Room, child: Bridge, **more: object) -> Found:
    room.when("look", ("get_sub_session_result", {"sub_session_id": child.session_id, **more}))
    return (await room.bridge.ask("look")).outputs[0]


async def test_while_a_turn_is_active_no_earlier_answer_is_given(room: Room):
    """15.4: and "completed" is told when the log says so"""
    child = await room.bridge.another()
    first = await child.ask("first")
    assert (await _look(room, child))["response"] == first.text
    room.when("rest", ("rest", {"n": 1}))
    turn_id = await child.start("rest")
    await until(lambda: room.shop.done == [1])
    told = await _look(room, child, wait_if_running=0)
    assert (told["status"], "response" in told, told["tool_calls"]) == ("running", False, [])
    room.shop.gate.set()
    assert await child.ended(turn_id) == "completed"
    told = await _look(room, child)
    assert (told["status"], [call["tool_name"] for call in told["tool_calls"]]) == ("completed", ["rest"])


async def test_a_wait_that_ends_as_the_next_turn_begins_gives_no_earlier_answer(room: Room):
    """15.4: a task that waited there begins in that very moment; the answer before it is none to that task."""
    child, agent_id = await room.bridge.another(), await room.waiting_agent()
    room.when("rest", ("rest", {"n": 1}))
    room.when("the task", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 300}))
    await child.start("rest")
    await until(lambda: room.shop.done == [1])
    narrow: JsonObject = {"tools": ["stumble"], "tools_exclude": True}  # so it starts a turn of its own
    queued = child.message("the task", permissions=narrow)
    await child.chat.start_turn(room.bridge.stand.ann.actor, child.session_id, queued)
    room.when("look", ("get_sub_session_result", {"sub_session_id": child.session_id, "wait_if_running": 60}))
    first = await room.bridge.start("look")
    await room.asleep()
    room.shop.gate.set()
    assert await room.bridge.ended(first) == "completed"
    (told,) = await room.results()
    assert (told["status"], "response" in told, told["tool_calls"]) == ("running", False, [])
    second = await room.bridge.start("look")
    await room.asleep()
    await room.go(await room.only_run())
    assert await room.bridge.ended(second) == "completed"
    told = (await room.results())[-1]
    assert (told["status"], [call["tool_name"] for call in told["tool_calls"]]) == ("completed", ["run_agent"])


async def _waiting_for_a_child(room: Room) -> tuple[Bridge, str]:
    """A session at work, and a turn that sleeps until that ends."""
    child = await room.bridge.another()
    room.when("rest", ("rest", {"n": 1}))
    await child.start("rest")
    await until(lambda: room.shop.done == [1])
    room.when("look", ("get_sub_session_result", {"sub_session_id": child.session_id, "wait_if_running": 300}))
    waits = await room.bridge.start("look")
    await room.asleep()
    return child, waits


async def test_a_wait_for_a_session_that_is_deleted_ends_with_it(room: Room):
    """15.4, 1.11: at once, before the session is gone or after it"""
    child, waits = await _waiting_for_a_child(room)
    await child.chat.delete_session(room.bridge.stand.ann.actor, child.session_id)
    assert await room.bridge.ended(waits) == "completed"
    (told,) = await room.results()
    assert (told.get("code") or told["status"]) in ("not_found", "cancelled")
    assert (await _look(room, child))["code"] == "not_found"


async def test_one_that_its_user_stopped_is_cancelled(room: Room):
    """15.2: and a wait for it ends with that"""
    child, waits = await _waiting_for_a_child(room)
    await child.chat.cancel_turn(room.bridge.stand.ann.actor, child.session_id)
    assert await room.bridge.ended(waits) == "completed"
    assert [told["status"] for told in await room.results()] == ["cancelled"]
    assert (await _look(room, child))["status"] == "cancelled"


async def test_a_cancel_by_the_model_reaches_the_run_that_the_child_waits_for(room: Room):
    """15.5: it cascades."""
    agent_id = await room.waiting_agent()
    room.when("run it", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 300}))
    room.when("please", ("run_sub_session", {"prompt": "run it", "wait_for_result": 0}))
    child = str((await room.bridge.ask("please")).outputs[0]["sub_session_id"])
    run_id = await room.only_run()
    await room.asleep(child)
    told = await _look(room, Bridge(room.bridge.stand, child), cancel=True, wait_if_running=60)
    assert told["status"] == "cancelled"
    assert (await room.bridge.stand.reaches(run_id, "cancelled"))["status"] == "cancelled"


async def test_nothing_was_asked_in_it_yet(room: Room):
    """15.2: an error, never an answer"""
    told = await _look(room, await room.bridge.another())
    assert (told["status"], "response" in told) == ("error", False)
