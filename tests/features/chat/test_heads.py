"""Readers of quiet sessions look into the log together, and miss nothing for it."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass

from pilothouse.base.fanout import LocalFanout, Subscription, look_again
from pilothouse.base.reader import Reader
from pilothouse.features.chat.events import Event
from pilothouse.features.chat.heads import Heads
from pilothouse.features.chat.reading import QUIET_SECONDS, Conversations
from pilothouse.kit.ids import new_id
from tests.features.chat.parlour import Parlour


@dataclass(slots=True)
class Counted:
    """The real reader, and how often it was asked."""

    reader: Reader
    asked: int = 0

    async def rows(self, sql: str, *params: object) -> list[tuple[object, ...]]:
        self.asked += 1
        return await self.reader.rows(sql, *params)

    async def close(self) -> None:
        """It is another's."""


class Spell(Subscription):
    """Its quiet spells last no longer than the test likes."""

    def pass_by(self) -> None:
        self._bell.set()  # without a notice: it hears nothing, as after the whole time


class Deaf(LocalFanout):
    """Nobody publishes here."""

    def __init__(self) -> None:
        super().__init__()
        self.spell = Spell()

    def subscribe(self, log_id: str) -> Subscription:
        self._followers[log_id].add(self.spell)
        return self.spell


async def test_many_are_answered_by_one_question(parlour: Parlour):
    sessions = [await parlour.session() for _ in range(5)]
    await parlour.ended(await parlour.start(sessions[0], "say one"))
    last = (await parlour.events(sessions[0]))[-1].id
    reader, heads = Counted(parlour.stand.house.api.reader), Heads()
    asked = [*sessions, sessions[0], new_id()]
    told = await asyncio.gather(*(heads.of(reader, session) for session in asked))
    assert (told, reader.asked) == ([last, 0, 0, 0, 0, last, None], 1)


async def test_one_that_leaves_takes_no_answer_with_it(small: Parlour):
    session, heads, reader = await small.session(), Heads(), Counted(small.stand.house.api.reader)
    first, second = (asyncio.create_task(heads.of(reader, session)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 0
    assert first.cancelled()


async def test_what_a_quiet_reader_was_not_told_of_is_found(parlour: Parlour):
    """5.3, 5.4: at the next look, and at once when it is told that something is missing."""
    session, deaf = await parlour.session(), Deaf()
    reader = Counted(parlour.stand.house.api.reader)
    async with aclosing(Conversations(reader, deaf).follow(session, 0)) as batches:

        async def next_quiet() -> list[Event]:
            deaf.spell.pass_by()
            return await anext(batches)

        assert await next_quiet() == []
        before = reader.asked
        assert await next_quiet() == []
        assert reader.asked == before + 1  # how far the log goes, and no more
        await parlour.ended(await parlour.start(session, "say one"))
        deaf.deliver(look_again(session))
        began = time.monotonic()
        found = await anext(batches)
        assert time.monotonic() - began < QUIET_SECONDS / 2
        assert await next_quiet() == []
        await parlour.ended(await parlour.start(session, "say two"))
        assert await next_quiet() == []
        found += await anext(batches)
    assert [event.id for event in found] == list(range(1, len(await parlour.events(session)) + 1))


async def test_a_quiet_reader_of_a_session_that_is_deleted_is_let_go(small: Parlour):
    """1.11: at the next look, though nobody says so."""
    session = await small.session()
    conversations = Conversations(small.stand.house.api.reader, LocalFanout())
    async with aclosing(conversations.follow(session, 0)) as batches:
        await small.chat.delete_session(small.ann, session)
        assert [batch async for batch in batches] == []
