"""What happens right at a number, and one past it."""

import pytest

from pilothouse.features.chat.errors import TooManyPushes
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


async def earlier(parlour: Parlour, seconds: int) -> None:
    """As if all that Ann pushed had come so much earlier."""
    move = "update chat_messages set queued_at = queued_at - :micros where user_id = :user_id"
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
