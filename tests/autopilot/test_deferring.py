"""autopilot:2.7, 8.1, 8.2, 8.7, 9.3, 10.5, 11.1: a turn whose calls wait for runs sleeps; their ends wake it."""

from dataclasses import replace
from typing import cast

import pytest

from pilothouse.autopilot import ledger
from pilothouse.autopilot.ledger import ends_at
from pilothouse.base.deferred import Deferred
from pilothouse.base.tools import ToolBox
from pilothouse.features.chat import Event, events
from tests.autopilot.room import Found, Room, outputs_of
from tests.base.waiting import until


def waits_of(log: list[Event]) -> list[Found]:
    """What the turn slept for the first time."""
    return next(cast(list[Found], event.data["waits_for"]) for event in log if event.type == events.TURN_SUSPENDED)


async def lane_of(room: Room) -> int:
    user_id = room.bridge.stand.ann.actor.user_id
    return (await room.bridge.stand.rows("select used from lanes where key=?1", f"turn/{user_id}"))[0][0]


async def test_a_turn_that_waits_for_a_run_sleeps_until_the_run_ends(room: Room):
    """2.7, 8.7: asleep it holds no worker and no place; its siblings' results are there before."""
    agent_id = await room.waiting_agent()
    asked = {"library_agent_id": agent_id, "wait_for_result": 120}
    room.when("go", ("run_agent", asked), ("count_up", {"n": 3}))
    turn_id = await room.bridge.start("go")
    await room.asleep()
    assert await lane_of(room) == 0
    assert [result["type"] for result in await room.results()] == ["done"]
    run_id = await room.only_run()
    assert [(wait["kind"], wait["id"]) for wait in waits_of(await room.told(events.TURN_SUSPENDED))] == [
        ("run", run_id)
    ]
    await room.go(run_id)
    assert await room.bridge.ended(turn_id) == "completed"
    output = (await room.results())[-1]
    assert (output["type"], output["execution"]["outputs"]) == ("agent_output", {"said": [7]})
    assert await room.bridge.stand.rows("select 1 from watches where watcher_id=?1", turn_id) == []
    assert room.shop.done == [3]
    assert len(room.script.asked) == 2


async def test_a_wait_that_is_over_hands_the_run_back(room: Room):
    """8.2: nothing is cancelled; the model is told how to look later."""
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 1}))
    said = await room.bridge.ask("go")
    assert said.status == "completed"
    assert said.outputs[0]["type"] == "execution_started"
    assert "has not finished after " in said.outputs[0]["message"]
    run_id = await room.only_run()
    assert run_id == said.outputs[0]["execution_id"]
    await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


async def test_the_end_of_a_run_that_somebody_else_started_is_noticed_too(room: Room):
    """8.7: nobody tells of it, so the sweeper finds the watch."""
    agent_id = await room.waiting_agent()
    await room.bridge.stand.start(agent_id)
    run_id = await room.only_run()
    room.when("look", ("view_agent_output", {"execution_id": run_id, "wait_if_running": 120}))
    turn_id = await room.bridge.start("look")
    await room.asleep()
    await room.go(run_id)
    assert await room.bridge.ended(turn_id) == "completed"
    assert (await room.results())[0]["execution"]["status"] == "completed"


async def test_two_waits_of_one_round_end_one_after_the_other(room: Room):
    """8.1"""
    agent_id = await room.waiting_agent()
    await room.bridge.stand.start(agent_id)
    first = await room.only_run()
    asked = {"library_agent_id": agent_id, "wait_for_result": 120}
    room.when("go", ("run_agent", asked), ("view_agent_output", {"execution_id": first, "wait_if_running": 120}))
    turn_id = await room.bridge.start("go")
    await room.asleep()
    await room.go(first)
    await until(lambda: _count(room, events.TURN_SUSPENDED, 2))
    assert [result["type"] for result in await room.results()] == ["agent_output"]
    await room.go(await room.only_run())
    assert await room.bridge.ended(turn_id) == "completed"
    assert len(await room.results()) == 2


async def _count(room: Room, kind: str, wanted: int) -> bool:
    return len(await room.told(kind)) == wanted


@pytest.mark.parametrize(("at_most", "ends"), [(300_000_000, 2_000_000), (1_000_000, 1_000_000)])
def test_a_wait_ends_after_two_seconds_when_the_user_has_said_something(at_most: int, ends: int):
    """9.3"""
    waiting = Deferred("run", "id", "job", since=0, until=at_most)
    assert (ends_at(waiting, heard=True), ends_at(waiting, heard=False)) == (ends, at_most)


async def test_what_the_user_says_meanwhile_is_heard_soon_and_the_run_goes_on(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    """9.3: a message does not wait for five minutes behind a run."""
    monkeypatch.setattr(ledger, "HEARING_MICROS", 200_000)
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 300}))
    turn_id = await room.bridge.start("go")
    await room.asleep()
    await room.bridge.chat.start_turn(
        room.bridge.stand.ann.actor, room.bridge.session_id, room.bridge.message("and mind the dog")
    )
    assert await room.bridge.ended(turn_id) == "completed"
    said = [event.type for event in await room.bridge.events()]
    assert said.index(events.TOOL_OUTPUT_AVAILABLE) < said.index(events.FOLLOW_UP)
    assert (await room.results())[0]["type"] == "execution_started"
    assert "mind the dog" in str(room.script.asked[-1])
    run_id = await room.only_run()
    await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


async def test_cancelling_a_turn_stops_the_run_that_it_waits_for_and_no_other(room: Room):
    """10.5: a run that was handed back goes on, and a notice links it."""
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id}))
    assert (await room.bridge.ask("go")).status == "completed"
    earlier = await room.only_run()
    waits = ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 300})
    looks = ("view_agent_output", {"execution_id": earlier, "wait_if_running": 300})
    room.when("wait", waits, looks, ("run_agent", {"library_agent_id": agent_id}))
    turn_id = await room.bridge.start("wait")
    await room.asleep()
    cancelled = await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert (cancelled.cancelled, cancelled.reason) == (True, None)
    assert await room.bridge.ended(turn_id) == "cancelled"
    waited, handed = await runs_of(room, turn_id)
    assert (await room.bridge.stand.reaches(waited, "cancelled"))["status"] == "cancelled"
    assert (await room.bridge.stand.get(earlier))["status"] == "waiting"
    notices = [str(event.data["message"]) for event in await room.told(events.NOTICE)]
    assert [handed in notice and earlier not in notice for notice in notices] == [True]
    for run_id in (earlier, handed):
        await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


async def test_a_run_that_was_handed_back_by_the_very_claim_that_is_cancelled_is_linked_too(room: Room):
    """10.5"""
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id}), ("rest", {"n": 1}))
    turn_id = await room.bridge.start("go")
    await until(lambda: _count(room, events.TOOL_OUTPUT_AVAILABLE, 1))
    run_id = str((await room.results())[0]["execution_id"])
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    notices = [event.data for event in await room.told(events.NOTICE)]
    assert [(notice["code"], run_id in str(notice["message"])) for notice in notices] == [("runs_go_on", True)]
    await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


async def runs_of(room: Room, turn_id: str) -> tuple[str, str]:
    """The run that the turn waited for, and the one that was handed back."""
    own = [event for event in await room.bridge.events() if event.turn_id == turn_id]
    ids = {wait["tool_call_id"]: wait["id"] for wait in waits_of(own)}
    calls = [event.data["tool_call_id"] for event in own if event.type == events.TOOL_INPUT_AVAILABLE]
    return str(ids[calls[0]]), str(outputs_of(own)[0]["execution_id"])


async def test_a_worker_lost_while_calls_wait_changes_nothing(room: Room):
    """11.1, 8.7: whoever comes next goes on from the watch; the run is the same one."""
    agent_id = await room.waiting_agent()
    asked = {"library_agent_id": agent_id, "wait_for_result": 120}
    room.when("go", ("run_agent", asked), ("rest", {"n": 1}))
    turn_id = await room.bridge.start("go")
    run_id = await room.only_run()
    await until(lambda: _watched(room, turn_id))
    await room.switch.replace_worker(room.installation)
    room.shop.gate.set()
    await room.asleep()
    await room.go(run_id)
    assert await room.bridge.ended(turn_id) == "completed"
    assert room.shop.done == [1, 1]
    assert len(await room.results()) == 2
    assert await room.bridge.stand.count("runs") == 1


async def _watched(room: Room, turn_id: str) -> bool:
    return bool(await room.bridge.stand.rows("select 1 from watches where watcher_id=?1", turn_id))


async def test_a_tool_that_is_gone_when_its_call_wakes_is_an_error_and_the_turn_goes_on(room: Room):
    """8.9: as after an upgrade."""
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 120}))
    turn_id = await room.bridge.start("go")
    await room.asleep()
    assert room.switch.pilot is not None
    left = {name: tool for name, tool in room.switch.pilot.tools.items() if name != "run_agent"}
    room.switch.pilot = replace(room.switch.pilot, tools=ToolBox(left))
    await room.go(await room.only_run())
    assert await room.bridge.ended(turn_id) == "completed"
    assert [event.data["code"] for event in await room.told(events.TOOL_OUTPUT_ERROR)] == ["unknown_tool"]
    assert await _watched(room, turn_id) is False
