"""One statement on a SQLite file of the folder that the operator has opened."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pilothouse.base.egress import EgressPolicy
from pilothouse.base.outside import GuardedOutside
from pilothouse.base.outside.errors import QueryRefused, QueryTooSlow
from pilothouse.base.outside.sqlite import DatabaseNotFound, SqliteOff
from pilothouse.kit.json import Json
from pilothouse.kit.outside import DatabaseQuery, Login, Rows

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"


class Shelf:
    def __init__(self, outside: GuardedOutside, folder: Path) -> None:
        self.outside, self.folder = outside, folder

    async def ask(self, statement: str, *params: Json, name: str = "shop.db", **more: Any) -> Rows:
        query = replace(DatabaseQuery("sqlite", name, statement, params), **more)
        return await self.outside.query_database(Login("", 0, "", ""), query)

    def count(self) -> int:
        with closing(sqlite3.connect(self.folder / "shop.db")) as opened:
            return opened.execute("select count(*) from customers").fetchone()[0]


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncGenerator[Shelf]:
    folder = tmp_path / "open"
    folder.mkdir()
    for place in (folder / "shop.db", tmp_path / "secret.db"):
        with closing(sqlite3.connect(place)) as opened, opened:
            opened.execute("create table customers (id integer primary key, name text)")
            opened.executemany("insert into customers (name) values (?)", [(f"c{number}",) for number in range(1, 6)])
    (folder / "link.db").symlink_to(tmp_path / "secret.db")
    async with GuardedOutside(EgressPolicy(), sqlite_dir=folder) as outside:
        yield Shelf(outside, folder)


async def test_rows_come_with_their_columns(shelf: Shelf):
    found = await shelf.ask("select id, name, x'00ff' as raw, ? as given from customers where id = ?", {"a": 1}, 2)
    assert found.rows == [{"id": 2, "name": "c2", "raw": "AP8=", "given": '{"a":1}'}]
    assert (found.truncated, found.affected) == (False, None)
    assert (await shelf.ask(ENDLESS.replace("max(i)", "i"), max_rows=2)).truncated


@pytest.mark.parametrize(
    "statement",
    [
        "delete from customers",
        "with gone as (select 1) delete from customers",
        "explain delete from customers; delete from customers",
        "select 1; delete from customers",
        "attach 'other.db' as other",
        "pragma query_only = off",
        "select load_extension('x')",
        "create table more (id)",
        "commit",
    ],
)
async def test_what_only_looks_changes_nothing(shelf: Shelf, statement: str):
    with pytest.raises(QueryRefused):
        await shelf.ask(statement)
    assert shelf.count() == 5


@pytest.mark.parametrize(
    "statement",
    [
        "attach '../secret.db' as s",
        "vacuum into 'copy.db'",
        "pragma journal_mode = off",
        "commit",
        "delete from customers; select 1",
    ],
)
async def test_what_reaches_past_the_file_is_refused_also_to_writers(shelf: Shelf, statement: str):
    with pytest.raises(QueryRefused):
        await shelf.ask(statement, read_only=False)
    assert [path.name for path in shelf.folder.iterdir() if "copy" in path.name] == []


async def test_with_leave_it_writes_and_says_how_much(shelf: Shelf):
    gone = await shelf.ask("delete from customers where id > ? returning name", 3, read_only=False, max_rows=1)
    assert (gone.rows, gone.truncated, gone.affected, shelf.count()) == ([{"name": "c4"}], True, 2, 3)


@pytest.mark.parametrize(
    "name", ["nowhere.db", "../secret.db", "link.db", "", ".", "/etc/passwd", "shop.db\0", "file:shop.db?mode=rw"]
)
async def test_only_files_of_the_folder_are_found(shelf: Shelf, name: str):
    with pytest.raises(DatabaseNotFound):
        await shelf.ask("select 1", name=name)


async def test_without_a_folder_there_is_none():
    async with GuardedOutside(EgressPolicy()) as outside:
        with pytest.raises(SqliteOff, match="sqlite_dir"):
            await outside.query_database(Login("", 0, "", ""), DatabaseQuery("sqlite", "shop.db", "select 1"))


async def test_a_slow_statement_is_ended(shelf: Shelf):
    began = time.monotonic()
    with pytest.raises(QueryTooSlow):
        await shelf.ask(ENDLESS, timeout=0.2)
    assert time.monotonic() - began < 30


async def test_who_is_cancelled_leaves_no_thread_behind(shelf: Shelf):
    asking = asyncio.create_task(shelf.ask(ENDLESS, timeout=100.0))
    await asyncio.sleep(0.1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(None, shelf.outside.wait_for_threads), 30)
