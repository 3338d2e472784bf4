"""Followers get every committed entry once and in order, whatever happens to the notices."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import pytest

from pilothouse.base.fanout import Fanout, LocalFanout, Notice, follow, log_gone
from pilothouse.base.fanout_redis import RedisFanout
from pilothouse.base.logs import numbered
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, dumps
from tests.base.waiting import until
from tests.conftest import MakeRedis


class MemoryLog:
    """A log as its table would hold it; `commit` answers the notice that a writer would publish."""

    def __init__(self) -> None:
        self.id = new_id()
        self.entries: list[Json] = []
        self.reads = 0

    def commit(self, *entries: Json) -> Notice:
        first = len(self.entries) + 1
        self.entries += entries
        return Notice(self.id, first, len(self.entries), dumps(list(entries)))

    async def read_after(self, after: int) -> list[tuple[int, Json]]:
        self.reads += 1
        return [(seq, entry) for seq, entry in enumerate(self.entries, 1) if seq > after]


@asynccontextmanager
async def redis_fanout(url: str) -> AsyncGenerator[RedisFanout]:
    fanout = RedisFanout(url, prefix=f"test:{new_id()}")
    await fanout.start()
    try:
        yield fanout
    finally:
        await fanout.close()


@pytest.fixture(params=["local", pytest.param("redis", marks=pytest.mark.scaled)])
async def fanout(request: pytest.FixtureRequest) -> AsyncGenerator[Fanout]:
    if request.param == "local":
        yield LocalFanout()
        return
    async with redis_fanout(request.getfixturevalue("redis_url")) as fanout:
        yield fanout


async def collect(fanout: Fanout, log: MemoryLog, count: int, *, after: int = 0, quiet: float = 0.5) -> list[int]:
    got: list[int] = []
    stream = follow(fanout, log.id, after, log.read_after, numbered, quiet=quiet)
    async with asyncio.timeout(20), aclosing(stream):
        async for batch in stream:
            got += [seq for seq, _ in batch]
            if len(got) >= count:
                return got
    return got


async def test_what_was_there_comes_first_and_then_what_is_published(fanout: Fanout):
    log = MemoryLog()
    log.commit("a", "b")
    reader = asyncio.create_task(collect(fanout, log, 5))
    await until(lambda: log.reads > 0)

    fanout.publish([log.commit("c")])
    fanout.publish([log.commit("d", "e")])

    assert await reader == [1, 2, 3, 4, 5]


async def test_a_reader_resumes_after_the_number_that_it_names(fanout: Fanout):
    log = MemoryLog()
    log.commit(*range(10))

    assert await collect(fanout, log, 4, after=6) == [7, 8, 9, 10]


async def test_lost_doubled_reordered_and_large_notices_change_nothing(fanout: Fanout):
    chance = random.Random(3)
    log = MemoryLog()
    readers = [asyncio.create_task(collect(fanout, log, 400, quiet=0.2)) for _ in range(5)]
    await until(lambda: log.reads >= 5)

    pending: list[Notice] = []
    while len(log.entries) < 400:
        size = chance.choice([1, 1, 2, 5])
        notice = log.commit(*["x" * (20_000 if chance.random() < 0.05 else 5) for _ in range(size)])
        fate = chance.random()
        pending += [] if fate < 0.2 else [notice, notice] if fate < 0.4 else [notice]
        if len(pending) > 4:
            chance.shuffle(pending)
            fanout.publish(pending)
            pending = []
            await asyncio.sleep(0.005)

    for got in await asyncio.gather(*readers):
        assert got[:400] == list(range(1, 401))
        assert got == sorted(set(got))


async def test_a_reader_that_falls_far_behind_reads_the_log(fanout: Fanout):
    log = MemoryLog()
    stream = follow(fanout, log.id, 0, log.read_after, numbered, quiet=30)
    log.commit("first")
    assert await anext(stream) == [(1, "first")]
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.1)

    for _ in range(3_000):
        fanout.publish([log.commit("x")])
    got = [seq for seq, _ in await reading]
    async with asyncio.timeout(5):
        while not got or got[-1] < 3_001:
            got += [seq for seq, _ in await anext(stream)]
    await stream.aclose()

    assert got == list(range(2, 3_002))


async def test_a_quiet_log_yields_nothing_now_and_then(fanout: Fanout):
    log = MemoryLog()
    stream = follow(fanout, log.id, 0, log.read_after, numbered, quiet=0.05)

    assert await anext(stream) == []
    await stream.aclose()


async def test_readers_of_a_log_that_is_gone_are_woken(fanout: Fanout):
    """The empty list of a quiet spell: whoever gets it looks whether there still is such a log."""
    log = MemoryLog()
    log.commit("a")
    stream = follow(fanout, log.id, 0, log.read_after, numbered, quiet=30)
    assert await anext(stream) == [(1, "a")]
    reading = asyncio.ensure_future(anext(stream))

    def is_woken() -> bool:
        fanout.publish([log_gone(log.id)])  # again, for Redis may not know of the reader yet
        return reading.done()

    await until(is_woken, 5)
    assert reading.result() == []
    await stream.aclose()


async def test_a_hundred_readers_all_get_everything(fanout: Fanout):
    log = MemoryLog()
    readers = [asyncio.create_task(collect(fanout, log, 50, quiet=1)) for _ in range(100)]
    await until(lambda: log.reads >= 100)

    for n in range(50):
        fanout.publish([log.commit(n)])
        await asyncio.sleep(0)

    assert all(got == list(range(1, 51)) for got in await asyncio.gather(*readers))


async def test_a_reply_reaches_the_process_that_waits(fanout: Fanout):
    waiting = fanout.expect("run-1")
    fanout.reply(fanout.reply_address, "run-1", "done")
    fanout.reply(fanout.reply_address, "nobody", "done")

    assert await asyncio.wait_for(waiting, 2) == "done"


@pytest.mark.scaled
async def test_notices_and_replies_cross_processes(redis_url: str):
    prefix = f"test:{new_id()}"
    here, there = RedisFanout(redis_url, prefix=prefix), RedisFanout(redis_url, prefix=prefix)
    await here.start()
    await there.start()
    log = MemoryLog()
    reader = asyncio.create_task(collect(here, log, 2, quiet=30))
    waiting = here.expect("run-1")
    await until(lambda: log.reads >= 2)  # the second read tells that Redis knows of us

    there.publish([log.commit("a"), log.commit("b")])
    there.reply(here.reply_address, "run-1", "done")

    async with asyncio.timeout(3):
        assert await reader == [1, 2]
        assert await waiting == "done"
    await here.close()
    await there.close()


@pytest.mark.scaled
async def test_a_log_that_is_followed_again_at_once_is_still_followed(redis_url: str):
    async with redis_fanout(redis_url) as fanout:
        log = MemoryLog()
        for _ in range(20):
            subscription = fanout.subscribe(log.id)
            fanout.unsubscribe(log.id, subscription)
            await asyncio.sleep(0)
        reader = asyncio.create_task(collect(fanout, log, 1, quiet=30))
        await until(lambda: log.reads >= 2)

        fanout.publish([log.commit("a")])

        assert await asyncio.wait_for(reader, 3) == [1]


@pytest.mark.scaled
async def test_when_redis_dies_streams_go_on_from_the_log_and_then_live_again(private_redis: MakeRedis):
    server = private_redis()
    async with redis_fanout(server.url) as fanout:
        log = MemoryLog()
        reader = asyncio.create_task(collect(fanout, log, 30, quiet=0.3))
        await until(lambda: log.reads >= 2)

        for phase in range(3):
            if phase == 1:
                await asyncio.to_thread(server.kill)
            if phase == 2:
                await asyncio.to_thread(server.start)
            for n in range(10):
                fanout.publish([log.commit(n)])
                await asyncio.sleep(0.02)

        assert await reader == list(range(1, 31))
        reads = log.reads
        live = asyncio.create_task(collect(fanout, log, 1, after=30, quiet=30))
        await until(lambda: log.reads > reads)
        fanout.publish([log.commit("live")])
        assert await asyncio.wait_for(live, 5) == [31]
