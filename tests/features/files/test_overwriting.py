"""WS-2: files that others move, delete or write while somebody writes them. Nothing that was acknowledged is lost."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.moves import micros
from pilothouse.base.loops import end_tasks
from pilothouse.features.files import Limits, NewFile
from tests.features.files.conftest import FILES, Office
from tests.features.files.test_files import pieces
from tests.features.files.test_in_runs import Notes, step
from tests.features.runs import graphs

AWAY = ["moved", "deleted"]


async def goes(office: Office, file_id: str, how: str) -> None:
    place = f"{FILES}/{file_id}"
    answer = await (office.ann.patch(place, json={"path": "/b.txt"}) if how == "moved" else office.ann.delete(place))
    assert answer.is_success, answer.text


@pytest.mark.parametrize("how", AWAY)
async def test_ws_2_what_goes_away_while_it_is_overwritten_stays_what_it_was(office: Office, how: str):
    made = await office.stored("/a.txt", b"old")

    async def slow() -> AsyncGenerator[bytes]:
        yield b"ne"
        await goes(office, made["id"], how)
        yield b"w"

    file_id = await office.cabinet.put(office.user_id, NewFile("/a.txt", overwrite=True), slow())
    assert file_id != made["id"]
    assert (await office.download(file_id)).content == b"new"
    if how == "moved":
        assert (await office.download(made["id"])).content == b"old"


async def test_ws_2_of_two_who_overwrite_what_is_not_there_yet_both_name_the_one_file(office: Office):
    first: list[str] = []

    async def slow() -> AsyncGenerator[bytes]:
        yield b"se"
        first.append(await office.cabinet.put(office.user_id, NewFile("/a.txt", overwrite=True), pieces(b"first")))
        yield b"cond"

    second = await office.cabinet.put(office.user_id, NewFile("/a.txt", overwrite=True), slow())
    assert [second] == first
    assert (await office.download(second)).content == b"second"
    assert len((await office.ann.get(f"{FILES}/{second}/revisions")).json()["items"]) == 2


@pytest.mark.parametrize("how", AWAY)
async def test_ws_2_a_step_that_replaces_a_file_has_its_bytes_where_that_went(office: Office, how: str):
    """The step has named the file by then, so what it named must hold what it wrote."""
    run_id = (await office.stand.run(graphs.greeting(), who="x"))["id"]
    made = await office.stored("/a.txt", b"old")
    notes = Notes()
    late = step(office, run_id, notes)
    reference = await late.write("/a.txt", b"new", overwrite=True)
    await goes(office, made["id"], how)
    late.leave(keep=True)
    await office.cabinet.committer.land(WriteSet(tuple(notes.given)))
    file = await office.cabinet.resolve(office.user_id, reference)
    assert (file.id, file.path) == (made["id"], "/b.txt" if how == "moved" else "/a.txt")
    assert await office.cabinet.read(file, 100) == b"new"


async def test_ws_2_steps_that_write_one_path_each_find_what_they_named(office: Office):
    run_id = (await office.stand.run(graphs.greeting(), who="x"))["id"]
    notes = Notes()
    late = step(office, run_id, notes)
    references = [await late.write("/a.txt", text, overwrite=True) for text in (b"one", b"two")]
    late.leave(keep=True)
    await office.cabinet.committer.land(WriteSet(tuple(notes.given)))
    found = [await office.cabinet.resolve(office.user_id, reference) for reference in references]
    assert found[0].path == "/a.txt"
    assert [await office.cabinet.read(file, 100) for file in found] == [b"two", b"two"]


async def test_ws_7_what_is_taken_back_counts_with_what_is_coming_in(office: Office):
    cabinet = office.limited(Limits(quota_bytes=1000))
    thrown = await office.stored("/old.bin", b"x" * 600)
    await office.ann.delete(f"{FILES}/{thrown['id']}")
    async with cabinet.take_in(office.user_id, NewFile("/new.bin", size=500), pieces(b"y" * 500)):
        refused = await office.ann.post(f"{FILES}/{thrown['id']}/restore")
        assert (refused.status_code, refused.json()["code"]) == (413, "quota_exceeded")


class Clock:
    """Tells the cabinet how late it is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.minutes = 0.0
        told = "pilothouse.features.files.cabinet.micros"
        monkeypatch.setattr(told, lambda: micros() + int(self.minutes * 60_000_000))


@pytest.mark.parametrize("size", [None, 4], ids=["who did not say how much", "who did"])
async def test_ws_2_the_room_of_a_sender_who_was_lost_blocks_its_path_for_ten_minutes(
    office: Office, monkeypatch: pytest.MonkeyPatch, size: int | None
):
    """Whoever was killed cannot give the path back, and somebody will want to try again."""
    clock, begun = Clock(monkeypatch), asyncio.Event()

    async def lost() -> AsyncGenerator[bytes]:
        yield b"ha"
        begun.set()
        await asyncio.Event().wait()

    killed = asyncio.create_task(office.cabinet.put(office.user_id, NewFile("/a.txt", size=size), lost()))
    try:
        await begun.wait()
        clock.minutes = 9.5
        assert (await office.upload("/a.txt", b"again")).status_code == 409
        clock.minutes = 10.5
        assert (await office.upload("/a.txt", b"again")).status_code == 201
    finally:
        await end_tasks(killed)


async def test_ws_2_the_room_of_a_slow_sender_is_held_while_bytes_come_in(
    office: Office, monkeypatch: pytest.MonkeyPatch
):
    clock, refused = Clock(monkeypatch), list[int]()

    async def slow() -> AsyncGenerator[bytes]:
        for _ in range(8):
            yield b"slow "
            clock.minutes += 4
            refused.append((await office.upload("/a.txt", b"fast")).status_code)

    file_id = await office.cabinet.put(office.user_id, NewFile("/a.txt"), slow())
    assert refused == [409] * 8
    assert (await office.download(file_id)).content == b"slow " * 8
