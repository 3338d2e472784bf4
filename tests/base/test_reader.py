"""Readers read what is committed, over the same statement on both databases (engine:Z12)."""

import asyncio
import sqlite3

import asyncpg
import pytest

from pilothouse.base.reader import Reader, marks
from tests.base.notes import insert
from tests.base.ports import AnyCommitter

pytestmark = pytest.mark.usefixtures("notes_url")


async def test_one_statement_serves_both_databases(committer: AnyCommitter, reader: Reader):
    await asyncio.gather(*(committer.land(insert(name, n)) for n, name in enumerate("abcd")))

    rows = await reader.rows(f"select id, n from notes where n >= ?1 and id in ({marks(3, 2)}) order by id", 1, *"abd")

    assert rows == [("b", 1), ("d", 3)]


async def test_a_commit_is_seen_by_the_next_read(committer: AnyCommitter, reader: Reader):
    for n in range(50):
        await committer.land(insert(f"n{n}", n))
        assert await reader.rows("select n from notes where id=?1", f"n{n}") == [(n,)]


async def test_many_reads_at_once_are_all_answered(reader: Reader):
    answers = await asyncio.gather(*(reader.rows("select ?1 + 1", n) for n in range(100)))

    assert answers == [[(n + 1,)] for n in range(100)]


async def test_a_wrong_statement_is_our_fault_and_not_an_outage(reader: Reader):
    with pytest.raises((sqlite3.OperationalError, asyncpg.UndefinedTableError)):
        await reader.rows("select 1 from no_such_table")
