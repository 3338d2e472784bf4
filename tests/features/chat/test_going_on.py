"""3.1, 3.2, 11: a turn outlives its workers; who has lost it writes nothing; numbers have no gaps."""

import asyncio
from dataclasses import dataclass, replace

import pytest

from pilothouse.base.committer import Committer, DatabaseUnavailable, WriteSet
from pilothouse.base.jobs import worker
from pilothouse.base.jobs.claims import CLAIM_JOBS, HEARTBEAT, RELEASE_JOB, Claimed
from pilothouse.base.jobs.lease import Lease, LeaseLost
from pilothouse.base.jobs.worker import Hold
from pilothouse.features.chat import MessagePending, events
from pilothouse.features.chat.present import session_of
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour


async def test_a_turn_goes_on_where_its_last_worker_left_it(parlour: Parlour):
    """11.1: what was logged and the rounds that were kept are there for the next."""
    session = await parlour.session()
    turn = await parlour.start(session, "round 1", "crash 1", "say done")
    assert await parlour.ended(turn) == "completed"
    told = await parlour.events(session)
    assert [event.type for event in told][:3] == ["user-message", "turn-started", "turn-resumed"]
    assert told[2].data["attempt"] == 2
    assert await parlour.stand.rows("select 1 from chat_rounds where turn_id=?1", turn) == []
    assert parlour.actor.starts.count(turn) == 2


def test_after_each_fault_a_turn_waits_twice_as_long():
    assert [worker.backoff_seconds(attempt) for attempt in (1, 2, 3, 7, 8, 99)] == [0.5, 1, 2, 32, 60, 60]


async def test_a_turn_that_stops_every_worker_ends_as_failed(parlour: Parlour, monkeypatch: pytest.MonkeyPatch):
    """11.7: after three attempts; the session takes the next message."""

    def no_backoff(attempt: int) -> float:
        return 0.0

    monkeypatch.setattr(worker, "backoff_seconds", no_backoff)
    session = await parlour.session()
    turn = await parlour.start(session, "crash 99")
    assert await parlour.ended(turn, 30) == "failed"
    assert parlour.actor.starts.count(turn) == 3
    *_, error, ended = await parlour.events(session)
    assert (error.type, error.data["code"], error.data["retryable"]) == ("error", "worker_lost", True)
    assert (ended.data["status"], ended.data["reason"]) == ("failed", "worker_lost")
    assert await parlour.ended(await parlour.start(session, "say hello")) == "completed"


async def test_a_turn_sleeps_without_a_worker_until_a_fact_comes(parlour: Parlour):
    """2.7, 8.7: asleep it holds no place."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"sleep {gate}", "say awake")
    await until(lambda: _status_is(parlour, session, "waiting"))
    lane = await parlour.stand.rows("select used from lanes where key=?1", f"turn/{parlour.ann.user_id}")
    assert lane == [(0,)]
    assert await parlour.chat.send_fact(turn, parlour.ann.user_id, gate, 7)
    assert await parlour.ended(turn) == "completed"
    types = [each for each in await parlour.types(session) if each.startswith("turn-")]
    assert types == ["turn-started", "turn-suspended", "turn-resumed", "turn-ended"]
    assert not await parlour.chat.send_fact(turn, parlour.ann.user_id, gate, 7)


async def test_a_fact_that_comes_first_keeps_the_turn_awake(parlour: Parlour):
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}", f"sleep {gate}")
    await parlour.reaches(gate)
    for fact_id in (gate, gate):
        await parlour.chat.send_fact(turn, parlour.ann.user_id, gate, 7, fact_id=fact_id)
    parlour.open(gate)
    assert await parlour.ended(turn) == "completed"
    assert "turn-suspended" not in await parlour.types(session)


async def test_a_sleeping_turn_is_cancelled_at_once(parlour: Parlour):
    session = await parlour.session()
    turn = await parlour.start(session, "sleep for-ever")
    await until(lambda: _status_is(parlour, session, "waiting"))
    assert (await parlour.chat.cancel_turn(parlour.ann, session)).reason is None
    assert await parlour.ended(turn) == "cancelled"


async def _status_is(parlour: Parlour, session: str, status: str) -> bool:
    shown = (await parlour.stand.ann.http.get(f"/api/v1/chat/sessions/{session}")).json()
    return shown["session"]["status"] == status


async def claim(parlour: Parlour, turn: str) -> Hold:
    """Take a turn by hand, as another worker."""
    beat = (HEARTBEAT, ("stranger", "worker", "1", 60_000_000))
    await parlour.chat.lines.committer.land(WriteSet((beat,)))
    answers = await parlour.chat.lines.committer.land(WriteSet(((CLAIM_JOBS, ("stranger", (turn,))),)))
    jobs: list[Claimed] = answers[0]
    return Hold(jobs[0], Lease(None))


async def lonely_turn(parlour: Parlour) -> tuple[str, Hold]:
    """A turn that no worker of the installation takes: its place is held back until we have it."""
    gate = new_id()
    for _ in range(5):
        await parlour.start(await parlour.session(), f"wait {gate}")
    session = await parlour.session()
    turn = await parlour.start(session, "say nothing")
    await parlour.stand.tell("update jobs set state='queued', due_at=0 where id=:id", id=turn)
    hold = await claim(parlour, turn)
    parlour.open(gate)
    return session, hold


async def test_a_worker_without_its_turn_appends_nothing(parlour: Parlour):
    """3.2."""
    session, hold = await lonely_turn(parlour)
    opened = await parlour.chat.turns.open_turn(hold)
    opened.log.begin("scripted")
    await opened.log.barrier()
    before = await parlour.types(session)
    job = hold.job
    await parlour.chat.lines.committer.land(WriteSet(((RELEASE_JOB, (job.id, job.fence, 2**62, True)),)))
    opened.log.add(events.notice("late", "This comes too late."))
    for write in (opened.log.barrier, opened.log.drain_pending):
        with pytest.raises(LeaseLost):
            await write()
    with pytest.raises(LeaseLost):
        await opened.log.settle(events.COMPLETED)
    assert await parlour.types(session) == before
    assert (await parlour.chat.cancel_turn(parlour.ann, session)).cancelled


@dataclass(slots=True)
class Forgetful:
    """A committer whose first answer gets lost on its way: the set has landed, and its writer does not know."""

    committer: Committer
    forgets: int = 1
    fault: type[Exception] = DatabaseUnavailable

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[object]]":
        return self.committer.submit(writes)

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[object]:
        answers = await self.committer.land(writes, urgent=urgent)
        if self.forgets:
            self.forgets -= 1
            raise self.fault
        return answers

    async def close(self) -> None: ...


async def test_messages_that_were_taken_unheard_are_read_in_the_log(parlour: Parlour):
    """9.4, 11.1: who does not know what was taken gives the turn up; the next one knows."""
    session, hold = await lonely_turn(parlour)
    assert isinstance(await parlour.say(session, "and this"), MessagePending)
    lines = parlour.chat.lines._replace(committer=Forgetful(parlour.chat.lines.committer))
    opened = await replace(parlour.chat.turns, lines=lines).open_turn(hold)
    for write in (opened.log.drain_pending, opened.log.barrier):
        with pytest.raises(LeaseLost):
            await write()
    again = await parlour.chat.turns.open_turn(hold)
    assert [event.data["texts"] for event in again.events if event.type == events.FOLLOW_UP] == [["and this"]]
    await again.log.settle(events.COMPLETED)


async def test_after_a_flush_that_failed_nothing_lands_behind_it(parlour: Parlour):
    """3.3: the next claim goes on from a log without a hole."""
    session, hold = await lonely_turn(parlour)
    lines = parlour.chat.lines._replace(committer=Forgetful(parlour.chat.lines.committer, fault=RuntimeError))
    opened = await replace(parlour.chat.turns, lines=lines).open_turn(hold)
    opened.log.add(events.notice("n", "1"))
    with pytest.raises(RuntimeError):
        await opened.log.barrier()
    with pytest.raises(LeaseLost):
        opened.log.add(events.notice("n", "2"))
    again = await parlour.chat.turns.open_turn(hold)
    await again.log.settle(events.COMPLETED)
    told = [event.data["message"] for event in await parlour.events(session) if event.type == events.NOTICE]
    assert told == ["1"]


async def test_racing_appends_leave_no_gap(parlour: Parlour):
    """3.1: a worker's flushes and others' events, from two processes, four hundred of them."""
    session, hold = await lonely_turn(parlour)
    opened = await parlour.chat.turns.open_turn(hold)
    houses = (parlour.stand.house.api, parlour.stand.house.worker)

    async def speak() -> None:
        for n in range(100):
            opened.log.add(events.notice("n", str(n)), events.notice("n", str(n)))
            await opened.log.barrier()

    names = [houses[n % 2].chat.set_title(parlour.ann, session, f"title {n}") for n in range(200)]
    await asyncio.gather(speak(), *names)
    await opened.log.settle(events.COMPLETED)
    told = await parlour.events(session)
    assert [event.id for event in told] == list(range(1, len(told) + 1))
    spoken = [event.data["message"] for event in told if event.type == "notice"]
    assert spoken == [str(n // 2) for n in range(200)]
    assert [event.type for event in told].count("title") == 200


async def test_settling_again_changes_nothing(parlour: Parlour):
    """6.12."""
    session, hold = await lonely_turn(parlour)
    first, second = [await parlour.chat.turns.open_turn(hold) for _ in range(2)]
    assert await first.log.settle(events.COMPLETED) == "completed"
    with pytest.raises(LeaseLost):
        await second.log.settle(events.FAILED, "internal")
    assert (await parlour.types(session)).count("turn-ended") == 1


def test_a_row_without_a_turn_is_an_idle_session():
    metadata = '{"dry_run": false}'
    row = ("s", "u", None, "auto", 0, "web", 1, 2, 3, metadata, "{}", 5, 4, 0, 0, 0, None, None, None, None)
    view = session_of(row)
    assert (view.status, view.unread, view.pinned) == ("idle", True, False)
