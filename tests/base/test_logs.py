"""Logs number their entries without gaps, whoever writes and whatever is rolled back."""

import asyncio

import pytest
from sqlalchemy import BigInteger, Column, MetaData, Table

from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.database import Database, Id
from pilothouse.base.jobs.moves import GUARD_JOB
from pilothouse.base.logs import (
    INSERT_SEGMENT,
    KEEP_VALUES,
    SAVE_SNAPSHOT,
    SEGMENT_LANDED,
    Append,
    read_after,
    read_values,
)
from pilothouse.base.reader import Reader
from pilothouse.base.statements import Sql, insert_into
from tests.base.ports import AnyCommitter, committing

metadata = MetaData()
threads = Table("threads", metadata, Column("id", Id, primary_key=True), Column("head", BigInteger, nullable=False))
OPEN = insert_into(threads, "id", "head")
APPEND = Append("threads")
MOVE_HEAD = Sql(
    name="move_head",
    sqlite="update threads set head=?3 where id=?1 and head=?2",
    postgres="update threads t set head=v.after from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality"
    " as v(id, before, after, nth) where t.id=v.id and t.head=v.before returning v.nth",
)
NEVER = (GUARD_JOB, ("no such job", 1))  # refuses, after what stands before it was written


@pytest.fixture(autouse=True)
async def owner_table(database_url: str, committer: AnyCommitter) -> None:
    database = Database(database_url, pool_size=1)
    async with database.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    await database.close()
    await committer.land(WriteSet(((OPEN, ("t1", 0)),)))


def flush(first: int, *entries: str, fence: int = 1) -> WriteSet:
    last = first + len(entries) - 1
    body = "[" + ",".join(entries) + "]"
    return WriteSet(
        ((MOVE_HEAD, ("t1", first - 1, last)), (INSERT_SEGMENT, ("t1", first, last, fence, body))),
        proof=(SEGMENT_LANDED, ("t1", first, fence)),
    )


async def test_racing_appends_with_rollbacks_leave_no_gap(database_url: str, committer: AnyCommitter, reader: Reader):
    async with committing(database_url) as other:

        async def append(n: int) -> bool:
            texts = (str(n),) * (n % 3 + 1)
            writes = ((APPEND, ("t1", texts)), *((NEVER,) if n % 5 == 0 else ()))
            try:
                answers = await (committer, other)[n % 2].land(WriteSet(writes))
            except Refused:
                return False
            first, last = answers[0]
            return last - first == n % 3

        kept = await asyncio.gather(*(append(n) for n in range(400)))

    entries = [entry for entry in await read_all(reader)]
    assert [seq for seq, _ in entries] == list(range(1, len(entries) + 1))
    wanted = [n for n in range(400) if n % 5 for _ in range(n % 3 + 1)]
    assert sorted(int(str(entry)) for _, entry in entries) == wanted
    assert kept.count(True) == 320
    assert await reader.rows("select head from threads") == [(len(wanted),)]


async def read_all(reader: Reader) -> list[tuple[int, object]]:
    found: list[tuple[int, object]] = []
    while batch := await read_after(reader, "t1", found[-1][0] if found else 0, limit=50):
        found += batch
    return found


async def test_a_flush_that_leaves_a_gap_or_overlaps_is_refused(committer: AnyCommitter, reader: Reader):
    await committer.land(flush(1, "1", "2"))

    for wrong in (flush(4, "4"), flush(2, "2"), flush(1, "1")):
        with pytest.raises(Refused):
            await committer.land(wrong)
    await committer.land(flush(3, "3"))

    assert await read_all(reader) == [(1, 1), (2, 2), (3, 3)]


async def test_a_flush_in_doubt_is_known_by_its_fence(committer: AnyCommitter, reader: Reader):
    await committer.land(flush(1, "1"))
    again = flush(1, "1")
    stranger = flush(1, '"other"', fence=2)

    assert await committer.land(WriteSet(again.writes, again.proof, doubtful=True)) == []
    with pytest.raises(Refused):
        await committer.land(WriteSet(stranger.writes, stranger.proof, doubtful=True))
    assert await read_all(reader) == [(1, 1)]


async def test_an_append_to_a_log_that_is_not_there_is_refused(committer: AnyCommitter):
    with pytest.raises(Refused):
        await committer.land(WriteSet(((APPEND, ("nobody", ("1",))),)))


async def test_reading_begins_in_the_middle_of_a_segment(committer: AnyCommitter, reader: Reader):
    await committer.land(flush(1, "1", "2", "3"))
    await committer.land(flush(4, "4", "5"))

    assert await read_after(reader, "t1", 2) == [(3, 3), (4, 4), (5, 5)]
    assert await read_after(reader, "t1", 2, limit=1) == [(3, 3)]
    assert await read_after(reader, "t1", 2, limit=2) == [(3, 3), (4, 4)]
    assert await read_after(reader, "t1", 5) == []


async def test_large_values_are_kept_once_beside_their_log(committer: AnyCommitter, reader: Reader):
    """engine:F17"""
    for values in ((("h1", "1"), ("h2", "2")), (("h2", "other"), ("h3", "3"))):
        await committer.land(WriteSet(((KEEP_VALUES, ("t1", values)),)))
    await committer.land(WriteSet(((KEEP_VALUES, ("t2", (("h1", "9"),))),)))

    assert await read_values(reader, "t1", ["h1", "h2", "h3", "h4"]) == {"h1": "1", "h2": "2", "h3": "3"}
    assert await read_values(reader, "t1", []) == {}


async def test_the_last_snapshot_stays(committer: AnyCommitter, reader: Reader):
    sets = [WriteSet(((SAVE_SNAPSHOT, ("t1", n, f"{n}")),)) for n in range(1, 6)]
    await committer.land(sets[0])
    await asyncio.gather(*map(committer.land, sets[1:]))

    assert len(await reader.rows("select seq, body from snapshots")) == 1


async def test_a_flush_without_entries_leaves_room_for_the_next(committer: AnyCommitter, reader: Reader):
    await asyncio.gather(committer.land(flush(1)), committer.land(flush(1)))
    await committer.land(flush(1, "1"))

    assert await read_all(reader) == [(1, 1)]
