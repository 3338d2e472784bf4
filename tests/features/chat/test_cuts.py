"""5.1: readers of a log that is being written are cut off at random, come back, and miss nothing."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from random import Random

from pilothouse.base.loops import end_tasks
from pilothouse.features.chat import Conversations, queries
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import JsonObject
from tests.features.chat.parlour import Parlour

CUTS, SCALED_CUTS = 5_000, 500  # of each of the two readers; PostgreSQL takes its time to give up a statement
STEPS = (0, 1, 2, 4, 16, 64)  # of the loop, after which a reader is cut if it has not left by itself
LEAD = 40  # events that the writer may be ahead


class Follower:
    """Reads a session's log, is cut, and goes on after the last event that it has seen."""

    def __init__(self, conversations: Conversations, session: str, random: Random) -> None:
        self.conversations, self.session, self.random = conversations, session, random
        self.seen: list[JsonObject] = []
        self.empty = 0  # cuts before anything had come
        self.torn = 0  # cuts in the middle of what came together

    async def is_cut(self, times: int) -> None:
        for _ in range(times):
            before = len(self.seen)
            if self.random.random() < 0.3:
                await self.read(self.random.randint(1, 5))
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
    waits, reads the log or is handed what was just committed, and in the middle of what came together. Here the
    reading itself is cut; `tests/faults` cuts connections.
    """
    session, gate = await parlour.session(), new_id()
    houses = (parlour.stand.house.api, parlour.stand.house.worker)
    readers = [Follower(Conversations(each.reader, each.fanout), session, Random(n)) for n, each in enumerate(houses)]
    turn = await parlour.start(session, f"chatter {gate}")
    pacing = asyncio.create_task(keep_ahead(parlour, session, gate, readers))
    cuts = CUTS if houses[0] is houses[1] else SCALED_CUTS
    try:
        await asyncio.gather(*(reader.is_cut(cuts) for reader in readers))
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
