"""autopilot:1.8: what a session remembers of what AutoPilot did in it, as every answer about the session says."""

from pilothouse.features.chat.remembering import state_after
from pilothouse.kit.json import JsonObject
from tests.autopilot.bridge import Bridge
from tests.autopilot.room import Room, Wanted
from tests.features.runs.graphs import OUTPUT, TEMPLATE, TEXT, graph, greeting, link, node

GUIDE: Wanted = ("get_agent_building_guide", {})


def failing() -> JsonObject:
    fill = node("fill", TEMPLATE, {"on_error": "fail"}, format="{{ 1 / 0 }}")
    nodes = [node("who", TEXT, name="who"), fill, node("out", OUTPUT, name="greeting")]
    return graph(
        "Failing", nodes, [link("who", "result", "fill", "values_#_who"), link("fill", "output", "out", "value")]
    )


async def shown(bridge: Bridge) -> JsonObject:
    """The state as the page reads it, which is what the list says and what the log tells."""
    http = bridge.stand.ann.http
    state = (await http.get(f"/api/v1/chat/sessions/{bridge.session_id}")).json()["session"]["state"]
    listed = (await http.get("/api/v1/chat/sessions")).json()["sessions"]
    assert [one["state"] for one in listed if one["id"] == bridge.session_id] == [state]
    assert state_after(await bridge.events()) == state
    return state


async def test_a_session_remembers_the_guide_and_its_runs_while_a_turn_goes_on(room: Room):
    """1.8: as soon as the log has the result, also of what the turn sleeps for."""
    assert await shown(room.bridge) == {"guide_read": False, "runs": {}}
    patient = await room.waiting_agent()
    room.when("please", GUIDE, ("run_agent", {"library_agent_id": patient, "wait_for_result": 0}))
    room.then("please", ("run_agent", {"library_agent_id": patient, "wait_for_result": 300}))
    turn_id = await room.bridge.start("please")
    await room.asleep()
    assert await shown(room.bridge) == {"guide_read": True, "runs": {patient: 1}}
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    assert await shown(room.bridge) == {"guide_read": True, "runs": {patient: 1}}
    assert (await room.bridge.ask("hello")).status == "completed"
    assert await shown(room.bridge) == {"guide_read": True, "runs": {patient: 1}}


async def test_runs_count_once_and_trials_do_not(room: Room):
    """1.8: of two agents; one that was looked at again, one that failed, one that was refused."""
    stand = room.bridge.stand
    good, bad = await stand.agent(greeting()), await stand.agent(failing())
    run = {"inputs": {"who": "Ada"}, "wait_for_result": 60}
    asks = [
        ("run_agent", {"library_agent_id": good, **run}),
        ("run_agent", {"library_agent_id": good, **run, "dry_run": True}),
        ("run_agent", {"library_agent_id": bad, **run}),
        ("run_agent", {"library_agent_id": bad, **run, "dry_run": True}),
        ("run_agent", {"library_agent_id": good, "inputs": {"nobody": 1}}),
    ]
    room.when("please", *asks)
    room.then("please", ("view_agent_output", {"library_agent_id": good}))
    said = await room.bridge.ask("please")
    told = sorted(output["type"] for output in said.outputs)
    assert told == ["agent_output"] * 3 + ["error"] * 2 + ["input_validation_error"]
    assert '"is_dry_run"' not in str(room.script.asked[-1])
    assert await shown(room.bridge) == {"guide_read": False, "runs": {good: 1, bad: 1}}


async def test_a_rehearsal_runs_nothing(room: Room):
    """1.8, 1.2."""
    agent_id = await room.bridge.stand.agent(greeting())
    dry = await room.bridge.another(dry_run=True)
    room.when("please", ("run_agent", {"library_agent_id": agent_id, "inputs": {"who": "Ada"}, "wait_for_result": 60}))
    assert (await dry.ask("please")).status == "completed"
    assert await shown(dry) == {"guide_read": False, "runs": {}}
