"""What blocks remember: values by name, read from the tables and committed with the step that put them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from sqlalchemy import delete, select

from pilothouse.base.committer import Write
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.tables import jobs
from pilothouse.base.reader import Reader
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.work import Work
from pilothouse.blocks.context import Scope
from pilothouse.blocks.pins import BlockFailed
from pilothouse.features.runs.journal import RunJournal
from pilothouse.features.runs.models import remembered
from pilothouse.kit.json import Json, dumps, loads

MAX_VALUE: Final = 1_000_000  # characters of JSON
MAX_KEY: Final = 256

# The run's own row says whose memory it is.
_PLACE = "case cast(?2 as text) when 'run' then 'run/' || r.id when 'agent' then 'agent/' || r.agent_id else 'user' end"
_READ = (
    f"select m.value from runs r join remembered m on m.user_id=r.user_id and m.place={_PLACE} and m.key=?3"
    " where r.id=?1"
)
_TIMEZONE = "select u.timezone from runs r join users u on u.id=r.user_id where r.id=?1"
_KEEP = (
    "insert into remembered (user_id, place, key, value, run_id, changed_at)"
    f" select r.user_id, {_PLACE}, cast(?3 as text), cast(?4 as text),"
    " case cast(?2 as text) when 'run' then r.id end, cast(?5 as bigint)"
    " from runs r where r.id=?1 and (not r.dry_run or cast(?2 as text)='run')"
    # A run may outlive its agent, which then remembers nothing any more.
    " and (cast(?2 as text)<>'agent' or not exists"
    " (select 1 from agents a where a.id=r.agent_id and a.deleted_at is not null))"
    " on conflict (user_id, place, key) do update set value=excluded.value, changed_at=excluded.changed_at"
)


def _keep(run_id: str, scope: str, key: str, value: str, now: int) -> Script:
    yield _KEEP, (run_id, scope, key, value, now)


KEEP_VALUE = Scripted("keep_value", _keep)


class RunMemories:
    """The memories of the runs that this process works on. A run that remembers nothing costs it two moves."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._journals: dict[str, RunJournal] = {}
        self._made: dict[str, RunMemory] = {}

    def open(self, run_id: str, journal: RunJournal) -> None:
        self._journals[run_id] = journal
        self._made.pop(run_id, None)

    def close(self, run_id: str, journal: RunJournal) -> None:
        """A claim that was lost may end after the next one of this process has begun: that one's stays."""
        if self._journals.get(run_id) is journal:
            del self._journals[run_id]
            self._made.pop(run_id, None)

    def journal_of(self, run_id: str) -> RunJournal:
        return self._journals[run_id]

    async def timezone_of(self, run_id: str) -> str:
        """Of the person whose run it is."""
        rows = await self._reader.rows(_TIMEZONE, run_id)
        return rows[0][0] if rows else "UTC"

    def of_step(self, run_id: str) -> "StepMemory":
        found = self._made.get(run_id)
        if found is None:
            found = self._made[run_id] = RunMemory(run_id, self._reader, self._journals[run_id])
        return StepMemory(found)


class RunMemory:
    """What the steps of one run share."""

    def __init__(self, run_id: str, reader: Reader, journal: RunJournal) -> None:
        self._run_id = run_id
        self._reader = reader
        self._journal = journal
        self._wrote = False
        self.turn = asyncio.Lock()

    async def read(self, key: str, scope: str, default: Json) -> Json:
        """As committed; what this run put before is committed first, so that it is seen."""
        if self._wrote:
            await asyncio.sleep(0)  # the driver then hands the journal what it still holds of the steps before
            await self._journal.barrier()
        rows = await self._reader.rows(_READ, self._run_id, scope, key)
        return loads(rows[0][0]) if rows else default

    def keep(self, puts: dict[tuple[str, str], str]) -> None:
        """Commit these with the entries that say that their step ended or waits."""
        now = micros()
        # In order, so that two runs which change the same values do not wait for each other in a ring.
        writes: list[Write] = [(KEEP_VALUE, (self._run_id, *place, puts[place], now)) for place in sorted(puts)]
        self._journal.with_next(writes)
        self._wrote = True


class StepMemory:
    """A step's view of it: what it puts is its own until it ends."""

    def __init__(self, run: RunMemory) -> None:
        self._run = run
        self._puts: dict[tuple[str, str], str] = {}
        self._has_turn = False

    async def get(self, key: str, scope: Scope, default: Json = None) -> Json:
        own = self._puts.get((scope, _checked(key)))
        return await self._run.read(key, scope, default) if own is None else loads(own)

    def put(self, key: str, value: Json, scope: Scope) -> None:
        text = dumps(value)
        if len(text) > MAX_VALUE:
            raise BlockFailed("value_too_large", f"What is kept under '{key[:60]}' is larger than 1 MB.")
        self._puts[scope, _checked(key)] = text

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """The turn is kept to the end of the step: only then is what it put on its way to the tables."""
        if not self._has_turn:
            await self._run.turn.acquire()
            self._has_turn = True
        yield

    def leave(self, *, keep: bool) -> None:
        """The step is over, or waits; `keep` what it put unless it failed."""
        if keep and self._puts:
            self._run.keep(self._puts)
        if self._has_turn:
            self._run.turn.release()


def _checked(key: str) -> str:
    if not key or len(key) > MAX_KEY or "\0" in key:
        raise BlockFailed("invalid_input", f"A key is text of 1 to {MAX_KEY} characters.")
    return key


async def forget_agent(work: Work, agent_id: str) -> None:
    """Delete what an agent remembered over its runs."""
    await work.session.execute(delete(remembered).where(remembered.c.place == f"agent/{agent_id}"))


async def forget_ended_runs(work: Work) -> None:
    """Delete what runs remembered for themselves, once they are over."""
    over = remembered.c.run_id.is_not(None) & remembered.c.run_id.not_in(select(jobs.c.id))
    await work.session.execute(delete(remembered).where(over))
