"""A caller who waits for a run: until its end or as long as was asked, whatever is lost on the way."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.base.reader import Reader
from pilothouse.features.runs import RunAsk, service
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import loads
from tests.features.runs import graphs
from tests.features.runs.stand import Stand


@dataclass
class Faltering:
    """A reader that cannot read for a while."""

    reader: Reader
    faults: int

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        if self.faults:
            self.faults -= 1
            raise DatabaseUnavailable
        return await self.reader.rows(sql, *params)

    async def close(self) -> None:
        """It is another's."""


@dataclass
class Counting:
    """A reader that says how often it was asked."""

    reader: Reader
    reads: int = 0

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        self.reads += 1
        return await self.reader.rows(sql, *params)

    async def close(self) -> None:
        """It is another's."""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits looks more often than each second; `test_starting.py` has callers who wait as they do."""
    monkeypatch.setattr(service, "POLL_SECONDS", 0.2)


@pytest.mark.usefixtures("soon")
async def test_a_caller_whose_answer_is_lost_waits_on_while_the_database_is_away(stand: Stand):
    runs, ask = stand.house.api.runs, RunAsk(AgentId(await stand.agent(graphs.sleeper(0.2))), {"n": 7})
    admitted = await runs.start_run(stand.ann.actor, ask, wait=True)
    lost = replace(admitted, answer=asyncio.get_running_loop().create_future())
    text = await replace(runs, reader=Faltering(runs.reader, 2)).await_end(stand.ann.actor, lost, 60)
    assert loads(text or "{}") == await stand.get(admitted.id)


@pytest.mark.usefixtures("soon")
async def test_a_caller_told_without_the_result_waits_for_the_row(stand: Stand):
    """An answer that is too long to be carried is empty; should it come before the row, there is more to wait for."""
    runs, ask = stand.house.api.runs, RunAsk(AgentId(await stand.agent(graphs.sleeper(0.7))), {"n": 7})
    admitted = await runs.start_run(stand.ann.actor, ask, wait=True)
    empty: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    empty.set_result("")
    reader = Counting(runs.reader)
    text = await replace(runs, reader=reader).await_end(stand.ann.actor, replace(admitted, answer=empty), 60)
    assert loads(text or "{}") == await stand.get(admitted.id)
    assert reader.reads < 60  # once at first, then each fifth of a second
