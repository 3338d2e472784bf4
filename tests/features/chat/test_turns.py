"""Turns: admitted once, worked on, ended once, and what follows from an end."""

from pilothouse.features.chat import MessagePending, TurnBegun
from pilothouse.kit.ids import new_id
from tests.features.chat.parlour import Parlour


async def test_a_message_to_an_idle_session_starts_a_turn_that_ends(parlour: Parlour):
    session = await parlour.session()
    turn = await parlour.start(session, "say hello there")
    assert await parlour.ended(turn) == "completed"
    events = await parlour.events(session)
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert [event.type for event in events][:3] == ["user-message", "turn-started", "start-step"]
    assert [event.type for event in events][-2:] == ["finish-step", "turn-ended"]
    assert {event.turn_id for event in events} == {turn}


async def test_a_busy_session_keeps_the_message_and_goes_on_with_it(parlour: Parlour):
    """2.8, 9.8."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    waiting = await parlour.say(session, "say second")
    assert waiting == MessagePending(1)
    assert await parlour.say(session, "say third") == MessagePending(2)
    parlour.open(gate)
    assert await parlour.ended(turn) == "completed"
    await parlour.idle(session)
    said = [event.data["text"] for event in await parlour.events(session) if event.type == "user-message"]
    assert said[:2] == [f"wait {gate}", "say second"]


async def test_cancelling_a_running_turn_is_confirmed(parlour: Parlour):
    """10.2, 10.4."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"talk {gate}")
    await parlour.reaches(gate)
    done = await parlour.chat.cancel_turn(parlour.ann, session)
    assert (done.cancelled, done.reason) == (True, None)
    assert await parlour.ended(turn) == "cancelled"
    types = await parlour.types(session)
    assert types[-4:] == ["text-end", "tool-output-error", "finish-step", "turn-ended"]
    assert isinstance(await parlour.say(session, "say again"), TurnBegun)
