"""autopilot:15.7, blocks:AutoPilot, engine:W1, W6: the block that hands a task of a run to AutoPilot."""

from typing import cast

from pilothouse.blocks.context import PilotOrder
from pilothouse.features.chat import BlockPilot, SessionNotFound, events, queries
from pilothouse.features.chat.present import SessionView
from pilothouse.features.runs import Errand
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject, loads
from tests.autopilot.bridge import Bridge
from tests.autopilot.room import Room
from tests.base.waiting import until
from tests.features.runs.graphs import AWAIT, OUTPUT, SPEND, graph, link, node

PILOT = "c069dc6b-c3ed-4c12-b6e5-d47361e64ce6"
PINS = ("response", "tool_calls", "conversation_history", "session_id", "token_usage", "error")


def pilot_node(prompt: str, policy: JsonObject | None = None, **inputs: Json) -> JsonObject:
    return node("pilot", PILOT, policy, prompt=prompt, **inputs)


def pilot(prompt: str, policy: JsonObject | None = None, **inputs: Json) -> JsonObject:
    """An agent of one such block, whose pins are its outputs."""
    outs = [node(pin, OUTPUT, name=pin) for pin in PINS]
    links = [link("pilot", pin, pin, "value") for pin in PINS]
    return graph("Pilot", [pilot_node(prompt, policy, **inputs), *outs], links)


async def sessions(room: Room) -> list[SessionView]:
    """Those that blocks made, in the order in which they nest."""
    stand = room.bridge.stand
    sql = "select id from chat_sessions where user_id=?1 and origin='autopilot_block'"
    found = [row[0] for row in await stand.rows(sql, stand.ann.actor.user_id)]
    views = [await queries.get_session(stand.house.api.reader, stand.ann.actor, one) for one in found]
    return sorted(views, key=lambda view: cast(int, view.metadata["depth"]))


async def only_session(room: Room) -> SessionView:
    async def there() -> bool:
        return len(await sessions(room)) == 1

    await until(there)
    return (await sessions(room))[0]


async def starts(room: Room, document: JsonObject) -> str:
    return str((await room.bridge.stand.start(await room.bridge.stand.agent(document)))["id"])


async def sleeps(room: Room, run_id: str) -> SessionView:
    """The session that the run waits for, once it works and the run sleeps."""
    await room.bridge.stand.reaches(run_id, "waiting")
    return await only_session(room)


async def left(room: Room, run_id: str) -> list[str]:
    """What the run still watches."""
    rows = await room.bridge.stand.rows("select key from watches where watcher_id=?1", run_id)
    return [str(row[0]) for row in rows]


async def resting(room: Room, policy: JsonObject | None = None) -> str:
    """A run that waits for a turn which waits for the gate."""
    room.when("rest now", ("rest", {"n": 1}))
    run_id = await starts(room, pilot("rest now", policy))
    await until(lambda: 1 in room.shop.done)
    await sleeps(room, run_id)
    return run_id


async def test_the_answer_of_the_turn_is_the_blocks(room: Room):
    """15.7: what it said, did and took; the session is the user's, but not among those that the user began"""
    room.when("count to three", ("count_up", {"n": 3}))
    run = await room.bridge.stand.run(pilot("count to three", system_context="be quick"))
    assert run["status"] == "completed", run
    got = {name: values[0] for name, values in run["outputs"].items()}
    assert set(got) == {*PINS} - {"error"}
    assert got["response"].startswith("Heard: ")
    assert [(call["tool_name"], call["input"], call["success"]) for call in got["tool_calls"]] == [
        ("count_up", {"n": 3}, True)
    ]
    session = await only_session(room)
    assert (session.id, session.metadata["depth"], session.active) == (got["session_id"], 1, None)
    said = cast(list[dict[str, str]], loads(got["conversation_history"]))
    assert [one["role"] for one in said] == ["user", "assistant"]
    assert "be quick" in said[0]["content"]
    assert said[1]["content"] == got["response"]
    assert got["token_usage"] == {"prompt_tokens": 22, "completion_tokens": 14, "total_tokens": 36}
    assert run["stats"]["tokens"] == {"completion": 14, "prompt": 22}
    http = room.bridge.stand.ann.http
    listed = [one["id"] for one in (await http.get("/api/v1/chat/sessions")).json()["sessions"]]
    everything = [one["id"] for one in (await http.get("/api/v1/chat/sessions?include_sub=true")).json()["sessions"]]
    assert (session.id in listed, session.id in everything) == (False, True)
    assert await left(room, run["id"]) == []


async def test_w1_the_run_sleeps_while_autopilot_works(room: Room):
    """15.7, W1: it holds no worker and no place in its lane; what it waits for is told"""
    run_id = await resting(room)
    session = await only_session(room)
    user_id = room.bridge.stand.ann.actor.user_id
    assert await room.bridge.stand.rows("select used from lanes where key=?1", f"run/{user_id}") == [(0,)]
    waits = [event for event in await room.bridge.stand.events(run_id) if event["type"] == "step.waiting"]
    assert session.active is not None
    assert [(wait["wait"], wait["ref"]) for wait in waits] == [
        ("turn", {"session_id": session.id, "turn_id": session.active.turn_id})
    ]
    room.shop.gate.set()
    run = await room.bridge.stand.reaches(run_id, "completed")
    assert run["outputs"]["session_id"] == [session.id]
    assert room.shop.done == [1]


async def test_w6_cancelling_the_run_stops_the_turn(room: Room):
    """15.7, W6"""
    run_id = await resting(room)
    session = await only_session(room)
    assert session.active is not None
    answer = await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")
    assert answer.status_code == 200, answer.text
    assert await Bridge(room.bridge.stand, session.id).ended(session.active.turn_id, 2) == "cancelled"
    assert (await room.bridge.stand.reaches(run_id, "cancelled"))["status"] == "cancelled"
    assert await left(room, run_id) == []


async def test_w6_a_run_cancelled_before_anybody_waited_for_its_turn_stops_it_too(room: Room):
    """15.7, W6: as when a worker dies right after it has asked; what it left tells the next what to stop"""
    held = await room.bridge.stand.agent(graph("Held", [node("wait", AWAIT, fact="go"), pilot_node("rest now")], []))
    room.when("rest now", ("rest", {"n": 1}))
    run_id = str((await room.bridge.stand.start(held))["id"])
    await until(lambda: room.shop.done == [1])
    session = await sleeps(room, run_id)
    assert session.active is not None
    [key] = await left(room, run_id)
    message = "select message_id from chat_messages where session_id=?1"
    [(message_id,)] = await room.bridge.stand.rows(message, session.id)
    await room.bridge.stand.tell(
        "update watches set job_id=:m where key=:k and watcher_id=:r", m=message_id, k=key, r=run_id
    )
    await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")
    assert await Bridge(room.bridge.stand, session.id).ended(session.active.turn_id, 2) == "cancelled"
    assert await left(room, run_id) == []


async def test_nothing_is_asked_for_a_run_that_was_cancelled(room: Room):
    """15.7, W6: a task on its way when the cancel was marked leaves no session"""
    run_id = await room.bridge.stand.agent(graph("Waits", [node("wait", AWAIT, fact="go")], []))
    run_id = str((await room.bridge.stand.start(run_id))["id"])
    await room.bridge.stand.reaches(run_id, "waiting")
    user_id = room.bridge.stand.ann.actor.user_id
    errand = Errand(run_id, user_id, new_id(), new_id(), PilotOrder("hello"), None)
    desk = BlockPilot(room.bridge.chat)
    await room.bridge.stand.tell("update jobs set cancel_at=1 where id=:id", id=run_id)
    assert await desk.ask(errand) is False
    assert await sessions(room) == []
    assert await desk.standing(user_id, errand.session_id, errand.message_id) is None
    await room.bridge.stand.tell("update jobs set cancel_at=null where id=:id", id=run_id)
    assert await desk.ask(errand) is True
    assert await desk.ask(errand) is True
    assert len(await sessions(room)) == 1
    await room.bridge.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


async def test_w6_a_run_that_fails_elsewhere_stops_the_turn_too(room: Room):
    """15.7: nobody would read what it says"""
    document = pilot("rest now")
    waits = node("wait", AWAIT, fact="go")
    bad = node("bad", SPEND, {"on_error": "fail"}, fails=True)
    document["nodes"] = [*cast(list[Json], document["nodes"]), waits, bad]
    document["links"] = [*cast(list[Json], document["links"]), link("wait", "value", "bad", "value")]
    room.when("rest now", ("rest", {"n": 1}))
    run_id = await starts(room, document)
    await until(lambda: room.shop.done == [1])
    session = await sleeps(room, run_id)
    await room.go(run_id)
    assert (await room.bridge.stand.reaches(run_id, "failed"))["status"] == "failed"
    assert session.active is not None
    assert await Bridge(room.bridge.stand, session.id).ended(session.active.turn_id, 2) == "cancelled"


async def test_cancelling_the_turn_that_waits_for_the_run_reaches_down_to_the_blocks_turn(room: Room):
    """10.5, 15.7"""
    agent_id = await room.bridge.stand.agent(pilot("rest now"))
    room.when("rest now", ("rest", {"n": 1}))
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 300}))
    turn_id = await room.bridge.start("go")
    await until(lambda: room.shop.done == [1])
    await room.asleep()
    session = await only_session(room)
    assert session.metadata["parent_session_id"] == room.bridge.session_id
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    assert session.active is not None
    assert await Bridge(room.bridge.stand, session.id).ended(session.active.turn_id, 2) == "cancelled"


async def test_a_failed_turn_is_an_error_that_names_the_session(room: Room):
    """15.7: what it had spent by then counts"""
    run = await room.bridge.stand.run(pilot("<user_context>"))
    session = await only_session(room)
    assert run["status"] == "completed_with_errors"
    [error] = run["outputs"]["error"]
    assert session.id in error
    assert "There is nothing to answer." in error
    finished = [event for event in await room.bridge.stand.events(run["id"]) if event["type"] == "step.finished"]
    failed = next(event["error"] for event in finished if event["error"])
    assert (failed["code"], failed["detail"]["session_id"]) == ("autopilot_failed", session.id)
    assert await left(room, run["id"]) == []


async def test_what_takes_too_long_is_stopped_and_says_how_long_it_had(room: Room):
    """15.7, T2: six hours, or less when the agent says so"""
    run_id = await resting(room, policy={"timeout_s": 1})
    session = await only_session(room)
    run = await room.bridge.stand.reaches(run_id, "completed_with_errors")
    [error] = run["outputs"]["error"]
    assert session.id in error
    assert "1 seconds" in error
    assert session.active is not None
    assert await Bridge(room.bridge.stand, session.id).ended(session.active.turn_id, 2) == "cancelled"
    assert room.bridge.stand.house.api.registry[PILOT].timeout_s == 21_600


async def test_a_session_that_is_deleted_meanwhile_fails_the_step_and_is_not_made_again(room: Room):
    """15.7"""
    run_id = await resting(room)
    session = await only_session(room)
    await room.bridge.chat.delete_session(room.bridge.stand.ann.actor, session.id)
    run = await room.bridge.stand.reaches(run_id, "completed_with_errors")
    assert session.id in run["outputs"]["error"][0]
    assert await sessions(room) == []


async def test_a_step_that_is_tried_again_asks_anew(room: Room):
    """15.7, T1"""
    retry: JsonObject = {"retry": {"max_attempts": 2, "backoff_s": 0.05, "on": "any"}}
    run = await room.bridge.stand.run(pilot("<user_context>", retry))
    assert run["stats"]["retries"] == 1
    assert len(await sessions(room)) == 2


async def test_a_session_may_be_gone_on_with(room: Room):
    """15.7"""
    first = await room.bridge.stand.run(pilot("hello"))
    session_id = first["outputs"]["session_id"][0]
    second = await room.bridge.stand.run(pilot("again", session_id=session_id))
    assert second["outputs"]["session_id"] == [session_id]
    said = cast(list[dict[str, str]], loads(second["outputs"]["conversation_history"][0]))
    assert [one["content"] for one in said if one["role"] == "user"] == ["hello", "again"]
    assert second["outputs"]["token_usage"][0]["prompt_tokens"] == 11


async def test_a_busy_session_takes_the_task_into_its_turn_whose_result_it_is(room: Room):
    """15.7: the other turn is not the run's, which neither pays for it nor stops it"""
    room.when("rest", ("rest", {"n": 1}))
    turn_id = await room.bridge.start("rest")
    await until(lambda: room.shop.done == [1])
    run_id = await starts(room, pilot("and then this", session_id=room.bridge.session_id))
    cancelled = await starts(room, pilot("and that", session_id=room.bridge.session_id))
    for one in (run_id, cancelled):
        await room.bridge.stand.reaches(one, "waiting")
    await room.bridge.stand.ann.http.post(f"/api/v1/runs/{cancelled}/cancel")
    await room.bridge.stand.reaches(cancelled, "cancelled")
    room.shop.gate.set()
    run = await room.bridge.stand.reaches(run_id, "completed")
    assert await room.bridge.ended(turn_id) == "completed"
    told = [event for event in await room.bridge.events() if event.turn_id == turn_id]
    assert ["and then this"] in [event.data["texts"] for event in told if event.type == events.FOLLOW_UP]
    assert run["outputs"]["session_id"] == [room.bridge.session_id]
    assert "and then this" in run["outputs"]["response"][0]
    assert (run["stats"]["tokens"], run["stats"]["cost_microdollars"]) == ({}, {})


async def test_foreign_and_unknown_sessions_are_not_found(room: Room):
    """15.4, 15.7"""
    bob = await room.bridge.stand.house.person()
    foreign = (await bob.http.post("/api/v1/chat/sessions", json={})).json()["id"]
    errors = [
        (await room.bridge.stand.run(pilot("hi", session_id=one)))["outputs"]["error"] for one in (foreign, new_id())
    ]
    assert errors[0] == errors[1] == [SessionNotFound().message]
    await bob.leave()


async def test_what_sub_sessions_cost_counts_in_the_run(room: Room):
    """15.7, E3: once, and with the tokens of the turn itself"""
    room.when("delegates", ("run_sub_session", {"prompt": "below", "wait_for_result": 60}))
    run = await room.bridge.stand.run(pilot("delegates"))
    assert run["outputs"]["token_usage"][0]["total_tokens"] == 54
    assert run["stats"]["tokens"] == {"completion": 21, "prompt": 33}
    assert run["stats"]["cost_microdollars"] == {"openai": 0}
