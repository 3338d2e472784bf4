"""Q6: what a block remembers is committed with its step, and found by those who may know it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import pytest

from pilothouse.base.actor import SYSTEM
from pilothouse.base.fanout import LocalFanout
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.lease import Lease
from pilothouse.base.reader import Reader
from pilothouse.blocks.context import Http
from pilothouse.blocks.contract import (
    Block,
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.runner import Runnable
from pilothouse.engine.context import StepContext, Waiting
from pilothouse.engine.entries import RUNNING
from pilothouse.engine.ports import StepFailed
from pilothouse.engine.state import Pause
from pilothouse.features.runs.journal import RunJournal
from pilothouse.features.runs.memory import RunMemories, forget_ended_runs
from pilothouse.features.runs.stage import StagedBlock
from pilothouse.kit.json import JsonObject
from tests.base.ports import committing, reading
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.stand import Stand
from tests.features.runs.test_journal import admitted

PERSIST = "1d055e55-a2b9-4547-8311-907d05b0304d"
RETRIEVE = "d8710fc9-6e29-481e-a7d5-165eb16f8471"
SAMPLE = "4a448883-71fa-49cf-91cf-70d793bd7d87"


def keeps(scope: str = "within_agent", key: str = "last") -> JsonObject:
    """Gives what was there before, then keeps its input."""
    return graph(
        "Keeps",
        [
            node("n", graphs.ANY, name="n"),
            node("before", RETRIEVE, key=key, scope=scope, default_value="nothing"),
            node("old", graphs.OUTPUT, name="old"),
            node("keep", PERSIST, key=key, scope=scope),
            node("new", graphs.OUTPUT, name="new"),
        ],
        [
            link("before", "value", "old", "value"),
            link("n", "result", "keep", "value"),
            link("keep", "value", "new", "value"),
        ],
    )


def asks(scope: str) -> JsonObject:
    return graph(
        "Asks",
        [node("get", RETRIEVE, key="last", scope=scope, default_value="nothing"), node("o", graphs.OUTPUT, name="got")],
        [link("get", "value", "o", "value")],
    )


async def test_what_a_run_keeps_the_next_run_of_the_agent_finds(stand: Stand):
    agent = await stand.agent(keeps())
    first = await stand.start(agent, wait=30, n={"count": 1})
    second = await stand.start(agent, wait=30, n="ü\0")
    third = await stand.start(agent, wait=30, n=3)
    assert [run["outputs"]["old"] for run in (first, second, third)] == [["nothing"], [{"count": 1}], ["ü\0"]]
    assert first["outputs"]["new"] == [{"count": 1}]


async def test_other_agents_find_it_only_when_it_is_kept_across_agents_and_other_people_never(stand: Stand):
    await stand.run(keeps("within_agent"), n=1)
    assert (await stand.run(asks("within_agent")))["outputs"] == {"got": ["nothing"]}
    await stand.run(keeps("across_agents"), n=2)
    assert (await stand.run(asks("across_agents")))["outputs"] == {"got": [2]}
    bob = await stand.house.person()
    agent = await stand.agent(asks("across_agents"), bob)
    answer = await bob.http.post(f"/api/v1/agents/{agent}/runs", json={"inputs": {}}, headers={"Prefer": "wait=30"})
    assert answer.json()["outputs"] == {"got": ["nothing"]}
    await bob.leave()


async def test_a_run_finds_what_it_kept_itself(stand: Stand):
    document = graph(
        "Keeps, then asks",
        [
            node("n", graphs.ANY, name="n"),
            node("keep", PERSIST, key="k"),
            node("get", RETRIEVE, key="k"),
            node("o", graphs.OUTPUT, name="got"),
        ],
        [
            link("n", "result", "keep", "value"),
            link("keep", "value", "get", "default_value"),
            link("get", "value", "o", "value"),
        ],
    )
    agent = await stand.agent(document)
    for value in (1, [2], "three"):
        run = await stand.start(agent, wait=30, n=value)
        assert (run["status"], run["outputs"]) == ("completed", {"got": [value]})


async def test_too_much_to_keep_fails_the_step(small: Stand):
    run = await small.run(keeps(), n="x" * 1_000_000)
    assert run["status"] == "completed_with_errors"
    (failed,) = [event for event in await small.events(run["id"]) if event.get("error")]
    assert failed["error"]["code"] == "value_too_large"
    assert await small.count("remembered") == 0


async def test_sampling_gathers_over_the_steps_of_a_run_and_forgets_them_with_it(stand: Stand):
    """blocks: DataSampling's accumulate is per run and node."""
    document = graph(
        "Gathers",
        [
            node("items", graphs.STEP_THROUGH, items=[[{"n": number}] for number in range(5)]),
            node("sample", SAMPLE, accumulate=True, sampling_method="top", sample_size=100),
            node("o", graphs.OUTPUT, name="sample"),
        ],
        [link("items", "item", "sample", "data"), link("sample", "sampled_data", "o", "value")],
    )
    agent = await stand.agent(document)
    for _ in range(2):
        run = await stand.start(agent, wait=30)
        gathered = [len(sample) for sample in run["outputs"]["sample"]]
        assert gathered == [1, 2, 3, 4, 5]
        assert run["outputs"]["sample"][-1] == [{"n": number} for number in range(5)]
    assert await stand.count("remembered") == 2
    async with stand.house.api.units.write(SYSTEM) as work:
        await forget_ended_runs(work)
    assert await stand.count("remembered") == 0


async def test_what_others_keep_for_good_outlives_their_run(small: Stand):
    await small.run(keeps(), n=1)
    async with small.house.api.units.write(SYSTEM) as work:
        await forget_ended_runs(work)
    assert await small.count("remembered") == 1


class In(BlockInput):
    end: str = "well"


class Out(BlockOutput):
    done: bool | None = None


DECLARE = block(
    id="22222222-2222-4222-8222-222222222222",
    name="Puts",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[Example(ask={}, fires=[("done", True)])],
)


async def put_and_end(ask: In, ctx: BlockContext) -> Out:
    ctx.memory.put("k", ask.end, "agent")
    assert await ctx.memory.get("k", "agent") == ask.end
    if ask.end == "raises":
        raise TimeoutError
    if ask.end == "waits":
        raise Waiting(Pause("timer", 1, None))
    return Out(error="no") if ask.end == "fails" else Out(done=True)


@DECLARE
async def puts(ask: In, ctx: BlockContext) -> Out:
    """Put something, then end as told."""
    return await put_and_end(ask, ctx)


@DECLARE
async def puts_and_yields(ask: In, ctx: BlockContext) -> AsyncIterator[Out]:
    """The same, as a generator."""
    yield await put_and_end(ask, ctx)


@dataclass(slots=True)
class Opened:
    """A run in the hands of its worker, and one step of it."""

    job: Claimed
    journal: RunJournal
    memories: RunMemories
    reader: Reader

    @property
    def step(self) -> StepContext:
        return cast(StepContext, SimpleNamespace(run_id=self.job.id))

    def staged(self, one: Block) -> StagedBlock:
        return StagedBlock(Runnable(one), cast(Http, None), self.memories)

    async def kept(self) -> list[str]:
        rows = await self.reader.rows("select value from remembered where user_id=?1", self.job.user_id)
        return [value for (value,) in rows]


@asynccontextmanager
async def opened(database_url: str) -> AsyncGenerator[Opened]:
    async with committing(database_url) as committer, reading(database_url) as reader:
        job = await admitted(committer)
        journal = RunJournal(job, 1, committer, LocalFanout(), Lease(None))
        memories = RunMemories(reader)
        memories.open(job.id, journal)
        yield Opened(job, journal, memories, reader)


@pytest.mark.parametrize(("end", "is_kept"), [("well", True), ("waits", True), ("raises", False), ("fails", False)])
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_step_that_fails_keeps_nothing(database_url: str, end: str, is_kept: bool, streamed: bool):
    async with opened(database_url) as run:
        with suppress(StepFailed, Waiting):
            await (play_stream if streamed else play_call)(run, {"end": end})
        run.journal.add([[RUNNING, 2]])
        await run.journal.barrier()
        assert await run.kept() == ([f'"{end}"'] if is_kept else [])


async def play_call(run: Opened, inputs: JsonObject) -> None:
    await run.staged(puts).call(inputs, run.step)


async def play_stream(run: Opened, inputs: JsonObject) -> None:
    """As the driver does: a stream is left when it fired an error."""
    async with aclosing(run.staged(puts_and_yields).stream(inputs, run.step)) as stream:
        async for fired in stream:
            if fired[-1][0] == "error":
                return


async def test_nothing_is_committed_before_the_entries_that_say_the_step_ended(database_url: str):
    async with opened(database_url) as run:
        await play_call(run, {})
        await run.journal.barrier()
        assert await run.kept() == []
        run.journal.add([[RUNNING, 2]])
        segment = await run.journal.close()  # as a run that ends at once does
        assert await run.kept() == ['"well"']
        assert segment.last == 2


async def test_steps_that_change_a_value_by_what_it_was_take_turns(database_url: str):
    """The second one reads only when what the first one put is on its way."""
    async with opened(database_url) as run:

        async def count() -> None:
            memory = run.memories.of_step(run.job.id)
            async with memory.alone():
                before = await memory.get("n", "run", 0)
                assert isinstance(before, int)
                memory.put("n", before + 1, "run")
            memory.leave(keep=True)
            run.journal.add([[RUNNING, 2]])

        await asyncio.gather(*(count() for _ in range(5)))
        await run.journal.barrier()
        assert await run.kept() == ["5"]


@pytest.mark.parametrize("key", ["", "k" * 257, "a\0b"])
async def test_a_key_that_cannot_be_kept_is_refused(database_url: str, key: str):
    async with opened(database_url) as run:
        memory = run.memories.of_step(run.job.id)
        with pytest.raises(BlockFailed, match="A key is text"):
            memory.put(key, 1, "user")
        with pytest.raises(BlockFailed, match="A key is text"):
            await memory.get(key, "user")
