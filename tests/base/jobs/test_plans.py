"""On PostgreSQL the moves of jobs are planned once, while the tables may be small, and must stay quick on full ones."""

import asyncio

import pytest

from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader
from tests.base.jobs.desk import Desk
from tests.base.ports import committing

pytestmark = pytest.mark.scaled
ROUNDS = 20

_LOOKS = "select relname, seq_scan, coalesce(idx_scan, 0) from pg_stat_user_tables where relname in ('jobs', 'lanes')"


async def test_moves_find_their_rows_by_index_even_when_planned_on_a_small_table(postgres_url: str):
    reader = PostgresReader(dsn_of(postgres_url))
    async with committing(postgres_url) as committer:
        await Desk(committer, reader).admit_running()  # a page each, which the server then knows to be small
    await reader.rows("vacuum analyze jobs")
    await reader.rows("vacuum analyze lanes")
    await asyncio.sleep(0.3)  # until that is counted
    before = {table: scans for table, scans, _ in await reader.rows(_LOOKS)}
    async with committing(postgres_url) as committer:
        desk = Desk(committer, reader)
        for number in range(ROUNDS):
            job = await desk.admit_running(agent=f"a{number}")
            await desk.end(job)

    after = await _told(reader)
    await reader.close()

    assert {table: scans for table, (scans, _) in after.items()} == before
    assert all(looks >= ROUNDS for _, looks in after.values())


async def _told(reader: PostgresReader) -> dict[str, tuple[int, int]]:
    """What the server counted; it tells a moment after the connection has gone."""
    for _ in range(100):
        found = {table: (scans, looks) for table, scans, looks in await reader.rows(_LOOKS)}
        if all(looks >= ROUNDS for _, looks in found.values()):
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("PostgreSQL did not tell how it looked")
