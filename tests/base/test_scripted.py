"""Statements with decisions in them: one script for both databases, nothing left of a refused one (engine:Z12)."""

import pytest

from pilothouse.base.committer import Clash, Refused, WriteSet
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED
from tests.base.notes import INSERT, make_notes
from tests.base.ports import committing, reading


def _count_up(note: str, most: int) -> Script:
    rows = yield "select n from notes where id=?1 for update", (note,)
    if not rows:
        yield INSERT, (note, 1)
        return "made"
    number = rows[0][0] + 1
    yield "update notes set n=?2 where id=?1", (note, number)
    return REFUSED if number > most else number


COUNT_UP = Scripted("count_up", _count_up)


def count_up(note: str, most: int = 10) -> WriteSet:
    return WriteSet(((COUNT_UP, (note, most)),))


async def test_a_script_looks_decides_and_writes(database_url: str):
    await make_notes(database_url)
    async with committing(database_url) as committer:
        assert [(await committer.land(count_up("a")))[0] for _ in range(3)] == ["made", 2, 3]


async def test_a_refused_script_has_changed_nothing(database_url: str):
    await make_notes(database_url)
    async with committing(database_url) as committer, reading(database_url) as reader:
        await committer.land(count_up("a"))
        with pytest.raises(Refused):
            await committer.land(count_up("a", most=1))
        assert await reader.rows("select n from notes where id=?1", "a") == [(1,)]


async def test_scripts_of_one_group_see_each_other_and_only_the_bad_one_suffers(database_url: str):
    await make_notes(database_url)
    clash = WriteSet(((INSERT, ("a", 0)),))
    async with committing(database_url) as committer, reading(database_url) as reader:
        await committer.land(count_up("a"))
        waiting = [committer.submit(count_up("a")) for _ in range(20)]
        bad = [committer.submit(clash), committer.submit(count_up("a", most=0))]
        answers = sorted([(await each)[0] for each in waiting[:9]])
        assert answers == list(range(2, 11))
        for each in waiting[9:]:
            with pytest.raises(Refused):
                await each
        for each, error in zip(bad, (Clash, Refused), strict=True):
            with pytest.raises(error):
                await each
        assert await reader.rows("select n from notes where id=?1", "a") == [(10,)]
