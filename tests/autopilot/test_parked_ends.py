"""autopilot:8.4-8.6: how parked work ends when two things happen at once."""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from pilothouse.base import failpoints
from pilothouse.base.deferred import Deferred, wait_for
from pilothouse.base.tools import ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import events
from pilothouse.features.chat.limits import MAX_BACKGROUND_TASKS
from pilothouse.features.runs import tools as run_tools
from pilothouse.kit.json import Json
from tests.autopilot.room import Room, Wanted
from tests.autopilot.workshop import Done
from tests.base.waiting import until


def check(**more: object) -> Wanted:
    return "check_background_tool", {"background_id": "$parked", **more}


async def states(room: Room) -> list[str]:
    return [str(event.data["state"]) for event in await room.told(events.BACKGROUND)]


@pytest.fixture
def stubborn(room: Room) -> Room:
    """With tools that do not end at once when they are stopped: one is done then, one takes a while to put away."""
    box, shop = ToolBox(), room.shop

    @box.tool(label="Insisting", timeout_seconds=0.02)
    async def insist(ctx: ToolContext, n: int) -> ToolResult:
        """Be done as soon as somebody wants an end."""
        with suppress(asyncio.CancelledError):
            await shop.gate.wait()
        shop.left.append(n)
        return Done(message="All the same.", n=n)

    @box.tool(label="Lingering")
    async def linger(ctx: ToolContext, n: int) -> ToolResult:
        """Take more than a second to put everything away."""
        shop.done.append(n)
        try:
            await shop.gate.wait()
        finally:
            until_then = time.monotonic() + 1.2
            while time.monotonic() < until_then:
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.05)
            shop.left.append(n)
        return Done(message="Put away.", n=n)

    assert room.switch.pilot is not None
    room.switch.pilot = replace(room.switch.pilot, tools=ToolBox(room.switch.pilot.tools, box))
    return room


async def test_a_run_that_ends_before_the_cancel_reaches_it_tells_its_real_result(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    """8.5: never `cancelled`."""

    def sooner(kind: str, id: str, job_id: str, seconds: float, *, owned: bool = False, **memo: Json) -> Deferred:
        return wait_for(kind, id, job_id, seconds / 5, owned=owned, **memo)

    monkeypatch.setattr(run_tools, "wait_for", sooner)
    agent_id = await room.waiting_agent()
    room.when("go", ("run_agent", {"library_agent_id": agent_id, "wait_for_result": 1}))
    started = (await room.bridge.ask("go")).outputs[0]
    chat = room.installation.worker.chat
    turns = chat.turns

    async def too_late(user_id: str, run_id: str) -> bool:
        await room.go(run_id)
        await room.bridge.stand.reaches(run_id, "completed")
        return await turns.stop_run(user_id, run_id)

    monkeypatch.setattr(chat, "turns", replace(turns, stop_run=too_late))
    room.when("stop", ("check_background_tool", {"background_id": started["background_id"], "cancel": True}))
    told = (await room.bridge.ask("stop")).outputs[0]
    assert (told["status"], told["output"]["execution"]["outputs"]) == ("completed", {"said": [7]})


async def test_local_work_that_is_done_all_the_same_tells_its_real_result(stubborn: Room):
    """8.5: a cancel that finds it at its end."""
    stubborn.when("stop", ("insist", {"n": 1}))
    stubborn.then("stop", check(cancel=True))
    told = (await stubborn.bridge.ask("stop")).outputs[-1]
    assert (told["status"], told["output"]["message"]) == ("completed", "All the same.")
    assert await states(stubborn) == ["running", "completed"]


async def test_local_work_that_is_done_as_its_turn_ends_was_not_cancelled(stubborn: Room):
    """8.6: no notice says so, and a later turn is given its result."""
    stubborn.when("go", ("insist", {"n": 1}))
    said = await stubborn.bridge.ask("go")
    assert (await states(stubborn), said.of(events.NOTICE)) == (["running", "completed"], [])
    stubborn.when("later", ("check_background_tool", {"background_id": said.outputs[0]["background_id"]}))
    told = (await stubborn.bridge.ask("later")).outputs[0]
    assert (told["status"], told["output"]["message"]) == ("completed", "All the same.")


async def test_whoever_waits_for_what_another_call_stops_is_not_told_that_it_goes_on(room: Room):
    """8.5: of both calls of one round, only one is given the end."""
    room.when("go", ("dawdle", {"n": 1}))
    room.then("go", check(wait_seconds=60), check(cancel=True))
    said = await room.bridge.ask("go")
    told = sorted(output.get("status") or output["code"] for output in said.outputs[1:])
    assert told in (["cancelled", "cancelled"], ["cancelled", "not_found"])
    assert await states(room) == ["running", "cancelled"]


async def test_finished_work_that_makes_room_was_not_cancelled(room: Room):
    """8.4: there was nothing left to cancel."""
    room.when("go", ("dawdle", {"n": 0}))
    room.then("go", ("count_up", {"n": 50}))
    room.then("go", ("rest", {"n": 51}))
    room.then("go", *[("dawdle", {"n": n}) for n in range(1, MAX_BACKGROUND_TASKS + 1)])
    turn_id = await room.bridge.start("go")
    await until(lambda: 51 in room.shop.done)
    room.shop.gate.set()
    await until(lambda: 0 in room.shop.left)
    room.shop.gate.clear()
    assert await room.bridge.ended(turn_id) == "completed"
    first, *_ = [event.data["background_id"] for event in await room.told(events.BACKGROUND)]
    own = [event.data["state"] for event in await room.told(events.BACKGROUND) if event.data["background_id"] == first]
    assert own == ["running", "completed", "detached"]


async def test_a_worker_lost_as_the_turn_ends_leaves_neither_row_nor_log_behind(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    """8.6, 11.1: that the work was stopped stands in both, or in none."""
    lost = asyncio.Event()

    def lose(name: str) -> None:
        if name == "before_settle" and not lost.is_set():
            lost.set()
            raise asyncio.CancelledError

    monkeypatch.setattr(failpoints, "hit", lose)
    room.when("go", ("dawdle", {"n": 1}))
    turn_id = await room.bridge.start("go")
    await until(lost.is_set)
    await room.switch.replace_worker(room.installation)
    assert await room.bridge.ended(turn_id) == "completed"
    assert await states(room) == ["running", "cancelled"]
    assert [event.data["code"] for event in await room.told(events.NOTICE)] == ["background_cancelled"]


async def test_a_turn_that_was_cancelled_ends_when_its_calls_are_gone(stubborn: Room):
    """8.6, 10.5: no task is left behind, however long it takes to put away."""
    stubborn.when("go", ("linger", {"n": 1}))
    turn_id = await stubborn.bridge.start("go")
    await until(lambda: stubborn.shop.done == [1])
    await stubborn.bridge.chat.cancel_turn(stubborn.bridge.stand.ann.actor, stubborn.bridge.session_id)
    assert await stubborn.bridge.ended(turn_id) == "cancelled"
    assert stubborn.shop.left == [1]
