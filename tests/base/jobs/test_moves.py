"""How jobs change hands, on each database."""

import asyncio
from itertools import pairwise

import pytest

from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.jobs.claims import (
    FORGIVE_JOB,
    HEARTBEAT,
    RELEASE_JOB,
    REQUEUE_ORPHANS,
    SUSPECT_ATTEMPTS,
    SUSPECT_GAP_MICROS,
    Claimed,
)
from pilothouse.base.jobs.inbox import READ_INBOX, SEND_FACT, drain_inbox
from pilothouse.base.jobs.moves import END_JOB, GUARD_JOB, micros
from pilothouse.base.statements import Sql
from pilothouse.kit.ids import new_id
from tests.base.jobs.desk import Desk

MARK_CANCEL = Sql(
    name="mark_cancel",
    sqlite="update jobs set cancel_at=1 where id=?",
    postgres="update jobs set cancel_at=1 where id = any($1::text[])",
    touches=None,
)


async def test_jobs_within_the_caps_are_queued_and_the_rest_held(desk: Desk):
    states = [(await desk.admit(cap=2))[1] for _ in range(4)]
    other = [(await desk.admit(agent="b", top_cap=3, cap=2))[1] for _ in range(2)]

    assert states == ["queued", "queued", "held", "held"]
    assert other == ["queued", "held"]
    assert await desk.used() == {"run/u1": 3, "run/u1/a": 2, "run/u1/b": 1}


async def test_jobs_admitted_together_keep_the_cap(desk: Desk):
    admitted = await asyncio.gather(*(desk.admit(cap=3) for _ in range(40)))

    assert sorted(state for _, state in admitted) == ["held"] * 37 + ["queued"] * 3


async def test_a_job_with_an_owner_is_born_claimed_unless_it_must_wait(desk: Desk):
    first, second = await desk.admit(cap=1, owner="w1"), await desk.admit(cap=1, owner="w1")

    assert (await desk.row(first[0]))["owner"] == "w1"
    assert (await desk.row(first[0]))["fence"] == 1
    assert second[1] == "held"
    assert (await desk.row(second[0]))["owner"] is None


async def test_two_claims_of_one_job_give_it_once(desk: Desk):
    ids = [(await desk.admit(cap=50, top_cap=50))[0] for _ in range(20)]

    taken = await asyncio.gather(*(desk.claim(*ids, owner=f"w{n}") for n in range(5)))

    assert sorted(job.id for claims in taken for job in claims) == sorted(ids)


async def test_a_claim_passes_by_what_is_held_not_yet_due_or_unknown(desk: Desk):
    job = await desk.admit_running(cap=1)
    held, _ = await desk.admit(cap=1)
    await desk.committer.land(WriteSet(((RELEASE_JOB, (job.id, job.fence, micros() + 60_000_000, True)),)))

    assert await desk.claim(job.id, held, "unknown") == []


async def test_an_old_owner_can_neither_flush_nor_settle_nor_suspend_nor_release(desk: Desk):
    old = await desk.admit_running()
    await desk.committer.land(WriteSet(((RELEASE_JOB, (old.id, old.fence, 0, True)),)))
    new = (await desk.claim(old.id, owner="w2"))[0]

    for attempt in (desk.guard(old), desk.end(old), desk.suspend(old)):
        with pytest.raises(Refused):
            await attempt
    released = await desk.committer.land(WriteSet(((RELEASE_JOB, (old.id, old.fence, 0, True)),)))
    assert released == [False]
    await desk.guard(new)
    assert (await desk.row(old.id))["owner"] == "w2"


async def test_old_and_new_owner_settling_in_one_group_give_one_place_back(desk: Desk):
    old = await desk.admit_running(cap=2)
    await desk.committer.land(WriteSet(((RELEASE_JOB, (old.id, old.fence, 0, True)),)))
    new = (await desk.claim(old.id))[0]
    await desk.admit_running(cap=2)

    answers = await asyncio.gather(desk.end(old), desk.end(new), desk.end(new), return_exceptions=True)

    assert [type(answer) for answer in answers] == [Refused, list, Refused]
    assert (await desk.used())["run/u1/a"] == 1


async def test_settling_gives_the_place_to_the_oldest_held_job_of_the_lane(desk: Desk):
    running = await desk.admit_running(cap=1)
    older, newer = sorted([(await desk.admit(cap=1))[0], (await desk.admit(cap=1))[0]])

    assert await desk.end(running) == [older]
    assert (await desk.row(older))["state"] == "queued"
    assert (await desk.row(newer))["state"] == "held"
    assert await desk.row(running.id) == {}


async def test_settling_helps_another_agent_when_the_users_cap_was_full(desk: Desk):
    running = await desk.admit_running(agent="a", top_cap=1)
    other, _ = await desk.admit(agent="b", top_cap=1)

    assert await desk.end(running) == [other]
    assert await desk.used() == {"run/u1": 1, "run/u1/a": 0, "run/u1/b": 1}


async def test_many_places_at_once_reach_lanes_behind_a_crowded_one(desk: Desk):
    done = [await desk.admit_running(agent="a", top_cap=4, cap=3) for _ in range(3)]
    await desk.admit_running(agent="b", top_cap=4, cap=2)
    crowd = [(await desk.admit(agent="b", top_cap=4, cap=2))[0] for _ in range(120)]
    behind = [(await desk.admit(agent="c", top_cap=4, cap=2))[0] for _ in range(2)]

    promoted = [job_id for answer in await asyncio.gather(*map(desk.end, done)) for job_id in answer]

    assert sorted(promoted) == sorted([min(crowd), *behind])


async def test_a_raised_cap_lets_held_jobs_go(desk: Desk):
    await desk.admit(agent="a", top_cap=1)
    held, _ = await desk.admit(agent="b", top_cap=1)

    _, state = await desk.admit(agent="a", top_cap=5)

    assert state == "queued"
    assert (await desk.row(held))["state"] == "queued"


async def test_jobs_of_one_lane_are_held_and_promoted_too(desk: Desk):
    running = await desk.admit_running(agent=None, top_cap=1)
    held, state = await desk.admit(agent=None, top_cap=1)

    assert state == "held"
    assert await desk.end(running) == [held]


async def test_a_suspended_job_holds_no_place_and_wakes_behind_its_lane(desk: Desk):
    sleeper = await desk.admit_running(cap=1)
    held, _ = await desk.admit(cap=1)

    assert await desk.suspend(sleeper) == (True, [held], False)
    assert await desk.wake(sleeper) is False
    assert (await desk.row(sleeper.id))["state"] == "held"
    assert await desk.end((await desk.claim(held))[0]) == [sleeper.id]


async def test_a_job_with_a_fact_in_its_inbox_does_not_sleep(desk: Desk):
    job = await desk.admit_running()
    assert await desk.send(job, "fact-1") is False

    assert await desk.suspend(job) == (False, [], False)
    await desk.guard(job)


async def test_a_job_that_was_just_cancelled_does_not_sleep(desk: Desk):
    job = await desk.admit_running()
    await desk.committer.land(WriteSet(((MARK_CANCEL, (job.id,)),)))

    assert await desk.suspend(job) == (False, [], True)


async def test_a_fact_wakes_a_sleeper_and_the_same_fact_twice_stays_one(desk: Desk):
    job = await desk.admit_running()
    await desk.suspend(job)

    assert await desk.send(job, "fact-1", '"one"') is True
    assert await desk.send(job, "fact-1", '"one"') is False
    await desk.send(job, "fact-2")
    awake = (await desk.claim(job.id))[0]
    facts = (await desk.committer.land(WriteSet(((READ_INBOX, (job.id,)),))))[0]
    assert [fact.id for fact in facts] == ["fact-1", "fact-2"]

    drained = ((GUARD_JOB, (awake.id, awake.fence)), drain_inbox(awake.id, ["fact-1"]))
    await desk.committer.land(WriteSet(drained))
    assert (await desk.suspend(awake)).asleep is False
    assert awake.attempt == 1


async def test_a_fact_for_a_job_that_ended_is_refused(desk: Desk):
    job = await desk.admit_running()
    await desk.end(job)

    with pytest.raises(Refused):
        await desk.send(job, "late")


async def test_facts_and_a_suspension_that_race_lose_nothing(desk: Desk):
    for turn in range(30):
        job = await desk.admit_running()
        slept, rung = await asyncio.gather(desk.suspend(job), desk.send(job, f"f{turn}"))
        state = (await desk.row(job.id))["state"]
        assert (slept.asleep, rung, state) in {(True, True, "queued"), (False, False, "running")}
        if state == "queued":
            job = (await desk.claim(job.id))[0]
        await desk.end(job)


async def test_the_jobs_of_an_expired_or_unknown_worker_are_queued_again(desk: Desk):
    await desk.beat("alive")
    await desk.beat("dead", lease=0.01)
    ids = {name: (await desk.admit(cap=9))[0] for name in ("alive", "dead", "unknown")}
    claims = {name: (await desk.claim(job_id, owner=name))[0] for name, job_id in ids.items()}
    await asyncio.sleep(0.05)

    orphans = (await desk.committer.land(WriteSet(((REQUEUE_ORPHANS, (10,)),))))[0]

    assert {job_id for job_id, _ in orphans} == {ids["dead"], ids["unknown"]}
    await desk.guard(claims["alive"])
    with pytest.raises(Refused):
        await desk.guard(claims["dead"])
    assert (await desk.claim(ids["dead"]))[0].attempt == 2


async def test_jobs_that_saw_many_deaths_come_back_one_at_a_time(desk: Desk):
    """engine:D6: whoever dies in its turn comes behind those that still wait for theirs."""
    ids = [(await desk.admit(cap=9))[0] for _ in range(4)]
    for _ in range(SUSPECT_ATTEMPTS):
        assert len(await desk.claim(*ids, owner="dead")) == 4
        await desk.committer.land(WriteSet(((REQUEUE_ORPHANS, (10,)),)))

    assert await desk.claim(*ids) == []
    dues = sorted([((await desk.row(job_id))["due_at"], job_id) for job_id in ids])
    about_a_gap = pytest.approx(SUSPECT_GAP_MICROS, abs=20_000)
    assert [later - sooner for (sooner, _), (later, _) in pairwise(dues)] == [about_a_gap] * 3

    await asyncio.sleep(SUSPECT_GAP_MICROS / 1_000_000 + 0.1)
    [first] = await desk.claim(*ids, owner="dead")
    await desk.committer.land(WriteSet(((REQUEUE_ORPHANS, (10,)),)))
    assert first.id == dues[0][1]
    assert (await desk.row(first.id))["due_at"] - dues[-1][0] == about_a_gap


async def test_a_release_may_forgive_its_attempt_and_progress_forgives_all(desk: Desk):
    job = await desk.admit_running()
    await desk.committer.land(WriteSet(((RELEASE_JOB, (job.id, job.fence, 0, False)),)))
    again = (await desk.claim(job.id))[0]
    assert again.attempt == 1

    await desk.committer.land(WriteSet(((RELEASE_JOB, (again.id, again.fence, 0, True)),)))
    third = (await desk.claim(job.id))[0]
    assert third.attempt == 2
    forgive = ((GUARD_JOB, (third.id, third.fence)), (FORGIVE_JOB, (third.id, third.fence)))
    await desk.committer.land(WriteSet(forgive))
    assert (await desk.row(job.id))["attempt"] == 1


async def test_a_heartbeat_tells_which_jobs_were_cancelled(desk: Desk):
    job, other = await desk.admit_running(), await desk.admit_running()
    assert await desk.beat() == []

    await desk.committer.land(WriteSet(((MARK_CANCEL, (job.id,)),)))

    assert await desk.beat() == [job.id]
    assert other.cancel_at is None


async def test_settling_refused_later_in_its_set_leaves_the_job(desk: Desk):
    job: Claimed = await desk.admit_running()
    ending = (END_JOB, (job.id, job.fence, job.top, job.lane, micros()))
    refused = (GUARD_JOB, ("no such job", 1))

    with pytest.raises(Refused):
        await desk.committer.land(WriteSet((ending, refused), locks=(job.top,)))

    await desk.guard(job)
    assert (await desk.used())["run/u1"] == 1


async def test_a_heartbeat_tells_which_jobs_were_sent_something(desk: Desk):
    job, _ = await desk.admit_running(), await desk.admit_running()
    fact = (job.id, job.top, job.lane, micros(), new_id(), "news", "{}")
    await desk.committer.land(WriteSet(((SEND_FACT, fact),), locks=(job.top,)))

    (rows,) = await desk.committer.land(WriteSet(((HEARTBEAT, ("w1", "worker", "1", 60_000_000)),)))

    assert [tuple(row) for row in rows] == [(job.id, False, True)]
