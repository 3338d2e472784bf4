"""When the database goes away or its disk is full, writers are told, nothing is torn, and all goes on by itself."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from pilothouse.base.committer import DatabaseUnavailable, WriteSet
from pilothouse.base.postgres import connect, dsn_of
from pilothouse.base.reader import PostgresReader
from pilothouse.kit.ids import new_id
from tests.base.notes import INSERT, insert, make_notes, write
from tests.base.ports import AnyCommitter, committing, path_of, reading
from tests.base.waiting import until
from tests.conftest import MakePostgres
from tests.databases import prepare, sqlite_url

SMALL = 4 * 1024 * 1024


async def lands(committer: AnyCommitter, writes: WriteSet) -> bool:
    try:
        await committer.land(writes)
    except DatabaseUnavailable:
        return False
    return True


@pytest.mark.scaled
async def test_while_postgres_is_down_writers_are_told_and_later_all_lands_again(private_postgres: MakePostgres):
    server = private_postgres()
    await make_notes(server.url)
    async with committing(server.url) as committer, reading(server.url) as reader:
        await committer.land(insert("before"))
        await reader.rows("select 1")

        await asyncio.to_thread(server.stop)
        with pytest.raises(DatabaseUnavailable):
            await committer.land(insert("during"))
        with pytest.raises(DatabaseUnavailable):
            await reader.rows("select 1")
        await asyncio.to_thread(server.start)

        await committer.land(insert("after"))
        rows = await reader.rows("select id from notes order by id")
    assert [row[0] for row in rows] == ["after", "before"]


@pytest.mark.scaled
async def test_a_postgres_killed_under_load_loses_and_doubles_nothing_that_was_acknowledged(
    private_postgres: MakePostgres,
):
    server = private_postgres()
    await make_notes(server.url)
    acknowledged: list[str] = []
    async with committing(server.url) as committer, reading(server.url) as reader:

        async def keep_writing(writer: int) -> None:
            for n in range(150):
                note = f"{writer}-{n}"
                if await lands(committer, insert(note, n)):
                    acknowledged.append(note)
                await asyncio.sleep(0.005)

        writers = [asyncio.create_task(keep_writing(writer)) for writer in range(8)]
        await until(lambda: len(acknowledged) > 100)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        await asyncio.gather(*writers)

        async def answers() -> bool:
            return await lands(committer, insert("last"))

        await until(answers)
        kept = {row[0] for row in await reader.rows("select id from notes")}
    assert set(acknowledged) <= kept
    assert len(acknowledged) == len(set(acknowledged))


@pytest.mark.scaled
async def test_a_server_that_refuses_more_connections_is_an_outage_not_a_crash(private_postgres: MakePostgres):
    server = private_postgres()
    await make_notes(server.url)
    missing = server.url.removesuffix("postgres") + "no_such_database"
    async with committing(missing) as committer:
        assert not await lands(committer, insert("a"))
        assert not await lands(committer, insert("b"))
    reader = PostgresReader(dsn_of(missing))
    with pytest.raises(DatabaseUnavailable):
        await reader.rows("select 1")
    await reader.close()


@pytest.mark.scaled
async def test_a_postgres_that_takes_no_writes_for_a_while_is_an_outage_that_ends(private_postgres: MakePostgres):
    """As after a failover, until the address leads to the server that writes."""
    server = private_postgres()
    await make_notes(server.url)
    admin = await connect(dsn_of(server.url))
    await admin.execute("set default_transaction_read_only = off")  # here, whatever is said to all
    async with committing(server.url) as committer:
        await committer.land(insert("before"))
        await admin.execute("alter system set default_transaction_read_only = on")
        await admin.execute("select pg_reload_conf()")

        async def refuses() -> bool:
            return not await lands(committer, insert(new_id()))

        async def answers() -> bool:
            return await lands(committer, insert(new_id()))

        await until(refuses)
        await admin.execute("alter system reset default_transaction_read_only")
        await admin.execute("select pg_reload_conf()")
        await until(answers)
    admin.terminate()


async def test_a_set_waits_for_another_program_that_writes_to_the_same_file(sqlite_url: str):
    """As the command line does beside a running server."""
    await make_notes(sqlite_url)
    other = sqlite3.connect(path_of(sqlite_url), isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    other.execute("insert into notes (id, n) values ('theirs', 1)")
    async with committing(sqlite_url) as committer, reading(sqlite_url) as reader:
        landing = asyncio.create_task(committer.land(insert("ours")))
        await asyncio.sleep(0.3)
        assert not landing.done()
        assert await reader.rows("select id from notes") == []

        other.execute("commit")
        await landing
        assert len(await reader.rows("select id from notes")) == 2
    other.close()


async def test_a_program_that_never_lets_go_is_an_outage_that_ends(sqlite_url: str):
    await make_notes(sqlite_url)
    other = sqlite3.connect(path_of(sqlite_url), isolation_level=None)
    other.execute("begin immediate")
    async with committing(sqlite_url) as committer:
        assert not await lands(committer, insert("a"))
        other.execute("rollback")
        assert await lands(committer, insert("a"))
    other.close()


async def test_a_file_that_is_no_database_is_an_outage(tmp_path: Path):
    (tmp_path / "broken.db").write_bytes(b"this is not a database, however long it is" * 100)
    async with committing(sqlite_url_of(tmp_path / "broken.db")) as committer:
        assert not await lands(committer, insert("a"))


def sqlite_url_of(path: Path) -> str:
    return sqlite_url(path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of four megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def test_a_full_disk_tears_nothing_and_writing_resumes_when_there_is_space(small_disk: Path):
    url = sqlite_url_of(small_disk / "pilothouse.db")
    await prepare(url)
    await make_notes(url)
    async with committing(url) as committer, reading(url) as reader:
        await committer.land(insert("before"))
        filler = small_disk / "filler"
        fill(filler)

        fat = [
            write((INSERT, (f"{n}-{'x' * 20_000}", n)), (INSERT, (f"{n}-second-{'y' * 20_000}", n))) for n in range(40)
        ]
        told = await asyncio.gather(*(lands(committer, writes) for writes in fat))
        assert not all(told)
        landed = {row[0].split("-")[0] for row in await reader.rows("select id from notes where id like '%-x%'")}
        seconds = {row[0].split("-")[0] for row in await reader.rows("select id from notes where id like '%-second-%'")}
        assert landed == seconds == {str(n) for n, good in enumerate(told) if good}

        filler.unlink()
        await committer.land(insert("after"))
        assert {row[0] for row in await reader.rows("select id from notes where length(id) < 10")} == {
            "before",
            "after",
        }
        assert await reader.rows("pragma integrity_check") == [("ok",)]


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65_536)
        except OSError:
            return
