"""autopilot:1.5, 8.7, 10.5, 14.2-14.4, 15.1-15.6, autopilot-tools:SS1-SS5: work that is handed to other sessions."""

import pytest

from pilothouse.base.permissions import UNRESTRICTED
from pilothouse.features.chat import TurnLimit, events, queries
from pilothouse.features.chat.delegating import Order
from pilothouse.features.chat.delegating import delegate as delegated
from pilothouse.features.chat.errors import ParentOver
from pilothouse.features.models import BudgetExceeded
from pilothouse.kit.ids import new_id
from tests.autopilot.bridge import Bridge
from tests.autopilot.room import Room, Wanted, outputs_of
from tests.base.waiting import until


async def sub_sessions(room: Room) -> list[str]:
    sql = "select id from chat_sessions where user_id=?1 and parent_session_id is not null order by id"
    return [row[0] for row in await room.bridge.stand.rows(sql, room.bridge.stand.ann.actor.user_id)]


def delegate(prompt: str, **more: object) -> Wanted:
    return "run_sub_session", {"prompt": prompt, **more}


async def test_the_answer_of_a_sub_session_comes_back(room: Room):
    """15.1, SS1: an ordinary session with a parent, reached by its link; the parent sleeps meanwhile."""
    room.when("please", delegate("count to three", wait_for_result=60))
    room.when("count to three", ("count_up", {"n": 3}))
    said = await room.bridge.ask("please")
    assert said.status == "completed"
    [status] = said.outputs
    [child] = await sub_sessions(room)
    assert (status["type"], status["status"], status["sub_session_id"]) == ("sub_session_status", "completed", child)
    assert status["sub_autopilot_session_link"] == f"/chat/{child}"
    assert "Heard: " in status["response"]
    assert [(call["tool_name"], call["success"]) for call in status["tool_calls"]] == [("count_up", True)]
    assert events.TURN_SUSPENDED in [event.type for event in said.events]
    view = await queries.get_session(room.bridge.stand.house.api.reader, room.bridge.stand.ann.actor, child)
    assert (view.origin, view.metadata["depth"], view.metadata["parent_turn_id"]) == (
        "sub_session",
        1,
        said.events[0].turn_id,
    )
    http = room.bridge.stand.ann.http
    listed = [one["id"] for one in (await http.get("/api/v1/chat/sessions")).json()["sessions"]]
    everything = [one["id"] for one in (await http.get("/api/v1/chat/sessions?include_sub=true")).json()["sessions"]]
    assert child not in listed
    assert child in everything


async def test_a_slow_one_is_running_first_and_completed_later(room: Room):
    """SS1, 15.4, 15.5: while it works no earlier answer is given, but its progress."""
    room.when("please", delegate("rest now", wait_for_result=0))
    room.when("rest now", ("rest", {"n": 1}))
    started = await room.bridge.ask("please")
    assert started.outputs[0]["status"] == "running"
    child = started.outputs[0]["sub_session_id"]
    look = {"sub_session_id": child, "wait_if_running": 0, "include_progress": True}
    room.when("how far", ("get_sub_session_result", look))
    shown = (await room.bridge.ask("how far")).outputs[0]
    assert (shown["status"], shown.get("response")) == ("running", None)
    assert shown["progress"]["message_count"] == 2
    assert shown["progress"]["last_messages"][0] == {"role": "user", "content": "rest now"}
    room.when("wait", ("get_sub_session_result", {"sub_session_id": child, "wait_if_running": 60}))
    turn_id = await room.bridge.start("wait")
    await room.asleep()
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"
    assert (await room.results())[-1]["status"] == "completed"


async def test_what_fails_below_is_an_error_with_the_childs_words(room: Room):
    """15.2"""
    room.when("fails", delegate("stumble", wait_for_result=30))
    room.when("stumble", ("stumble", {"n": 1}))
    said = await room.bridge.ask("fails")
    assert said.outputs[0]["status"] == "completed"  # a failing call is a result; the child went on
    assert said.outputs[0]["tool_calls"][0]["success"] is False
    room.when("empty", delegate("<user_context>", wait_for_result=30))
    failed = (await room.bridge.ask("empty")).outputs[0]
    assert (failed["status"], failed["error"]) == ("error", "There is nothing to answer.")


async def test_a_busy_session_is_given_the_task_for_later(room: Room):
    """15.3, SS3"""
    busy = await room.bridge.another()
    room.when("rest", ("rest", {"n": 1}))
    first = await busy.start("rest")
    await until(lambda: room.shop.done == [1])
    asked = {"sub_autopilot_session_id": busy.session_id}
    room.when("later", delegate("and then", wait_for_result=0, **asked))
    queued = (await room.bridge.ask("later")).outputs[0]
    assert (queued["status"], queued["pending_buffer_length"]) == ("queued", 1)
    assert await sub_sessions(room) == []
    room.when("stay", delegate("and last", wait_for_result=60, **asked))
    turn_id = await room.bridge.start("stay")
    await room.asleep()
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"
    assert (await room.results())[-1]["status"] == "queued"
    assert await room.bridge.ended(first) == "completed"
    assert "and last" in str([event.data for event in await busy.events()])


async def test_foreign_unknown_and_circular_targets_are_refused(room: Room):
    """15.4, SS2, T13"""
    bob = await room.bridge.stand.house.person()
    foreign = (await bob.http.post("/api/v1/chat/sessions", json={})).json()["id"]
    own, unknown = room.bridge.session_id, new_id()
    targets = {"foreign": foreign, "unknown": unknown, "own": own}
    for word, target in targets.items():
        room.when(f"go {word}", delegate("x", sub_autopilot_session_id=target))
        room.when(f"look {word}", ("get_sub_session_result", {"sub_session_id": target, "wait_if_running": 1}))
    codes = [(await room.bridge.ask(f"go {word}")).outputs[0]["code"] for word in targets]
    assert codes == ["not_found", "not_found", "would_cycle"]
    looked = [(await room.bridge.ask(f"look {word}")).outputs[0] for word in ("foreign", "unknown")]
    assert looked[0] == looked[1]
    assert looked[0]["code"] == "not_found"
    await bob.leave()


async def test_nesting_ends_after_three(room: Room):
    """15.6"""
    room.when("one", delegate("two", wait_for_result=60))
    room.when("two", delegate("three", wait_for_result=60))
    room.when("three", delegate("four", wait_for_result=60))
    room.when("four", delegate("five", wait_for_result=60))
    assert (await room.bridge.ask("one")).status == "completed"
    depths: list[int] = []
    codes: list[str] = []
    for child in await sub_sessions(room):
        view = await queries.get_session(room.bridge.stand.house.api.reader, room.bridge.stand.ann.actor, child)
        depths.append(int(str(view.metadata["depth"])))
        told = await Bridge(room.bridge.stand, child).events()
        codes += [output["code"] for output in outputs_of(told) if output["type"] == "error"]
    assert sorted(depths) == [1, 2, 3]
    assert codes == ["nesting_limit"]


async def test_cancelling_a_turn_reaches_what_it_delegated_and_what_that_waits_for(room: Room):
    """10.5, 15.5: down to the run that a child of the child waits for."""
    agent_id = await room.waiting_agent()
    room.when("one", delegate("two", wait_for_result=300))
    room.when("two", delegate("three", wait_for_result=300))
    room.when("three", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 300}))
    turn_id = await room.bridge.start("one")
    run_id = await room.only_run()
    for child in await sub_sessions(room):
        await room.asleep(child)
    await room.asleep()
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    assert (await room.bridge.stand.reaches(run_id, "cancelled"))["status"] == "cancelled"
    user_id = room.bridge.stand.ann.actor.user_id
    rows = await room.bridge.stand.rows("select status from chat_turns where user_id=?1", user_id)
    assert [row[0] for row in rows] == ["cancelled"] * 3
    assert await room.bridge.stand.rows("select 1 from watches w join chat_turns t on t.id=w.watcher_id") == []


async def test_cancelling_reaches_a_turn_that_was_begun_in_a_session_which_was_there(room: Room):
    """10.5: nobody waits for it. What its owner begins there himself, or another turn did, goes on."""
    old, his, other = [await room.bridge.another() for _ in range(3)]
    room.when("rest", ("rest", {"n": 1}))
    room.when("elsewhere", delegate("there, rest", sub_autopilot_session_id=other.session_id, wait_for_result=0))
    await room.bridge.ask("elsewhere")
    go_on = delegate("now, rest", sub_autopilot_session_id=old.session_id, wait_for_result=0)
    room.when("please", go_on, ("rest", {"n": 2}))
    own = await his.start("you too, rest")
    turn_id = await room.bridge.start("please")
    await until(lambda: sorted(room.shop.done) == [1, 1, 1, 2])
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    await until(lambda: _is_idle(room, old.session_id))
    assert [await _is_idle(room, one.session_id) for one in (his, other)] == [False, False]
    room.shop.gate.set()
    assert await his.ended(own) == "completed"
    sql = "select origin, status from chat_turns where session_id=?1"
    assert await room.bridge.stand.rows(sql, old.session_id) == [("sub_session", "cancelled")]
    await until(lambda: _is_idle(room, other.session_id))
    assert await room.bridge.stand.rows(sql, other.session_id) == [("sub_session", "completed")]


async def test_a_model_may_cancel_what_it_delegated_and_a_late_cancel_tells_the_truth(room: Room):
    """15.5, SS4"""
    room.when("please", delegate("rest now", wait_for_result=0))
    room.when("rest now", ("rest", {"n": 1}))
    child = (await room.bridge.ask("please")).outputs[0]["sub_session_id"]
    room.when("stop", ("get_sub_session_result", {"sub_session_id": child, "cancel": True}))
    assert (await room.bridge.ask("stop")).outputs[0]["status"] == "cancelled"
    await until(lambda: _is_idle(room, child))
    room.when("quick", delegate("hello", wait_for_result=30))
    other = (await room.bridge.ask("quick")).outputs[0]["sub_session_id"]
    room.when("too late", ("get_sub_session_result", {"sub_session_id": other, "cancel": True}))
    assert (await room.bridge.ask("too late")).outputs[0]["status"] == "completed"


async def _is_idle(room: Room, session_id: str) -> bool:
    view = await queries.get_session(room.bridge.stand.house.api.reader, room.bridge.stand.ann.actor, session_id)
    return view.active is None


async def test_limits_and_dry_runs_are_inherited(room: Room):
    """14.2, 14.3, 14.4, 15.1, SS5: the child has no tool that its parent lacks, also when its owner writes in it."""
    dry = await room.bridge.another(dry_run=True)
    narrow = {"tools": ["count_up", "rest"], "tools_exclude": True}
    room.when("please", delegate("task", wait_for_result=30, system_context="be kind"))
    said = await dry.ask("please", permissions=narrow)
    child = said.outputs[0]["sub_session_id"]
    view = await queries.get_session(room.bridge.stand.house.api.reader, room.bridge.stand.ann.actor, child)
    assert view.metadata["dry_run"] is True
    assert view.metadata["permissions"] == narrow
    asked = next(body for body in room.script.asked if "be kind" in str(body["messages"]))
    assert "not a rule of the platform" in str(asked["messages"])
    inside = Bridge(room.bridge.stand, child)
    await inside.ask("hello again")
    for body in (asked, room.script.asked[-1]):
        offered = {tool["function"]["name"] for tool in body["tools"]}
        assert "run_sub_session" in offered
        assert not offered & {"count_up", "rest"}
    room.when("cancel", ("get_sub_session_result", {"sub_session_id": child, "cancel": True}))
    assert (await dry.ask("cancel")).outputs[0]["status"] == "completed"


async def test_a_turn_that_waited_for_its_place_is_limited_when_it_gets_it(room: Room):
    """14.4, 2.6: the filter goes with the turn through the queue, and with what it delegates then"""
    room.when("rest", ("rest", {"n": 1}))
    running = [await (await room.bridge.another()).start("rest") for _ in range(5)]
    await until(lambda: len(room.shop.done) == 5)
    room.when("limited", delegate("below", wait_for_result=30))
    narrow = {"tools": ["count_up", "rest"], "tools_exclude": True}
    held = await room.bridge.start("limited", permissions=narrow)
    view = await queries.get_session(
        room.bridge.stand.house.api.reader, room.bridge.stand.ann.actor, room.bridge.session_id
    )
    assert view.status == "queued"
    room.shop.gate.set()
    assert [await room.bridge.ended(turn_id) for turn_id in (*running, held)] == ["completed"] * 6
    asked = [body for body in room.script.asked if any(word in str(body["messages"]) for word in ("limited", "below"))]
    assert len(asked) >= 3
    for body in asked:
        offered = {tool["function"]["name"] for tool in body["tools"]}
        assert "stumble" in offered
        assert not offered & {"count_up", "rest"}


async def test_too_many_turns_leave_no_session_behind(room: Room):
    """2.6, SS3"""
    room.when("rest", ("rest", {"n": 1}))
    turns = [await (await room.bridge.another()).start("rest") for _ in range(15)]
    order = Order("one more", "", "", room.bridge.session_id, turns[0], "k", UNRESTRICTED, dry_run=False)
    with pytest.raises(TurnLimit):
        await delegated(room.bridge.chat, room.bridge.stand.ann.actor, order)
    assert await sub_sessions(room) == []
    room.shop.gate.set()
    for turn_id in turns:
        assert await room.bridge.ended(turn_id) == "completed"


async def test_a_spent_budget_leaves_no_session_behind(room: Room, monkeypatch: pytest.MonkeyPatch):
    """2.9, 15.1: the day may be spent between the parent's last call and this one."""

    async def spent(user_id: str) -> None:
        raise BudgetExceeded

    room.when("rest", ("rest", {"n": 1}))
    turn_id = await room.bridge.start("rest")
    await until(lambda: room.shop.done == [1])
    order = Order("dear", "", "", room.bridge.session_id, turn_id, "k", UNRESTRICTED, dry_run=False)
    with monkeypatch.context() as patch:
        patch.setattr(room.bridge.chat, "check_spend", spent)
        with pytest.raises(BudgetExceeded):
            await delegated(room.bridge.chat, room.bridge.stand.ann.actor, order)
    assert await sub_sessions(room) == []
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"


async def test_nothing_is_started_for_a_turn_that_was_cancelled(room: Room):
    """10.5: a delegation on its way when the cancel was marked."""
    room.when("rest", ("rest", {"n": 1}))
    turn_id = await room.bridge.start("rest")
    await until(lambda: room.shop.done == [1])
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    order = Order("too late", "", "", room.bridge.session_id, turn_id, "k", UNRESTRICTED, dry_run=False)
    with pytest.raises(ParentOver):
        await delegated(room.bridge.chat, room.bridge.stand.ann.actor, order)
    assert await sub_sessions(room) == []
