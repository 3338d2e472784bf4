"""Units of work: one transaction, which hot-path write sets can join."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from sqlalchemy import text

from pilothouse.base.actor import SYSTEM
from pilothouse.base.committer import Clash, Refused, WriteSet
from pilothouse.base.database import Database
from pilothouse.base.jobs.moves import ADMIT_JOB
from pilothouse.base.reader import Reader
from pilothouse.base.work import Units
from tests.base.jobs.desk import Desk
from tests.base.notes import INSERT, MOVE, insert, write
from tests.base.ports import committing


@pytest.fixture
async def units(notes_url: str) -> AsyncGenerator[Units]:
    database = Database(notes_url, pool_size=4)
    yield Units(database)
    await database.close()


async def ids(reader: Reader) -> list[str]:
    return [row[0] for row in await reader.rows("select id from notes order by id")]


async def test_a_set_lands_with_its_unit(units: Units, reader: Reader):
    async with units.write(SYSTEM) as work:
        assert await work.apply(insert("a")) == [1]
        await work.session.execute(text("insert into notes (id, n) values ('b', 1)"))
        assert await ids(reader) == []

    assert await ids(reader) == ["a", "b"]


async def test_a_set_is_undone_with_its_unit_even_when_it_came_first(units: Units, reader: Reader):
    class Change(Exception):
        """Of mind."""

    async def change_our_mind() -> None:
        async with units.write(SYSTEM) as work:
            await work.apply(insert("a"))
            raise Change

    with pytest.raises(Change):
        await change_our_mind()
    assert await ids(reader) == []


async def test_a_refused_set_changes_nothing_and_the_unit_may_go_on(units: Units, reader: Reader):
    async with units.write(SYSTEM) as work:
        await work.apply(insert("a"))
        with pytest.raises(Refused):
            await work.apply(write((INSERT, ("half", 1)), (MOVE, ("half", 7, 8))))
        with pytest.raises(Clash):
            await work.apply(write((INSERT, ("other", 1)), (INSERT, ("a", 1))))
        await work.apply(insert("b"))

    assert await ids(reader) == ["a", "b"]


async def test_after_the_commit_and_only_then_the_world_is_told(units: Units):
    told: list[str] = []

    async with units.write(SYSTEM) as work:
        work.after_commit.append(lambda: told.append("yes"))
        assert told == []

    assert told == ["yes"]


async def test_of_a_unit_that_failed_nobody_is_told(units: Units):
    told: list[str] = []

    async def fail() -> None:
        async with units.write(SYSTEM) as work:
            work.after_commit.append(lambda: told.append("no"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert told == []


async def test_what_a_read_unit_writes_is_never_kept(units: Units, reader: Reader):
    async with units.read(SYSTEM) as read:
        await read.session.execute(text("insert into notes (id, n) values ('a', 1)"))

    assert await ids(reader) == []


async def test_units_and_the_committer_take_turns(units: Units, notes_url: str, reader: Reader):
    """Many writers of both sorts at once: nobody is told that the database is locked, nobody waits for ever."""
    async with committing(notes_url, units.database.write_turn) as committer:

        async def by_unit(n: int) -> None:
            async with units.write(SYSTEM) as work:
                found = await work.session.scalar(text("select count(*) from notes"))
                await asyncio.sleep(0.001)
                await work.apply(insert(f"unit-{n}", int(found or 0)))

        async def by_committer(n: int) -> None:
            await committer.land(insert(f"set-{n}", n))

        async with asyncio.timeout(30):
            await asyncio.gather(*(by_unit(n) for n in range(40)), *(by_committer(n) for n in range(200)))

    assert len(await ids(reader)) == 240


async def test_jobs_admitted_by_units_and_by_the_committer_keep_one_cap(units: Units, notes_url: str, reader: Reader):
    async with committing(notes_url, units.database.write_turn) as committer:
        desk = Desk(committer, reader)

        async def by_unit() -> str:
            ask = desk.admission(cap=5)
            async with units.write(SYSTEM) as work:
                return (await work.apply(WriteSet(((ADMIT_JOB, tuple(ask)),), locks=(ask.top,))))[0]

        async def by_committer() -> str:
            return (await desk.admit(cap=5))[1]

        states = await asyncio.gather(*((by_unit if n % 2 else by_committer)() for n in range(60)))

    assert sorted(states) == ["held"] * 55 + ["queued"] * 5
    assert (await desk.used())["run/u1"] == 5


async def test_a_unit_that_would_wait_for_itself_is_told_so_at_once(sqlite_url: str):
    units = Units(Database(sqlite_url))
    async with committing(sqlite_url, units.database.write_turn) as committer:
        with pytest.raises(RuntimeError, match=r"work\.apply"):
            async with units.write(SYSTEM):
                await committer.land(insert("never"))
    await units.database.close()
