"""engine:Z4: a process that is stopped in the middle of a statement holds nobody up."""

import asyncio
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


async def test_the_locks_of_a_process_that_was_stopped_within_a_statement_are_given_back(postgres_url: str):
    async with committing(postgres_url) as committer, reading(postgres_url) as reader:
        desk = Desk(committer, reader)
        await desk.admit(cap=9)
        held = await connect(dsn_of(postgres_url))
        await held.execute("begin")
        await held.fetch("select key from lanes where key=$1 for update", f"run/{desk.user}")
        asked = await stop_between_halves(held)
        sweeper = Sweeper(committer, reader, LocalBell(), shared=True)
        await sweeper.start()
        try:
            async with asyncio.timeout(10):
                assert (await desk.admit(cap=9))[1] == "queued"
        finally:
            await sweeper.close()
            held.terminate()
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
