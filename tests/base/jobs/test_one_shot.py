"""A group's sets of one kind by one statement: it does what the long way does, or nothing."""

import asyncio
from typing import Any

import pytest

from pilothouse.base.committer import Clash, Committer, Refused, WriteSet
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.moves import ADMIT_JOB, END_JOB, GUARD_JOB, micros
from pilothouse.base.one_shot import one_shot_of
from pilothouse.base.reader import Reader
from pilothouse.base.statements import JOINS_GO, Sql, Statement
from tests.base.jobs.desk import Desk
from tests.base.notes import EXISTS, INSERT, REMOVE, SET, make_notes

# Its way to the first value is open for each note once.
BEGIN = Sql(
    name="begin_note",
    sqlite="update notes set n=1 where id=?1 and n=0",
    postgres="update notes t set n=1 from unnest($1::text[]) with ordinality as v(id, nth)"
    f" where t.id=v.id and t.n=0{JOINS_GO} returning v.nth",
)


@pytest.fixture(autouse=True)
async def notes(database_url: str) -> None:
    await make_notes(database_url)


async def kept(reader: Reader) -> dict[str, int]:
    return {row[0]: row[1] for row in await reader.rows("select id, n from notes order by id")}


def admit(desk: Desk, *more: tuple[Statement, Any], cap: int = 50, top_cap: int = 50) -> WriteSet:
    ask = desk.admission(cap=cap, top_cap=top_cap)
    return WriteSet(((ADMIT_JOB, tuple(ask)), *more), locks=(ask.top, ask.lane or ask.top))


def end(job: Claimed, *more: tuple[Statement, Any]) -> WriteSet:
    params = (job.id, job.fence, job.top, job.lane, micros())
    return WriteSet(((END_JOB, params), *more), locks=(job.top, job.lane or job.top))


async def land_all(committer: Committer, sets: list[WriteSet]) -> list[Any]:
    return await asyncio.gather(*map(committer.land, sets), return_exceptions=True)


async def test_of_many_endings_the_refused_ones_write_nothing_and_give_nothing_back(desk: Desk, reader: Reader):
    jobs = [await desk.admit_running(cap=50, top_cap=50) for _ in range(6)]
    late = [job._replace(fence=job.fence - 1) if nth % 2 else job for nth, job in enumerate(jobs)]

    answers = await land_all(desk.committer, [end(job, (INSERT, (job.id, 1))) for job in late])

    assert [type(answer) for answer in answers] == [list, Refused] * 3
    assert set(await kept(reader)) == {job.id for job in jobs[::2]}
    assert await desk.used() == {"run/u1": 3, "run/u1/a": 3}


async def test_one_job_ended_twice_in_a_group_ends_once(desk: Desk):
    job = await desk.admit_running(cap=50)

    answers = await land_all(desk.committer, [end(job), end(job)])

    assert sorted(type(answer).__name__ for answer in answers) == ["Refused", "list"]
    assert await desk.used() == {"run/u1": 0, "run/u1/a": 0}


async def test_a_set_that_is_torn_later_on_undoes_its_ending_alone(desk: Desk, reader: Reader):
    await land_all(desk.committer, [WriteSet(((INSERT, (name, 0)),)) for name in ("a", "b")])
    jobs = [await desk.admit_running(cap=50, top_cap=50) for _ in range(3)]

    writes = [end(job, (BEGIN, (name,))) for job, name in zip(jobs, ["a", "missing", "b"], strict=True)]
    answers = await land_all(desk.committer, writes)

    assert [type(answer) for answer in answers] == [list, Refused, list]
    assert await kept(reader) == {"a": 1, "b": 1}
    assert (await desk.row(jobs[1].id))["state"] == "running"
    assert await desk.used() == {"run/u1": 1, "run/u1/a": 1}


async def test_a_key_that_clashes_undoes_its_admission_alone(desk: Desk, reader: Reader):
    await desk.admit(cap=50, top_cap=50)  # the lanes are known from now on

    answers = await land_all(desk.committer, [admit(desk, (INSERT, (name, 0))) for name in ("a", "b", "a")])

    assert sorted(type(answer).__name__ for answer in answers) == ["Clash", "list", "list"]
    assert sum(isinstance(answer, Clash) for answer in answers) == 1
    assert set(await kept(reader)) == {"a", "b"}
    assert await desk.used() == {"run/u1": 3, "run/u1/a": 3}


async def test_more_admissions_than_places_fill_them_all(desk: Desk):
    await desk.admit(cap=4)

    answers = await land_all(desk.committer, [admit(desk, cap=4, top_cap=10) for _ in range(6)])

    assert sorted(answer[0] for answer in answers) == ["held"] * 3 + ["queued"] * 3
    assert await desk.used() == {"run/u1": 4, "run/u1/a": 4}


async def test_the_last_place_given_back_by_many_is_handed_on(desk: Desk):
    running = [await desk.admit_running(cap=3) for _ in range(3)]
    held = [(await desk.admit(cap=3))[0] for _ in range(2)]

    answers = await land_all(desk.committer, [end(job) for job in running])

    assert sorted(job_id for answer in answers for job_id in answer[0]) == sorted(held)
    assert await desk.used() == {"run/u1": 2, "run/u1/a": 2}


async def test_caps_hold_while_admissions_and_endings_race(desk: Desk):
    async def live() -> None:
        admitted = await desk.committer.land(admit(desk, cap=8, top_cap=9))
        while admitted[0] and (claimed := await desk.claim(*await queued())):
            for job in claimed:
                await desk.committer.land(end(job))

    async def queued() -> list[str]:
        return [row[0] for row in await desk.reader.rows("select id from jobs where state='queued' limit 3")]

    await asyncio.gather(*(live() for _ in range(120)))
    while ids := await queued():
        for job in await desk.claim(*ids):
            await desk.committer.land(end(job))

    assert await desk.states() == {}
    assert await desk.used() == {"run/u1": 0, "run/u1/a": 0}


async def test_a_guard_lets_only_its_owner_write(desk: Desk, reader: Reader):
    jobs = [await desk.admit_running(cap=50, top_cap=50) for _ in range(4)]
    fences = [job.fence if nth != 2 else job.fence + 1 for nth, job in enumerate(jobs)]

    answers = await land_all(
        desk.committer,
        [
            WriteSet(((GUARD_JOB, (job.id, fence)), (INSERT, (str(nth), 0))))
            for nth, (job, fence) in enumerate(zip(jobs, fences, strict=True))
        ],
    )

    assert [type(answer) for answer in answers] == [list, list, Refused, list]
    assert set(await kept(reader)) == {"0", "1", "3"}


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ([INSERT, SET], "nothing opens"),
        ([GUARD_JOB, EXISTS], "a read joins nothing"),
        ([GUARD_JOB, SET, REMOVE], "two writes to one table would not see each other"),
        ([GUARD_JOB, END_JOB], "only the first can open"),
    ],
)
def test_what_cannot_be_one_statement_goes_the_long_way(statements: list[Statement], why: str):
    assert one_shot_of(statements) is None, why
