"""What happens right at a number, and one past it."""

import pytest

from pilothouse.features.chat.errors import PendingFull, TooManyPushes
from pilothouse.features.chat.outcomes import progress_of
from pilothouse.kit.ids import new_id
from tests.features.chat.parlour import Parlour


async def test_pushes_count_for_a_minute(small: Parlour):
    """9.1: thirty in sixty seconds, over all sessions, whenever these begin"""
    gate = new_id()
    sessions = [await small.session() for _ in range(4)]
    for session in sessions:
        await small.start(session, f"wait {gate}")
    for n in range(30):
        await small.say(sessions[n % 4], "say later")
    with pytest.raises(TooManyPushes):
        await small.say(sessions[3], "say later")
    await earlier(small, 55)
    with pytest.raises(TooManyPushes):
        await small.say(sessions[3], "say later")
    await earlier(small, 6)
    await small.say(sessions[3], "say later")
    small.open(gate)


async def test_pushes_count_also_when_nothing_is_left_of_them(small: Parlour):
    """9.1: taken back, or gone with their session; one that was refused, or sent again, is none."""
    gate, kept, lost = new_id(), await small.session(), await small.session()
    await small.start(kept, f"wait {gate}")
    doomed = await small.start(lost, f"wait {gate}")
    again = new_id()
    for _ in range(19):
        await small.say(kept, "say later", message_id=again)
        await small.say(kept, "say later", message_id=again)
        await small.chat.take_back(small.ann, kept, again)
    for _ in range(10):
        await small.say(lost, "say later")
    with pytest.raises(PendingFull):
        await small.say(lost, "say later")
    await small.chat.delete_session(small.ann, lost)
    assert await small.chat.turns.reader.rows("select 1 from chat_turns where id=?1", doomed) == []
    await small.say(kept, "say later")
    for _ in range(2):
        with pytest.raises(TooManyPushes):
            await small.say(kept, "say later")
    await earlier(small, 60)
    await small.say(kept, "say later")
    assert len(await small.stand.rows("select 1 from chat_pushes where user_id=?1", small.ann.user_id)) == 1
    small.open(gate)


async def earlier(parlour: Parlour, seconds: int) -> None:
    """As if all that Ann pushed had come so much earlier."""
    move = "update chat_pushes set at = at - :micros where user_id = :user_id"
    await parlour.stand.tell(move, micros=seconds * 1_000_000, user_id=parlour.ann.user_id)


async def test_progress_is_the_last_five_messages_and_how_they_begin(small: Parlour):
    """15.5"""
    session = await small.session()
    for n in range(3):
        await small.ended(await small.start(session, f"say {n}", "x" * 500))
    shown = await progress_of(small.stand.house.api.reader, session)
    assert shown is not None
    assert shown["message_count"] == 6
    last = shown["last_messages"]
    assert isinstance(last, list)
    said = [message for message in last if isinstance(message, dict)]
    assert [message["role"] for message in said] == ["assistant", "user"] * 2 + ["assistant"]
    assert said[1]["content"] == ("say 1\n" + "x" * 500)[:400]
