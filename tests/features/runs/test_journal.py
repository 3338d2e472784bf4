"""How a run's entries reach the disk."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.fanout import LocalFanout, Notice
from pilothouse.base.jobs.claims import RELEASE_JOB, Claimed
from pilothouse.base.jobs.lease import Lease
from pilothouse.base.jobs.moves import micros
from pilothouse.base.logs import INSERT_SEGMENT
from pilothouse.engine.entries import FINISHED, RUNNING, WAITING, Entry, accepted
from pilothouse.engine.ports import LeaseLost
from pilothouse.features.runs.journal import FULL_CHARACTERS, RunJournal
from pilothouse.features.runs.writes import KIND, Caps, NewRun, admit_run, lanes_of
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dumps, loads
from tests.base.ports import AnyCommitter, committing, reading
from tests.base.waiting import until


async def admitted(committer: AnyCommitter) -> Claimed:
    """A run in the hands of its first worker."""
    run = NewRun(new_id(), new_id(), new_id(), 1, "api", "{}", False, micros(), dumps(accepted(1, {})))
    await committer.land(admit_run(run, Caps(10, 10), owner=new_id(), reply_to=None))
    return Claimed(run.id, KIND, run.user_id, *lanes_of(run.user_id, run.agent_id), 1, 1, None, None)


@pytest.mark.parametrize("last", [[FINISHED, 3, "completed", None, {}], [WAITING, 3, None]])
async def test_the_last_entry_never_lands_before_the_rows_that_go_with_it(database_url: str, last: Entry):
    async with committing(database_url) as committer, reading(database_url) as reader:
        job = await admitted(committer)
        journal = RunJournal(job, 1, committer, LocalFanout(), Lease(None))
        journal.add([[RUNNING, 2]])
        journal.flush_now()
        journal.add([last])  # while the flush has been asked for and has not begun

        first, end, body, _ = await journal.close()

        assert (first, end, loads(body)) == (3, 3, [last])
        rows = await reader.rows("select first, last from segments where log_id=?1 order by first", job.id)
        assert rows == [(1, 1), (2, 2)]


class Watched(LocalFanout):
    """Notes what is told, in one order with what lands."""

    def __init__(self, order: list[tuple[str, int]]) -> None:
        super().__init__()
        self._order = order

    def publish(self, notices: Sequence[Notice]) -> None:
        self._order += [("told", notice.last) for notice in notices]


class Landing:
    """A committer that notes which segments have landed."""

    def __init__(self, committer: AnyCommitter, order: list[tuple[str, int]]) -> None:
        self._order = order
        self._land = committer.land
        self.submit, self.close = committer.submit, committer.close

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[object]:
        answers = await self._land(writes, urgent=urgent)
        self._order += [("landed", params[2]) for statement, params in writes.writes if statement is INSERT_SEGMENT]
        return answers


async def test_nothing_is_told_before_it_has_landed(database_url: str):
    """engine:D7"""
    order: list[tuple[str, int]] = []
    async with committing(database_url) as committer:
        job = await admitted(committer)
        journal = RunJournal(job, 1, Landing(committer, order), Watched(order), Lease(None))
        for seq in range(2, 5):
            journal.add([[RUNNING, seq]])
            await journal.barrier()
    assert order == [(what, seq) for seq in (2, 3, 4) for what in ("landed", "told")]


ONE: Entry = [RUNNING, 0]


@pytest.mark.parametrize(
    ("entries", "flushes"),
    [
        ([ONE] * 199, False),
        ([ONE] * 200, True),
        ([[RUNNING, 0, "x" * 9_900]] * 100, False),
        ([[RUNNING, 0, "x" * 10_000]] * 100, True),
    ],
    ids=["few", "many", "short", "long"],
)
async def test_a_full_journal_is_flushed_before_its_time(sqlite_url: str, entries: list[Entry], flushes: bool):
    """engine:D2"""
    async with committing(sqlite_url) as committer, reading(sqlite_url) as reader:
        journal = RunJournal(job := await admitted(committer), 1, committer, LocalFanout(), Lease(None))
        journal.add(entries)
        await asyncio.sleep(0)  # a flush takes what was gathered before it waits for the first time
        assert (journal.head > 1) is flushes
        await until(lambda: journal.head > 1, 10)  # the rest goes by time
        await journal.barrier()
        rows = await reader.rows("select max(last) from segments where log_id=?1", job.id)
        assert rows[0][0] == journal.head == 1 + len(entries)


async def test_what_is_added_lands_within_50_ms(sqlite_url: str, monkeypatch: pytest.MonkeyPatch):
    """engine:D2: by a clock of the test's own, since a busy machine is late"""
    async with committing(sqlite_url) as committer:
        journal = RunJournal(await admitted(committer), 1, committer, LocalFanout(), Lease(None))
        loop = asyncio.get_running_loop()
        asked: list[float] = []

        def call_later(delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
            asked.append(delay)
            return real(0, callback)

        real = loop.call_later
        monkeypatch.setattr(loop, "call_later", call_later)
        journal.add([ONE])
        assert asked == [0.05]
        monkeypatch.undo()
        await until(lambda: journal.head == 2, 10)
        await journal.barrier()


class Gated(Landing):
    """A committer whose disk is as slow as the test wants; notes what it was asked to land."""

    def __init__(self, committer: AnyCommitter) -> None:
        super().__init__(committer, [])
        self.asked: list[int] = []
        self.gate = asyncio.Event()

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[object]:
        self.asked += [params[2] for statement, params in writes.writes if statement is INSERT_SEGMENT]
        await self.gate.wait()
        return await super().land(writes, urgent=urgent)


@asynccontextmanager
async def mid_flush(url: str) -> AsyncGenerator[tuple[RunJournal, Gated]]:
    """A journal that was asked to flush again while its first flush waits for the disk."""
    async with committing(url) as committer:
        gated = Gated(committer)
        journal = RunJournal(await admitted(committer), 1, gated, LocalFanout(), Lease(None))
        journal.add([ONE])
        journal.flush_now()
        await until(lambda: gated.asked == [2], 5)
        journal.add([ONE])
        journal.flush_now()
        yield journal, gated


async def test_what_ends_during_a_flush_is_flushed_right_after_it(sqlite_url: str, monkeypatch: pytest.MonkeyPatch):
    """engine:D2: the result of an effect does not wait for the next 50 ms, whatever was under way"""
    monkeypatch.setattr("pilothouse.features.runs.journal.FLUSH_SECONDS", 60)
    async with mid_flush(sqlite_url) as (journal, gated):
        gated.gate.set()
        await until(lambda: gated.asked == [2, 3], 5)
        await journal.barrier()


async def test_what_ends_during_the_last_flush_lands_with_the_end(sqlite_url: str):
    """engine:D2: a commit of its own would only make the end wait"""
    async with mid_flush(sqlite_url) as (journal, gated):
        closing = asyncio.create_task(journal.close())
        await asyncio.sleep(0)
        gated.gate.set()
        segment = await closing
        assert (segment.first, segment.last) == (3, 3)
        assert gated.asked == [2]


async def test_a_journal_of_an_old_owner_writes_nothing(database_url: str):
    """engine:D2"""
    async with committing(database_url) as committer, reading(database_url) as reader:
        job = await admitted(committer)
        await committer.land(WriteSet(((RELEASE_JOB, (job.id, job.fence, 0, True)),)))
        journal = RunJournal(job, 1, committer, LocalFanout(), Lease(None))
        journal.add([ONE])
        with pytest.raises(LeaseLost):
            await journal.barrier()
        assert await reader.rows("select first, last from segments where log_id=?1", job.id) == [(1, 1)]


async def test_a_journal_is_full_until_the_disk_has_caught_up(database_url: str):
    """engine:B6"""
    async with committing(database_url) as committer, reading(database_url) as reader:
        job = await admitted(committer)
        journal = RunJournal(job, 1, committer, LocalFanout(), Lease(None))
        entry: Entry = [RUNNING, 2, "x" * 1_000]
        journal.add([entry])
        assert not journal.is_full
        while not journal.is_full:
            journal.add([entry] * 100)

        await journal.room()

        assert not journal.is_full
        await journal.barrier()
        [(last,)] = await reader.rows("select max(last) from segments where log_id=?1", job.id)
        assert last == journal.head > FULL_CHARACTERS // 1_100
