"""9.2, 9.4: what waits is taken once, in order, or not at all."""

import asyncio
from dataclasses import dataclass, field, replace
from random import Random
from typing import cast

import pytest

from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.scripted import Script, Scripted
from pilothouse.features.chat import Message, MessagePending, events, queries
from pilothouse.features.chat.errors import PendingFull
from pilothouse.features.chat.writes import starting
from pilothouse.kit.ids import new_id
from tests.features.chat.parlour import Parlour
from tests.features.chat.test_going_on import lonely_turn

SENDERS, EACH = 6, 15  # nine times what the buffer holds


async def test_pushes_that_race_drains_lose_nothing_and_double_nothing(
    parlour: Parlour, monkeypatch: pytest.MonkeyPatch
):
    """9.2: through two processes where there are two; what is refused for want of room is sent again."""
    monkeypatch.setattr(starting, "PENDING_CALL_LIMIT", 10_000)
    session, hold = await lonely_turn(parlour)
    opened = await parlour.chat.turns.open_turn(hold)
    taken, chance = list[Message](), Random(5)

    async def push(sender: int) -> None:
        for n in range(EACH):
            message_id = new_id()
            while not await is_kept(parlour, session, f"{sender} {n}", message_id, sender % 2):
                await asyncio.sleep(0)

    async def drain() -> None:
        while len(taken) < SENDERS * EACH:
            taken.extend(await opened.log.drain_pending())
            await asyncio.sleep(chance.choice((0, 0, 0.01)))  # now and then so late that the buffer is full

    async with asyncio.timeout(30):
        await asyncio.gather(drain(), *map(push, range(SENDERS)))
    assert await opened.log.drain_pending() == ()
    await opened.log.settle(events.COMPLETED)

    said = [message.text for message in taken]
    for sender in range(SENDERS):
        assert [text for text in said if text.startswith(f"{sender} ")] == [f"{sender} {n}" for n in range(EACH)]
    logged = [event.data for event in await parlour.events(session) if event.type == events.FOLLOW_UP]
    assert [text for data in logged for text in cast(list[str], data["texts"])] == said
    ids = [message_id for data in logged for message_id in cast(list[str], data["message_ids"])]
    assert ids == [message.message_id for message in taken]
    assert len(logged) >= SENDERS * EACH / 10


async def is_kept(parlour: Parlour, session: str, text: str, message_id: str, through: int) -> bool:
    try:
        told = await parlour.say(session, text, message_id=message_id, through=through)
    except PendingFull:
        return False
    assert isinstance(told, MessagePending)
    return True


class Broken(Exception):
    """What goes wrong in the middle of a transaction."""


@dataclass(slots=True)
class Breaking:
    """A committer whose sets go wrong behind their last write, and what there was to see at that moment."""

    committer: Committer
    session_id: str
    seen: list[int] = field(default_factory=list[int])

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[object]]":
        return self.committer.submit(writes)

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[object]:
        return await self.committer.land(replace(writes, writes=(*writes.writes, (Scripted("break", self.fail), ()))))

    def fail(self) -> Script:
        for table, of in (("chat_pending", "session_id"), ("segments", "log_id")):
            rows = yield f"select count(*) from {table} where {of}=?1", (self.session_id,)
            self.seen.append(rows[0][0])
        raise Broken

    async def close(self) -> None: ...


async def test_what_a_failed_drain_took_is_pending_again(parlour: Parlour):
    """9.4: with files, contexts and order; the log says nothing of it. The next drain has them all."""
    session, hold = await lonely_turn(parlour)
    page = {"url": "https://example.com", "content": "a page"}
    await parlour.say(session, "say 0", file_ids=(new_id(), new_id()))
    await parlour.say(session, "say 1")
    await parlour.say(session, "say 2", context=page, mode="fast")
    reader = parlour.stand.house.api.reader
    waiting, before = await queries.list_pending(reader, parlour.ann, session), await parlour.events(session)
    breaking = Breaking(parlour.chat.lines.committer, session)
    opened = await replace(parlour.chat.turns, lines=parlour.chat.lines._replace(committer=breaking)).open_turn(hold)
    with pytest.raises(Broken):
        await opened.log.drain_pending()
    assert breaking.seen[:2] == [0, 2]  # they were gone, and told of beside the message that started the turn
    assert await queries.list_pending(reader, parlour.ann, session) == waiting
    assert await parlour.events(session) == before
    assert [message.text for message in waiting] == ["say 0", "say 1", "say 2"]
    again = await parlour.chat.turns.open_turn(hold)
    assert list(await again.log.drain_pending()) == waiting
    assert await queries.list_pending(reader, parlour.ann, session) == []
    await again.log.settle(events.COMPLETED)
