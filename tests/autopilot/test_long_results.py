"""autopilot:8.8, autopilot-tools:T10: a result too long for the model is cut in its copy, and a file has the whole."""

import asyncio
from dataclasses import replace
from typing import Literal, cast

import pytest

from pilothouse.autopilot import parts_for_tools
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.shelving import shelved_result
from pilothouse.base.committer import Write, WriteSet
from pilothouse.base.tools import Outcome, ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import MAX_TOOL_TEXT, events, whole_copy
from pilothouse.features.files import SHELVE, Cabinet, Limits, Shelved
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject, loads
from tests.autopilot.bridge import Said
from tests.autopilot.room import Found, Room

FILES = "select id, path, revision from workspace_files where user_id=?1"
NASTY = 'He said: "жук\n\\🎈" '


class Lines(ToolResult):
    type: Literal["lines"] = "lines"
    lines: list[str]


def _taught(room: Room) -> None:
    async def list_lines(ctx: ToolContext, line: str, count: int) -> ToolResult:
        """Say many short things."""
        return Lines(message="Listed.", lines=[line] * count)

    pilot = room.switch.pilot
    assert pilot is not None
    more = ToolBox(pilot.tools)
    more.tool(label="Listing")(list_lines)
    room.switch.pilot = replace(pilot, tools=more)


def _shown(room: Room) -> str:
    """The model's copy of the last result, as it was sent."""
    return [m for m in room.script.asked[-1]["messages"] if m["role"] == "tool"][-1]["content"]


def _copy(room: Room) -> Found:
    return cast(Found, loads(_shown(room)))


def _result(said: Said) -> Found:
    return cast(Found, said.of(events.TOOL_OUTPUT_AVAILABLE)[0].data)


async def _files(room: Room) -> list[tuple[str, str, int]]:
    return await room.bridge.stand.rows(FILES, room.bridge.stand.ann.actor.user_id)


async def test_the_whole_of_a_long_result_is_a_file_that_the_copy_names(room: Room):
    """8.8, T10: quotes, line ends and letters of others; the stored result stays the tool's own."""
    _taught(room)
    room.when("go", ("list_lines", {"line": NASTY, "count": 5_000}))
    said = await room.bridge.ask("go")
    stored, shown = _result(said), _shown(room)
    assert (len(stored["output"]["lines"]), "file_id" in stored["output"]) == (5_000, False)
    assert MAX_TOOL_TEXT - 8 <= len(shown) <= MAX_TOOL_TEXT
    assert f'"file_id":"{stored["file_id"]}","workspace_path":"{stored["workspace_path"]}"' in shown
    ((file_id, path, _),) = await _files(room)
    assert (file_id, path) == (stored["file_id"], stored["workspace_path"])
    assert path.startswith(f"/sessions/{room.bridge.session_id}/tool-results/list_lines-")
    cabinet, user_id = room.bridge.stand.house.api.cabinet, room.bridge.stand.ann.actor.user_id
    kept = await cabinet.read(await cabinet.find(user_id, file_id), 10_000_000)
    assert kept.decode() == whole_copy(stored["output"])
    room.when("more", ("read_workspace_file", {"file_id": file_id, "offset": 100_000, "length": 50}))
    assert (await room.bridge.ask("more")).outputs[0]["content"] == kept.decode()[100_000:100_050]


async def test_what_is_read_on_joins_what_was_shown_and_is_not_cut_again(room: Room):
    """8.8: JSON in JSON is mostly quotes; a read tells as many characters as fit."""
    _taught(room)
    room.when("go", ("list_lines", {"line": '"', "count": 30_000}))
    whole = whole_copy(_result(await room.bridge.ask("go"))["output"])
    copy = _copy(room)
    assert (copy["text"], copy["total"]) == (whole[: copy["shown"]], len(whole))
    room.when("more", ("read_tool_result", {"tool_call_id": copy["tool_call_id"], "offset": copy["shown"]}))
    await room.bridge.ask("more")
    read = _copy(room)
    assert (read["type"], read["truncated"], len(read["content"]) > 30_000) == ("tool_result_text", True, True)
    assert whole.startswith(copy["text"] + read["content"])
    room.when("file", ("read_workspace_file", {"file_id": copy["file_id"], "offset": copy["shown"]}))
    await room.bridge.ask("file")
    read = _copy(room)
    assert (read["type"], read["truncated"]) == ("workspace_file_content", True)
    assert read["next_offset"] == copy["shown"] + len(read["content"])
    assert whole.startswith(copy["text"] + read["content"])
    assert len(await _files(room)) == 1


async def test_a_short_result_is_no_file(room: Room):
    room.when("go", ("recite", {"length": 60_000}))
    said = await room.bridge.ask("go")
    assert ("file_id" in _result(said), await _files(room)) == (False, [])


async def test_without_room_for_a_file_the_result_is_cut_all_the_same(room: Room):
    """8.8: the call's id goes on to read it."""
    pilot = room.switch.pilot
    assert pilot is not None
    cabinet = replace(room.installation.worker.cabinet, limits=Limits(quota_bytes=50_000))
    room.switch.pilot = replace(pilot, parts={**pilot.parts, Cabinet: cabinet})
    room.when("go", ("recite", {"length": 100_000}))
    said = await room.bridge.ask("go")
    assert (said.status, "file_id" in _result(said), await _files(room)) == ("completed", False, [])
    assert len(_shown(room)) == MAX_TOOL_TEXT
    room.when("more", ("read_tool_result", {"tool_call_id": "call_1", "offset": 99_000, "length": 10}))
    assert (await room.bridge.ask("more")).outputs[0]["content"] == "y" * 10


async def test_the_file_lands_in_the_write_that_logs_the_result(room: Room, monkeypatch: pytest.MonkeyPatch):
    """8.8, 11.1: until then neither is there; the worker that goes on makes the call again, and one file."""
    held, keep = asyncio.Event(), TurnRecord.keep_result

    async def keep_later(
        record: TurnRecord, call_id: str, tool: str, outcome: Outcome, ms: int, file: Shelved | None
    ) -> Json:
        if not held.is_set():
            held.set()
            await asyncio.Event().wait()
        return await keep(record, call_id, tool, outcome, ms, file)

    monkeypatch.setattr(TurnRecord, "keep_result", keep_later)
    room.when("go", ("recite", {"length": 100_000}))
    turn_id = await room.bridge.start("go")
    await held.wait()
    assert await _files(room) == []
    await room.switch.replace_worker(room.installation)
    assert await room.bridge.ended(turn_id) == "completed"
    (told,) = await room.told(events.TOOL_OUTPUT_AVAILABLE)
    assert await _files(room) == [(told.data["file_id"], told.data["workspace_path"], 1)]


async def test_a_call_that_is_made_again_makes_the_same_file(room: Room):
    """11.2: the first process was lost with the file taken in; its room is the second one's."""
    house = room.bridge.stand.house.worker
    session_id, turn_id, actor = room.bridge.session_id, new_id(), room.bridge.stand.ann.actor
    ctx = ToolContext(actor, session_id, turn_id, "c1", f"{turn_id}:c1", house.units, parts_for_tools(house))
    output: JsonObject = {"type": "recited", "text": "y" * 100_000}
    lost = shelved_result(ctx, "recite", output)
    first = await lost.__aenter__()
    async with shelved_result(ctx, "recite", output) as second:
        assert first is not None
        assert second is not None
        writes: list[Write] = [(SHELVE, (second,)), (SHELVE, (first,))]
        await house.chat.lines.committer.land(WriteSet(tuple(writes)))
    assert await _files(room) == [(first.file_id, first.place.path, 1)]
    await lost.__aexit__(None, None, None)


async def test_a_second_delivery_of_a_result_is_not_logged(room: Room, monkeypatch: pytest.MonkeyPatch):
    """3.7"""
    keep = TurnRecord.keep_result

    async def keep_twice(
        record: TurnRecord, call_id: str, tool: str, outcome: Outcome, ms: int, file: Shelved | None
    ) -> Json:
        first = await keep(record, call_id, tool, outcome, ms, file)
        second = await keep(record, call_id, tool, Outcome({"type": "late"}, False), ms, None)
        assert second == first
        return first

    monkeypatch.setattr(TurnRecord, "keep_result", keep_twice)
    room.when("go", ("count_up", {"n": 1}))
    said = await room.bridge.ask("go")
    assert (said.status, [output["type"] for output in said.outputs]) == ("completed", ["done"])
