"""5.1: readers of a log that is being written are cut off at random, come back, and miss nothing."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from random import Random

from pilothouse.base.fanout import Fanout, LocalFanout, Notice, Subscription
from pilothouse.base.loops import end_tasks
from pilothouse.features.chat import Conversations, queries
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import JsonObject
from tests.features.chat.parlour import Parlour

CUTS, SCALED_CUTS = 5_000, 500  # of each of the two readers; PostgreSQL takes its time to give up a statement
STEPS = (0, 1, 2, 4, 16, 64)  # of the loop, after which a reader is cut if it has not left by itself
STAYS = (1, 2, 3, 5, 60)  # events that a reader takes before it leaves by itself; twenty are published at once
LEAD = 40  # events that the writer may be ahead
GAPS = 10  # times that each reader must have got something behind what it missed
LOST, LATE = 0.2, 0.2  # of what is published; never two in a row, for a writer that is far ahead waits


class Leaky(LocalFanout):
    """Carries what another fanout does, but loses some of it, and lets some come after what was published later."""

    def __init__(self, inner: Fanout, random: Random) -> None:
        super().__init__()
        self.inner, self.random = inner, random
        self.gaps = 0  # times that something was published behind what is missing

    def subscribe(self, log_id: str) -> Subscription:
        return Dripping(self, self.inner.subscribe(log_id))

    def unsubscribe(self, log_id: str, subscription: Subscription) -> None:
        assert isinstance(subscription, Dripping)
        self.inner.unsubscribe(log_id, subscription.inner)


class Dripping(Subscription):
    """What one reader gets of it."""

    def __init__(self, leaky: Leaky, inner: Subscription) -> None:
        super().__init__()
        self.leaky, self.inner = leaky, inner
        self.late: list[Notice] = []
        self.missed = False

    async def take(self, timeout: float) -> list[Notice]:
        while notices := await self.inner.take(timeout):
            if came := self._come(notices):
                return came
        return []

    def _come(self, notices: list[Notice]) -> list[Notice]:
        came: list[Notice] = []
        for notice in notices:
            fate = 1 if self.missed else self.leaky.random.random()
            if fate >= LOST + LATE:
                came.append(notice)
                self.leaky.gaps += self.missed
                self.missed = False
                continue
            self.missed = True
            if fate >= LOST:
                self.late.append(notice)
        if came:
            came, self.late = [*came, *self.late], []
        return came


class Follower:
    """Reads a session's log, is cut, and goes on after the last event that it has seen."""

    def __init__(self, conversations: Conversations, session: str, random: Random) -> None:
        self.conversations, self.session, self.random = conversations, session, random
        self.seen: list[JsonObject] = []
        self.empty = 0  # cuts before anything had come
        self.torn = 0  # cuts in the middle of what came together

    async def is_cut(self, times: int, leak: Leaky) -> None:
        """So often, and until enough has been missed: how much comes between two cuts is the machine's to say."""
        while times > 0 or leak.gaps < GAPS:
            times -= 1
            before = len(self.seen)
            if self.random.random() < 0.3:
                await self.read(self.random.choice(STAYS))
            else:
                await self.read_a_moment()
            self.empty += len(self.seen) == before

    async def read_a_moment(self) -> None:
        reading = asyncio.create_task(self.read(self.random.randint(1, 5)))
        for _ in range(self.random.choice(STEPS)):
            await asyncio.sleep(0)
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading

    async def read(self, most: int) -> None:
        """So many events, from where it was."""
        last = len(self.seen) + most
        async with aclosing(self.conversations.envelopes(self.session, len(self.seen))) as batches:
            async for batch in batches:
                self.torn += len(self.seen) + len(batch) > last
                self.seen += batch[: last - len(self.seen)]
                if len(self.seen) == last:
                    return


async def test_readers_that_are_cut_while_the_log_grows_see_each_event_once(parlour: Parlour):
    """5.1: ten thousand cuts of two readers, embedded; a thousand, by two processes, scaled. They come while the reader
    waits, reads the log or is handed what was just committed, and in the middle of what came together. Of what is
    published some is lost and some comes late. Here the reading itself is cut; `tests/faults` cuts connections.
    """
    session, gate = await parlour.session(), new_id()
    houses = (parlour.stand.house.api, parlour.stand.house.worker)
    leaks = [Leaky(each.fanout, Random(-n)) for n, each in enumerate(houses)]
    pairs = zip(houses, leaks, strict=True)
    readers = [Follower(Conversations(each.reader, leak), session, Random(n)) for n, (each, leak) in enumerate(pairs)]
    turn = await parlour.start(session, f"chatter {gate}")
    pacing = asyncio.create_task(keep_ahead(parlour, session, gate, readers))
    cuts = CUTS if houses[0] is houses[1] else SCALED_CUTS
    try:
        await asyncio.gather(*(reader.is_cut(cuts, leak) for reader, leak in zip(readers, leaks, strict=True)))
    finally:
        await end_tasks(pacing)
    await parlour.chat.cancel_turn(parlour.ann, session)
    assert await parlour.ended(turn) == "cancelled"
    log = await readers[0].conversations.read(session, 0, 100_000)
    assert [event["id"] for event in log] == list(range(1, len(log) + 1))
    for reader in readers:
        assert min(reader.empty, reader.torn) > cuts / 20  # it was cut at all sorts of points
        await reader.read(len(log) - len(reader.seen))
        assert reader.seen == log


async def keep_ahead(parlour: Parlour, session: str, gate: str, readers: Sequence[Follower]) -> None:
    """The writer goes on while a reader is close behind, so that what comes is what was just committed."""
    while True:
        head = (await queries.get_session(parlour.stand.house.api.reader, parlour.ann, session)).head
        if head - max(len(reader.seen) for reader in readers) < LEAD:
            parlour.open(gate)
        else:
            parlour.actor.gates[gate].clear()
        await asyncio.sleep(0.002)
