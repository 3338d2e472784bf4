"""What a worker reads of a run while its claim is still on its way to disk."""

import asyncio
from typing import Any

import pytest

from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.base.reader import Reader
from pilothouse.features.runs import loading
from pilothouse.features.runs.loading import Loader
from tests.features.runs import graphs
from tests.features.runs.stand import Stand


class CountedReader:
    """The installation's own reader, which can be out of order for a while."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.asked = 0
        self.down = False

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        self.asked += 1
        if self.down:
            raise DatabaseUnavailable
        return await self._reader.rows(sql, *params)

    async def close(self) -> None: ...


@pytest.fixture
def counted(stand: Stand) -> CountedReader:
    return CountedReader(stand.house.api.reader)


async def ended_run(stand: Stand) -> str:
    run = await stand.start(await stand.agent(graphs.chain(1)), n=1)
    return (await stand.reaches(run["id"], "completed"))["id"]


async def test_an_untouched_run_is_read_once_before_it_is_claimed(stand: Stand, counted: CountedReader):
    run_id, loader = await ended_run(stand), Loader(counted)
    loader.foresee([run_id])
    found = await loader.load(run_id, untouched=True)
    assert found == await Loader(stand.house.api.reader).load(run_id)
    assert counted.asked == 1


async def test_a_run_that_somebody_else_had_is_read_anew(stand: Stand, counted: CountedReader):
    run_id, loader = await ended_run(stand), Loader(counted)
    loader.foresee([run_id])
    while counted.asked == 0:
        await asyncio.sleep(0)
    assert await loader.load(run_id) == await loader.load(run_id, untouched=True)
    assert counted.asked == 3, "what was foreseen is of no use to the one, and gone for the other"


async def test_a_read_that_failed_beforehand_is_tried_again(stand: Stand, counted: CountedReader):
    run_id, loader = await ended_run(stand), Loader(counted)
    counted.down = True
    loader.foresee([run_id])
    with pytest.raises(DatabaseUnavailable):
        await loader.load(run_id, untouched=True)
    counted.down = False
    assert (await loader.load(run_id, untouched=True)).head > 1


async def test_what_others_claimed_is_forgotten(stand: Stand, counted: CountedReader, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loading, "MAX_FORESEEN", 1)
    run_id, loader = await ended_run(stand), Loader(counted)
    loader.foresee([run_id, "taken by others"])
    while counted.asked == 0:
        await asyncio.sleep(0)
    await loader.load(run_id, untouched=True)
    assert counted.asked == 2, "the first was dropped for the second, and is read when it is wanted"
