"""engine:Z7: the broker doubles, loses, delays and reorders what it delivers, and says whatever it likes."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

import aio_pika
import pytest
from aio_pika.abc import AbstractChannel, AbstractIncomingMessage

from pilothouse.features.runs.writes import KIND
from tests.faults.checker import Checker
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import FULL, SEED

pytestmark = pytest.mark.scaled

RUNS = 400 if FULL else 40


async def test_deliveries_doubled_lost_late_and_out_of_order_change_nothing(launcher: Launcher, scaled: Place):
    random = Random(SEED)
    async with open_rig(launcher, scaled, drops=0.05) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        async with bad_postman(rig, random) as postman:
            for _ in range(RUNS // 20):
                await rig.client.start_some(random, 20)
                await postman.shout()
                await asyncio.sleep(0.3)
            await rig.quiet()
        assert min(postman.lost, postman.doubled, postman.late, postman.shouted) > 0, "the postman was too good"
        said = f"{postman.lost} lost, {postman.doubled} doubled, {postman.late} late, {postman.shouted} out of the blue"
        record("figure", name="Z7 messages of the broker", profile="scaled", value=said)
        await checker.judge()


@dataclass(slots=True)
class Postman:
    """A consumer of the workers' queue that puts back what it takes in its own ways."""

    rig: Rig
    random: Random
    channel: AbstractChannel
    queue: str
    lost: int = 0
    doubled: int = 0
    late: int = 0
    shouted: int = 0
    walks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def take(self, message: AbstractIncomingMessage) -> None:
        await message.ack()
        ids: list[str] = json.loads(message.body)
        self.random.shuffle(ids)
        fate = self.random.random()
        if fate < 0.3:
            self.lost += 1
        elif fate < 0.6:
            self.doubled += 1
            await asyncio.gather(self.publish(ids), self.publish(ids))
        else:
            self.late += 1
            walk = asyncio.create_task(self.walk(ids, self.random.uniform(0, 1.5)))
            self.walks.add(walk)
            walk.add_done_callback(self.walks.discard)

    async def walk(self, ids: list[str], seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.publish(ids)

    async def shout(self) -> None:
        """Ring twice for every job there is, in any state, and for one that never was: both workers hear of it."""
        ids = [row[0] for row in await self.rig.reader.rows("select id from jobs")]
        for _ in range(2):
            await asyncio.gather(*(self.publish([job_id]) for job_id in [*ids, "no-such-job"]))
        self.shouted += 2 * len(ids)

    async def publish(self, ids: list[str]) -> None:
        message = aio_pika.Message(json.dumps(ids).encode(), delivery_mode=aio_pika.DeliveryMode.PERSISTENT)
        await self.channel.default_exchange.publish(message, self.queue)


@asynccontextmanager
async def bad_postman(rig: Rig, random: Random) -> AsyncGenerator[Postman]:
    assert rig.place.broker_url is not None
    async with await aio_pika.connect(rig.place.broker_url) as connection:
        channel = await connection.channel()
        await channel.set_qos(prefetch_count=8)
        queue = await channel.get_queue(f"{rig.place.broker_prefix}.{KIND}")
        postman = Postman(rig, random, channel, queue.name)
        tag = await queue.consume(postman.take)
        yield postman
        await queue.cancel(tag)
        for walk in postman.walks:
            walk.cancel()
