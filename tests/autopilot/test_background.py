"""autopilot:8.2-8.6, 8.8, autopilot-tools:BG1-BG4: work that outlasts its call goes on, is found, and given once."""

import pytest

from pilothouse.base.deferred import Deferred, wait_for
from pilothouse.features.chat import events
from pilothouse.features.chat.limits import MAX_BACKGROUND_TASKS
from pilothouse.features.runs import tools as run_tools
from pilothouse.kit.json import Json
from tests.autopilot.room import Found, Room, Wanted
from tests.base.waiting import until

KINDS = ("background_tool_list", "background_tool_status", "error")
LIST = ("check_background_tool", {"list": True})


def check(**more: object) -> Wanted:
    return "check_background_tool", {"background_id": "$parked", **more}


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is waited for a fifth of the time; `test_deferring.py` sits a whole second out."""

    def sooner(kind: str, id: str, job_id: str, seconds: float, *, owned: bool = False, **memo: Json) -> Deferred:
        return wait_for(kind, id, job_id, seconds / 5, owned=owned, **memo)

    monkeypatch.setattr(run_tools, "wait_for", sooner)


async def of(room: Room, kind: str) -> list[Found]:
    return [result for result in await room.results() if result["type"] == kind]


async def states(room: Room) -> list[str]:
    return [str(event.data["state"]) for event in await room.told(events.BACKGROUND)]


async def test_a_call_past_its_budget_is_parked_and_its_result_given_once(room: Room):
    """8.3, 8.5, BG1-BG3"""
    room.when("go", ("dawdle", {"n": 1}))
    room.then("go", LIST, check(wait_seconds=0))
    room.then("go", ("count_up", {"n": 2}), check(wait_seconds=60))
    room.then("go", LIST, check())
    turn_id = await room.bridge.start("go")
    await until(lambda: 2 in room.shop.done)
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"
    parked, lists, statuses, errors = [await of(room, kind) for kind in ("background", *KINDS)]
    assert [(one["tool"], one["timeout_seconds"]) for one in parked] == [("dawdle", 0.02)]
    assert [[task["done"] for task in one["tasks"]] for one in lists] == [[False], []]
    assert [one["status"] for one in statuses] == ["still_running", "completed"]
    assert statuses[1]["output"]["message"] == "At last."
    assert [one["code"] for one in errors] == ["not_found"]
    assert await states(room) == ["running", "completed"]
    assert room.shop.done == [1, 2]


async def test_what_fails_in_the_background_is_an_error_and_what_is_stopped_is_cancelled(room: Room):
    """8.5, BG3, BG4: a cancel that comes too late tells the real result."""
    room.when("fail", ("dawdle", {"n": 13}))
    room.then("fail", ("rest", {"n": 2}))
    room.then("fail", check(cancel=True))
    turn_id = await room.bridge.start("fail")
    await until(lambda: 2 in room.shop.done)
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"
    failed = (await room.results())[-1]
    assert (failed["status"], failed["output"]["code"]) == ("error", "internal")
    room.shop.gate.clear()
    room.when("stop", ("dawdle", {"n": 4}))
    room.then("stop", check(cancel=True))
    said = await room.bridge.ask("stop")
    assert said.outputs[-1]["status"] == "cancelled"
    assert room.shop.left == [13, 4]


async def test_in_a_dry_run_a_cancel_leaves_the_work_alone(room: Room):
    """8.5, BG4"""
    dry = await room.bridge.another(dry_run=True)
    room.when("stop", ("dawdle", {"n": 4}))
    room.then("stop", check(cancel=True))
    room.then("stop", check(wait_seconds=0))
    said = await dry.ask("stop")
    told = [output for output in said.outputs if output["type"] == "background_tool_status"]
    assert [one["status"] for one in told] == ["cancelled", "still_running"]
    assert told[0]["message"].startswith("[dry-run]")


async def test_local_work_ends_with_its_turn_and_a_notice_names_it(room: Room):
    """8.6: no task is left behind."""
    room.when("go", ("dawdle", {"n": 1}))
    said = await room.bridge.ask("go")
    assert room.shop.left == [1]
    assert await states(room) == ["running", "cancelled"]
    [notice] = said.of(events.NOTICE)
    assert (notice.data["code"], "dawdle" in str(notice.data["message"])) == ("background_cancelled", True)
    room.when("later", LIST)
    assert [task["done"] for task in (await room.bridge.ask("later")).outputs[0]["tasks"]] == [True]


async def test_local_work_that_is_lost_with_its_worker_is_an_error(room: Room):
    """8.6, 11.1"""
    room.when("go", ("dawdle", {"n": 1}))
    room.then("go", ("rest", {"n": 2}))
    room.then("go", check(wait_seconds=0))
    turn_id = await room.bridge.start("go")
    await until(lambda: 2 in room.shop.done)
    await room.switch.replace_worker(room.installation)
    assert room.shop.left == [1]
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"
    last = (await room.results())[-1]
    assert (last["status"], last["output"]["code"]) == ("error", "worker_lost")
    assert [event.data["code"] for event in await room.told(events.NOTICE)] == ["worker_lost"]


async def test_cancelling_the_turn_stops_local_work_and_calls_that_were_not_parked_yet(room: Room):
    """8.6, 10.5"""
    room.when("go", ("dawdle", {"n": 1}), ("dawdle", {"n": 2}))
    room.then("go", ("rest", {"n": 3}))
    turn_id = await room.bridge.start("go")
    await until(lambda: 3 in room.shop.done)
    await room.bridge.chat.cancel_turn(room.bridge.stand.ann.actor, room.bridge.session_id)
    assert await room.bridge.ended(turn_id) == "cancelled"
    assert sorted(room.shop.left) == [1, 2]
    assert sorted(await states(room)) == ["cancelled", "cancelled", "running", "running"]


async def test_the_turn_stays_awake_for_local_work_while_another_call_waits(room: Room):
    """8.7: only what other jobs do can be slept for."""
    agent_id = await room.waiting_agent()
    room.when("go", ("dawdle", {"n": 1}))
    room.then("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 60}))
    room.then("go", check(wait_seconds=30))
    turn_id = await room.bridge.start("go")
    await room.go(await room.only_run())
    await until(lambda: _has(room, "agent_output"))
    room.shop.gate.set()
    assert await room.bridge.ended(turn_id) == "completed"
    assert await room.told(events.TURN_SUSPENDED) == []
    assert (await room.results())[-1]["status"] == "completed"


async def _has(room: Room, kind: str) -> bool:
    return kind in [result["type"] for result in await room.results()]


@pytest.mark.usefixtures("brief")
async def test_a_run_that_was_handed_back_is_found_in_a_later_turn(room: Room):
    """8.4, 8.6: it survives its turn; waiting for it again is sleeping."""
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 1}))
    started = (await room.bridge.ask("go")).outputs[0]
    run_id = await room.only_run()
    rows = await room.bridge.stand.rows("select id, kind, ref_id from chat_background where ref_id=?1", run_id)
    assert rows == [(started["background_id"], "run", run_id)]
    room.when("wait", ("check_background_tool", {"background_id": started["background_id"], "wait_seconds": 60}))
    turn_id = await room.bridge.start("wait")
    await room.asleep()
    await room.go(run_id)
    assert await room.bridge.ended(turn_id) == "completed"
    status = (await room.results())[-1]
    assert (status["status"], status["output"]["execution"]["outputs"]) == ("completed", {"said": [7]})
    other = await room.bridge.another()
    assert (await other.ask("wait")).outputs[0]["code"] == "not_found"
    assert (await room.bridge.ask("wait")).outputs[0]["code"] == "not_found"


@pytest.mark.usefixtures("brief")
async def test_a_handed_back_run_may_be_stopped(room: Room):
    """8.5"""
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 1}))
    started = (await room.bridge.ask("go")).outputs[0]
    room.when("stop", ("check_background_tool", {"background_id": started["background_id"], "cancel": True}))
    assert (await room.bridge.ask("stop")).outputs[0]["status"] == "cancelled"
    assert (await room.bridge.stand.reaches(started["execution_id"], "cancelled"))["status"] == "cancelled"


async def test_the_oldest_makes_room_and_a_notice_says_so(room: Room):
    """8.4"""
    count = MAX_BACKGROUND_TASKS + 1
    room.when("go", *[("dawdle", {"n": n}) for n in range(count)])
    room.then("go", LIST)
    said = await room.bridge.ask("go")
    assert len(said.outputs[-1]["tasks"]) == MAX_BACKGROUND_TASKS
    codes = [str(event.data["code"]) for event in said.of(events.NOTICE)]
    assert (codes.count("background_evicted"), codes.count("background_cancelled")) == (1, MAX_BACKGROUND_TASKS)
    assert sorted(room.shop.left) == list(range(count))


async def test_missing_ids_are_asked_for(room: Room):
    """BG1, BG2"""
    room.when("go", LIST, ("check_background_tool", {}))
    said = await room.bridge.ask("go")
    by_type = {output["type"]: output for output in said.outputs}
    assert by_type["background_tool_list"]["tasks"] == []
    assert by_type["error"]["code"] == "missing_background_id"


async def test_a_long_result_is_cut_for_the_model_and_can_be_read_on(room: Room):
    """8.8, T10: the stored one is whole; another session cannot read it."""
    room.when("go", ("recite", {"length": 100_000}))
    said = await room.bridge.ask("go")
    assert len(said.outputs[0]["text"]) == 100_000
    shown = next(m for m in room.script.asked[-1]["messages"] if m["role"] == "tool")["content"]
    assert "read_tool_result" in shown
    assert len(shown) == 70_000
    call_id = said.of(events.TOOL_OUTPUT_AVAILABLE)[0].data["tool_call_id"]
    room.when("more", ("read_tool_result", {"tool_call_id": call_id, "offset": 70_000, "length": 1_000}))
    read = (await room.bridge.ask("more")).outputs[0]
    assert (read["offset"], len(read["content"]), read["truncated"]) == (70_000, 1_000, True)
    assert read["total"] > 100_000
    other = await room.bridge.another()
    assert (await other.ask("more")).outputs[0]["code"] == "not_found"
