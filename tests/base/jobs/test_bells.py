"""A bell hands ids to whoever listens, and never stops its ringer."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from pilothouse.base.jobs.acks import ACK_SECONDS
from pilothouse.base.jobs.bells import Bell, LocalBell
from pilothouse.base.jobs.rabbit import RabbitBell
from tests.base.waiting import until
from tests.conftest import MakeRabbitMQ

KIND = "test.work"


class Ears:
    """Keeps what was rung."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.cancels: list[str] = []
        self.acknowledge = True

    def on_work(self, kind: str, ids: Sequence[str], done: Callable[[], None]) -> None:
        self.ids += ids
        if self.acknowledge:
            done()

    def on_cancel(self, ids: Sequence[str]) -> None:
        self.cancels += ids

    def heard(self, *ids: str) -> Callable[[], bool]:
        return lambda: set(ids) <= set(self.ids)


@asynccontextmanager
async def rabbit_bell(url: str, prefix: str) -> AsyncGenerator[RabbitBell]:
    bell = RabbitBell(url, prefix=prefix)
    await bell.start()
    try:
        yield bell
    finally:
        await bell.close()


@pytest.fixture(params=["local", pytest.param("rabbit", marks=pytest.mark.scaled)])
async def bell(request: pytest.FixtureRequest) -> AsyncGenerator[Bell]:
    if request.param == "local":
        yield LocalBell()
        return
    url, prefix = request.getfixturevalue("broker_url"), request.getfixturevalue("broker_prefix")
    async with rabbit_bell(url, prefix) as bell:
        yield bell


async def settled(bell: Bell, ears: Ears) -> None:
    """Wait until rings and cancels arrive: a broker needs a moment."""

    def arrived() -> bool:
        bell.ring_cancel(["probe"])
        return "probe" in ears.cancels

    await until(arrived)


async def test_a_ring_reaches_the_listener_and_a_cancel_too(bell: Bell):
    ears = Ears()
    await bell.listen([KIND], ears.on_work, ears.on_cancel)
    await settled(bell, ears)

    bell.ring(KIND, [f"job-{n}" for n in range(200)])
    bell.ring_cancel(["job-1"])

    await until(ears.heard(*(f"job-{n}" for n in range(200))))
    await until(lambda: "job-1" in ears.cancels)
    assert len(ears.ids) == 200


async def test_a_ring_of_another_kind_is_not_heard(bell: Bell):
    ears = Ears()
    await bell.listen([KIND], ears.on_work, ears.on_cancel)
    await settled(bell, ears)

    bell.ring("test.other", ["other"])
    bell.ring(KIND, ["mine"])

    await until(ears.heard("mine"))
    assert ears.ids == ["mine"]


async def test_after_it_stopped_listening_nothing_more_comes(bell: Bell):
    ears = Ears()
    await bell.listen([KIND], ears.on_work, ears.on_cancel)
    await settled(bell, ears)
    await bell.stop_listening()

    bell.ring(KIND, ["late"])
    await asyncio.sleep(0.3)

    assert ears.ids == []


async def test_a_ring_without_listener_harms_nobody(bell: Bell):
    bell.ring(KIND, ["nobody"])
    bell.ring_cancel(["nobody"])
    await asyncio.sleep(0.05)


@pytest.mark.scaled
async def test_what_was_not_acknowledged_goes_to_another(broker_url: str, broker_prefix: str):
    deaf, other = Ears(), Ears()
    deaf.acknowledge = False
    async with rabbit_bell(broker_url, broker_prefix) as ringing:
        async with rabbit_bell(broker_url, broker_prefix) as first:
            await first.listen([KIND], deaf.on_work, deaf.on_cancel)
            await settled(ringing, deaf)
            ringing.ring(KIND, ["job"])
            await until(deaf.heard("job"))
        await ringing.listen([KIND], other.on_work, other.on_cancel)
        await until(other.heard("job"))


@pytest.mark.scaled
async def test_what_was_claimed_out_of_order_is_acknowledged_and_nothing_else(broker_url: str, broker_prefix: str):
    ears, other = Ears(), Ears()
    held: dict[str, Callable[[], None]] = {}
    async with rabbit_bell(broker_url, broker_prefix) as ringing:
        async with rabbit_bell(broker_url, broker_prefix) as first:
            await first.listen([KIND], lambda _, ids, done: held.update({ids[0]: done}), ears.on_cancel)
            await settled(ringing, ears)
            ids = [f"job-{n}" for n in range(6)]
            for job_id in ids:
                ringing.ring(KIND, [job_id])
                await until(lambda job_id=job_id: job_id in held)
            for done in (4, 0, 2, 1):  # 3 and 5 are never claimed
                held[ids[done]]()
                await asyncio.sleep(2 * ACK_SECONDS)
        await ringing.listen([KIND], other.on_work, other.on_cancel)
        await until(other.heard("job-3", "job-5"))
        await asyncio.sleep(0.2)
    assert sorted(other.ids) == ["job-3", "job-5"]


@pytest.mark.scaled
async def test_each_ring_goes_to_one_process_and_each_cancel_to_all(broker_url: str, broker_prefix: str):
    ears = [Ears(), Ears()]
    async with rabbit_bell(broker_url, broker_prefix) as one, rabbit_bell(broker_url, broker_prefix) as two:
        for bell, ear in zip((one, two), ears, strict=True):
            await bell.listen([KIND], ear.on_work, ear.on_cancel)
            await settled(bell, ear)

        ids = [f"job-{n}" for n in range(50)]
        for job_id in ids:
            one.ring(KIND, [job_id])
            await asyncio.sleep(0)
        one.ring_cancel(["job-7"])

        await until(lambda: sorted(ears[0].ids + ears[1].ids) == sorted(ids))
        await until(lambda: all("job-7" in ear.cancels for ear in ears))


@pytest.mark.scaled
async def test_the_last_rings_of_a_process_are_sent_before_it_goes(broker_url: str, broker_prefix: str):
    ears = Ears()
    async with rabbit_bell(broker_url, broker_prefix) as listening:
        await listening.listen([KIND], ears.on_work, ears.on_cancel)
        await settled(listening, ears)
        async with rabbit_bell(broker_url, broker_prefix) as leaving:
            leaving.ring(KIND, ["first"])
            await until(ears.heard("first"))
            leaving.ring(KIND, ["released"])
        await until(ears.heard("released"))


@pytest.mark.scaled
async def test_a_broker_that_dies_and_returns_is_used_again(private_rabbitmq: MakeRabbitMQ):
    server = await asyncio.to_thread(private_rabbitmq)
    ears = Ears()
    async with rabbit_bell(server.url, "test") as bell:
        await bell.listen([KIND], ears.on_work, ears.on_cancel)
        await settled(bell, ears)

        # A quorum queue that was made within the last seconds may not survive the kill of its only node.
        await asyncio.to_thread(server.control, "eval", "[dets:sync(Table) || Table <- dets:all()].")
        await asyncio.to_thread(server.kill)
        bell.ring(KIND, ["lost"])  # the idle pull finds it
        await asyncio.sleep(0.5)
        await asyncio.to_thread(server.start)

        def arrived() -> bool:
            bell.ring(KIND, ["back"])
            bell.ring_cancel(["back"])
            return "back" in ears.ids and "back" in ears.cancels

        await until(arrived, 40)


@pytest.mark.scaled
async def test_a_bell_can_start_before_its_broker(private_rabbitmq: MakeRabbitMQ):
    server = private_rabbitmq(start=False)
    ears = Ears()
    async with rabbit_bell(server.url, "test") as bell:
        await bell.listen([KIND], ears.on_work, ears.on_cancel)
        bell.ring(KIND, ["too early"])
        await asyncio.sleep(0.2)
        await asyncio.to_thread(server.start)
        await until(lambda: (bell.ring(KIND, ["job"]), "job" in ears.ids)[1], 40)
