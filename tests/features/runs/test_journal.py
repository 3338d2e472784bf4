"""How a run's entries reach the disk."""

import pytest

from pilothouse.base.fanout import LocalFanout
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.lease import Lease
from pilothouse.base.jobs.moves import micros
from pilothouse.engine.entries import FINISHED, RUNNING, WAITING, Entry, accepted
from pilothouse.features.runs.journal import FULL_CHARACTERS, RunJournal
from pilothouse.features.runs.writes import KIND, Caps, NewRun, admit_run, lanes_of
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dumps, loads
from tests.base.ports import AnyCommitter, committing, reading


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

        first, end, body = await journal.close()

        assert (first, end, loads(body)) == (3, 3, [last])
        rows = await reader.rows("select first, last from segments where log_id=?1 order by first", job.id)
        assert rows == [(1, 1), (2, 2)]


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
