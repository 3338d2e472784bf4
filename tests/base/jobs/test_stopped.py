"""engine:Z4: a process that is stopped in the middle of a transaction holds nobody up."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from operator import attrgetter

import pytest

from pilothouse.base.jobs.bells import LocalBell
from pilothouse.base.jobs.stopped import end_stopped_sessions
from pilothouse.base.jobs.sweeper import Sweeper
from pilothouse.base.postgres import LOST, PostgresConnection, connect, dsn_of
from tests.base.jobs.desk import Desk
from tests.base.ports import committing, reading

pytestmark = pytest.mark.scaled


async def stop_between_halves(connection: PostgresConnection) -> "asyncio.Task[object]":
    """As SIGSTOP does: the server has read a new statement, and nobody hears its answer."""
    transport: asyncio.Transport = attrgetter("_transport")(connection)  # asyncpg does not show it
    asked = asyncio.create_task(connection.fetch("select 'a statement that was never prepared'::text"))
    await asyncio.sleep(0)  # it is on its way
    transport.pause_reading()
    return asked


@asynccontextmanager
async def holding(url: str, desk: Desk) -> AsyncGenerator[PostgresConnection]:
    """A session that has locked a lane of the desk, on which others wait to put a job."""
    await desk.admit(cap=9)
    held = await connect(dsn_of(url))
    await held.execute("begin")
    await held.fetch("select key from lanes where key=$1 for update", f"run/{desk.user}")
    try:
        yield held
    finally:
        held.terminate()


async def goes_on(desk: Desk) -> None:
    """Somebody else gets the lane."""
    async with asyncio.timeout(10):
        assert (await desk.admit(cap=9))[1] == "queued"


async def test_the_locks_of_a_process_that_was_stopped_between_two_statements_are_given_back(postgres_url: str):
    """The server does it."""
    async with committing(postgres_url) as committer, reading(postgres_url) as reader:
        desk = Desk(committer, reader)
        async with holding(postgres_url, desk) as held:
            await goes_on(desk)
            with pytest.raises(LOST):
                await held.execute("commit")


async def test_the_locks_of_a_process_that_was_stopped_within_a_statement_are_given_back(postgres_url: str):
    """The sweeper does it."""
    async with committing(postgres_url) as committer, reading(postgres_url) as reader:
        desk = Desk(committer, reader)
        sweeper = Sweeper(committer, reader, LocalBell(), shared=True)
        async with holding(postgres_url, desk) as held:
            asked = await stop_between_halves(held)
            await sweeper.start()
            try:
                await goes_on(desk)
            finally:
                await sweeper.close()
        with pytest.raises(LOST):
            await asked


async def test_those_that_wait_for_a_lock_or_for_their_owner_are_left_alone(postgres_url: str):
    """What waits is not stopped; and what sleeps within a transaction the server ends itself."""
    async with reading(postgres_url) as reader:
        first, second, idle = [await connect(dsn_of(postgres_url)) for _ in range(3)]
        try:
            await first.execute("begin; create table t (n int); insert into t values (1); commit; begin; lock table t")
            waiting = asyncio.create_task(second.fetch("select n from t"))
            for _ in range(6):
                await asyncio.sleep(0.5)
                await first.fetch("select 1")  # or the server ends it
                assert await end_stopped_sessions(reader) == 0
            await first.execute("commit")
            assert [row[0] for row in await waiting] == [1]
            assert not idle.is_closed()
            assert await idle.fetch("select 1")
        finally:
            for connection in (first, second, idle):
                connection.terminate()
