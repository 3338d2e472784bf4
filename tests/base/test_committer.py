"""What every committer promises (engine:Z12)."""

import asyncio

import pytest

from pilothouse.base import committer as rules
from pilothouse.base.committer import Clash, CommitterOverloaded, Refused
from pilothouse.base.committer_sqlite import SqliteCommitter
from pilothouse.base.reader import Reader
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.telemetry import REGISTRY
from tests.base.notes import INSERT, MOVE, MOVE_ALL, REMOVE, SET, WRONG, insert, write
from tests.base.ports import AnyCommitter, committing

pytestmark = pytest.mark.usefixtures("notes_url")


async def kept(reader: Reader) -> dict[str, int]:
    return {row[0]: row[1] for row in await reader.rows("select id, n from notes order by id")}


async def test_what_landed_can_be_read(committer: AnyCommitter, reader: Reader):
    answers = await committer.land(write((INSERT, ("a", 1)), (SET, ("a", 2))))

    assert answers == [1, 1]
    assert await kept(reader) == {"a": 2}


def _setting(sql: str) -> Script:
    return (yield sql, ())[0][0]


async def test_a_commit_waits_for_the_disk(committer: AnyCommitter):
    """engine:Z5: in a write-ahead log, less than `full` (2) syncs only now and then."""
    on_sqlite = isinstance(committer, SqliteCommitter)
    asked = "pragma synchronous" if on_sqlite else "select current_setting('synchronous_commit')"

    assert await committer.land(write((Scripted("setting", _setting), (asked,)))) == [2 if on_sqlite else "on"]


async def test_a_thousand_sets_all_land(committer: AnyCommitter, reader: Reader):
    await asyncio.gather(*(committer.land(insert(f"n{i:04}", i)) for i in range(1000)))

    assert await kept(reader) == {f"n{i:04}": i for i in range(1000)}


async def test_a_refused_set_leaves_the_others(committer: AnyCommitter, reader: Reader):
    await committer.land(insert("a", 1))

    sets = [write((MOVE, ("a", 7, 8)), (INSERT, ("never", 0))), insert("b"), write((REMOVE, ("gone",))), insert("c")]
    answers = await asyncio.gather(*map(committer.land, sets), return_exceptions=True)

    assert [type(answer) for answer in answers] == [Refused, list, Refused, list]
    assert await kept(reader) == {"a": 1, "b": 0, "c": 0}


async def test_a_set_refused_after_its_first_write_is_undone_alone(committer: AnyCommitter, reader: Reader):
    torn = write((INSERT, ("half", 1)), (MOVE, ("half", 2, 3)))

    answers = await asyncio.gather(*map(committer.land, [insert("a"), torn, insert("b"), torn]), return_exceptions=True)

    assert [type(answer) for answer in answers] == [list, Refused, list, Refused]
    assert await kept(reader) == {"a": 0, "b": 0}


async def test_a_key_that_exists_clashes_and_changes_nothing(committer: AnyCommitter, reader: Reader):
    await committer.land(insert("a", 1))

    answers = await asyncio.gather(
        *map(committer.land, [write((INSERT, ("x", 0)), (INSERT, ("a", 2))), insert("b"), insert("b")]),
        return_exceptions=True,
    )

    assert [type(answer) for answer in answers[:2]] == [Clash, list]
    assert type(answers[2]) is Clash
    assert await kept(reader) == {"a": 1, "b": 0}


async def test_a_faulty_set_fails_alone_and_the_committer_goes_on(committer: AnyCommitter, reader: Reader):
    unsendable = write((INSERT, ("bad", object())))
    surrogate = insert("\ud800")
    sets = [insert("a"), write((WRONG, ())), unsendable, insert("b"), surrogate]

    answers = await asyncio.gather(*map(committer.land, sets), return_exceptions=True)
    await committer.land(insert("c"))

    assert [isinstance(answer, Exception) for answer in answers] == [False, True, True, False, True]
    assert not any(isinstance(answer, Refused | Clash | rules.DatabaseUnavailable) for answer in answers)
    assert list(await kept(reader)) == ["a", "b", "c"]


async def test_sets_that_aim_at_one_row_follow_each_other(committer: AnyCommitter, reader: Reader):
    await committer.land(insert("a", 0))

    await asyncio.gather(*(committer.land(write((SET, ("a", n)))) for n in range(1, 20)))
    moves = await asyncio.gather(
        *(committer.land(write((MOVE, ("a", n, n + 100)))) for n in range(1, 20)), return_exceptions=True
    )

    assert [type(answer) for answer in moves].count(list) == 1
    assert (await kept(reader))["a"] > 100


async def test_a_guard_that_touched_too_much_is_undone(committer: AnyCommitter, reader: Reader):
    await asyncio.gather(*(committer.land(insert(name, 5)) for name in "abc"))
    all_fives = write((MOVE_ALL, (5, 6)))

    answers = await asyncio.gather(*map(committer.land, [all_fives, insert("d"), all_fives]), return_exceptions=True)

    assert [type(answer) for answer in answers] == [Refused, list, Refused]
    assert await kept(reader) == {"a": 5, "b": 5, "c": 5, "d": 0}


async def test_a_doubtful_set_that_landed_is_not_written_twice(committer: AnyCommitter, reader: Reader):
    first = insert("a", 1)
    await committer.land(first)

    again = write((INSERT, ("a", 2)), proof="a", doubtful=True)
    fresh = write((INSERT, ("b", 3)), proof="b", doubtful=True)
    answers = await asyncio.gather(*map(committer.land, [again, fresh, insert("c")]))

    assert answers == [[], [1], [1]]
    assert await kept(reader) == {"a": 1, "b": 3, "c": 0}


async def test_too_many_waiting_sets_are_refused_but_urgent_ones_are_not(notes_url: str):
    async with committing(notes_url) as committer:
        waiting = [committer.submit(write((SET, ("none", n)))) for n in range(rules.MAX_WAITING)]
        with pytest.raises(CommitterOverloaded):
            committer.submit(insert("late"))
        await committer.land(insert("urgent"), urgent=True)
        assert not all(future.done() for future in waiting)
        for future in waiting:
            future.cancel()


async def test_closing_lands_what_waits(notes_url: str, reader: Reader):
    async with committing(notes_url) as committer:
        futures = [committer.submit(insert(f"n{i}", i)) for i in range(600)]

    assert all(future.done() and not future.exception() for future in futures)
    assert len(await kept(reader)) == 600


async def test_a_caller_that_leaves_before_the_commit_leaves_no_trace(notes_url: str, reader: Reader):
    async with committing(notes_url) as committer:
        futures = [committer.submit(insert(f"n{i}", i)) for i in range(10)]
        futures[3].cancel()

    assert len(await kept(reader)) == 9


async def test_many_sets_share_few_commits(committer: AnyCommitter):
    before = REGISTRY.get_sample_value("pilothouse_commit_groups_total") or 0
    await asyncio.gather(*(committer.land(insert(f"n{i}", i)) for i in range(1000)))

    assert (REGISTRY.get_sample_value("pilothouse_commit_groups_total") or 0) - before <= 20
