"""autopilot:8.4-8.6, 15.5: runs and sub-sessions in the background: which goes first, who sees them, what is told."""

import pytest

from pilothouse.base.deferred import Deferred, wait_for
from pilothouse.features.chat import events
from pilothouse.features.chat.limits import MAX_BACKGROUND_TASKS
from pilothouse.features.chat.outcomes import progress_of
from pilothouse.features.chat.tools import sub_sessions
from pilothouse.features.runs import tools as run_tools
from pilothouse.kit.json import Json, dumps
from tests.autopilot.bridge import Bridge
from tests.autopilot.room import Found, Room
from tests.base.waiting import until

LIST = ("check_background_tool", {"list": True})
DELEGATE = ("run_sub_session", {"prompt": "rest below", "wait_for_result": 1})
REST = ("rest", {"n": 100})


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for is handed back after a twentieth of the time."""

    def sooner(kind: str, id: str, job_id: str, seconds: float, *, owned: bool = False, **memo: Json) -> Deferred:
        return wait_for(kind, id, job_id, seconds / 20 if owned else seconds, owned=owned, **memo)

    monkeypatch.setattr(run_tools, "wait_for", sooner)
    monkeypatch.setattr(sub_sessions, "wait_for", sooner)


async def _parked(room: Room) -> list[str]:
    """Their ids, in the order in which they were parked."""
    told = [event.data for event in await room.told(events.BACKGROUND)]
    return [str(data["background_id"]) for data in told if data["state"] == "running"]


async def _became(room: Room, state: str) -> list[str]:
    told = [event.data for event in await room.told(events.BACKGROUND)]
    return [str(data["background_id"]) for data in told if data["state"] == state]


async def _rested_below(room: Room) -> Found:
    """A sub-session that works, and was handed back."""
    room.when("please", DELEGATE)
    room.when("rest below", REST)
    return (await room.bridge.ask("please")).outputs[0]


async def test_the_oldest_goes_first_and_a_run_and_a_sub_session_only_leave_the_list(room: Room):
    """8.4: local work is cancelled, but these go on to their ends."""
    agent_id = await room.waiting_agent()
    room.when("rest below", REST)
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 1}))
    room.then("go", DELEGATE)
    room.then("go", ("dawdle", {"n": 0}))
    room.then("go", *[("dawdle", {"n": n}) for n in range(1, MAX_BACKGROUND_TASKS)])
    room.then("go", ("dawdle", {"n": 99}))
    room.then("go", LIST)
    said = await room.bridge.ask("go")
    run, child, first, *_ = parked = await _parked(room)
    notices = [str(event.data["message"]) for event in said.of(events.NOTICE) if "evicted" in str(event.data["code"])]
    assert [words.rpartition("(")[2].rstrip(").") for words in notices] == [run, child, first]
    assert (await _became(room, "detached"), room.shop.left[0]) == ([run, child], 0)
    assert {task["background_id"] for task in said.outputs[-1]["tasks"]} == {*parked[3:]}
    run_id, sub_id = str(said.outputs[0]["execution_id"]), str(said.outputs[1]["sub_session_id"])
    await room.go(run_id)
    assert (await room.bridge.stand.reaches(run_id, "completed", "cancelled"))["status"] == "completed"
    room.shop.gate.set()
    await until(lambda: _status_of(room, sub_id, "completed"))


async def _status_of(room: Room, session_id: str, status: str) -> bool:
    rows = await room.bridge.stand.rows("select status from chat_turns where session_id=?1", session_id)
    return rows == [(status,)]


async def test_a_parked_sub_session_outlives_its_turn_and_its_worker_and_is_given_once(room: Room):
    """8.4-8.6: a row of the session, found in later turns."""
    handed = await _rested_below(room)
    assert handed["status"] == "running"
    (background_id,) = await _parked(room)
    kept = "select id, tool, kind, ref_id from chat_background where session_id=?1"
    rows = await room.bridge.stand.rows(kept, room.bridge.session_id)
    assert rows == [(background_id, "run_sub_session", "sub_session", handed["sub_session_id"])]
    await room.switch.replace_worker(room.installation)  # that of the sub-session, the last that was begun
    room.when("list", LIST)
    (task,) = (await room.bridge.ask("list")).outputs[0]["tasks"]
    assert (task["background_id"], task["tool"], task["done"]) == (background_id, "run_sub_session", False)
    room.shop.gate.set()
    room.when("wait", ("check_background_tool", {"background_id": background_id, "wait_seconds": 60}))
    told = (await room.bridge.ask("wait")).outputs[0]
    assert (told["status"], told["output"]["sub_session_id"]) == ("completed", handed["sub_session_id"])
    assert (await room.bridge.ask("wait")).outputs[0]["code"] == "not_found"
    assert (await room.bridge.ask("list")).outputs[0]["tasks"] == []


async def test_a_parked_sub_session_may_be_stopped(room: Room):
    """8.5: it is told at once, and its turn ends."""
    handed = await _rested_below(room)
    (background_id,) = await _parked(room)
    room.when("stop", ("check_background_tool", {"background_id": background_id, "cancel": True}))
    assert (await room.bridge.ask("stop")).outputs[0]["status"] == "cancelled"
    await until(lambda: _status_of(room, str(handed["sub_session_id"]), "cancelled"))


async def test_a_sub_session_does_not_see_what_its_parent_has_in_the_background(room: Room):
    """8.5: neither in the list nor by its id, to wait for or to stop."""
    agent_id = await room.waiting_agent()
    room.when("run", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 1}))
    background_id = (await room.bridge.ask("run")).outputs[0]["background_id"]
    wait, stop = ({"background_id": background_id, **more} for more in ({"wait_seconds": 1}, {"cancel": True}))
    room.when("look below", LIST)
    room.then("look below", ("check_background_tool", wait))
    room.then("look below", ("check_background_tool", stop))
    room.when("please", ("run_sub_session", {"prompt": "look below", "wait_for_result": 300}))
    calls = (await room.bridge.ask("please")).outputs[0]["tool_calls"]
    seen = [call["output"].get("code") or call["output"]["tasks"] for call in calls]
    assert seen == [[], "not_found", "not_found"]
    room.when("list", LIST)
    (task,) = (await room.bridge.ask("list")).outputs[0]["tasks"]
    assert (task["background_id"], task["done"]) == (background_id, False)


async def test_progress_is_the_count_and_the_last_five_messages_of_400_characters(room: Room):
    """15.5"""
    other = await room.bridge.another()
    for n in range(3):
        await other.ask(f"{n}" * 500)
    shown = await progress_of(room.bridge.stand.house.api.reader, other.session_id)
    assert shown is not None
    assert shown["message_count"] == 6
    last = shown["last_messages"]
    assert isinstance(last, list)
    assert [one["role"] for one in last if isinstance(one, dict)] == ["assistant", *["user", "assistant"] * 2]
    assert last[1] == {"role": "user", "content": "1" * 400}


@pytest.mark.parametrize("data", [{}, None, "odd"])
async def test_progress_that_cannot_be_read_is_left_out(room: Room, data: Json):
    """15.5: the rest of the answer stands."""
    child = str((await _rested_below(room))["sub_session_id"])
    await until(lambda: 100 in room.shop.done)
    await _append(room, child, ["text-end", await _turn_of(room, child), 1, data])
    look = {"sub_session_id": child, "wait_if_running": 0, "include_progress": True}
    room.when("how far", ("get_sub_session_result", look))
    told = (await room.bridge.ask("how far")).outputs[0]
    assert (told["status"], "progress" in told) == ("running", False)
    await Bridge(room.bridge.stand, child).chat.cancel_turn(room.bridge.stand.ann.actor, child)


async def _turn_of(room: Room, session_id: str) -> str:
    return (await room.bridge.stand.rows("select id from chat_turns where session_id=?1", session_id))[0][0]


async def _append(room: Room, session_id: str, entry: list[Json]) -> None:
    """Put something into a log that no code of ours writes."""
    stand = room.bridge.stand
    await stand.tell("update chat_sessions set head=head+1 where id=:id", id=session_id)
    ((head,),) = await stand.rows("select head from chat_sessions where id=?1", session_id)
    sql = "insert into segments (log_id, first, last, fence, body) values (:id, :head, :head, 0, :body)"
    await stand.tell(sql, id=session_id, head=head, body=dumps([entry]))
