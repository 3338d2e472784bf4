"""11.8: the message of a failed turn is answered again, in a turn of its own."""

import asyncio

import pytest

from pilothouse.features.chat import TurnBegun
from pilothouse.features.chat.errors import NothingToRetry, TurnActive
from pilothouse.kit.ids import new_id
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour


async def failed(parlour: Parlour, *lines: str, code: str = "idle_timeout") -> str:
    """A session whose last turn failed."""
    session = await parlour.session()
    assert await parlour.ended(await parlour.start(session, *lines, f"fail {code}")) == "failed"
    return session


async def test_a_retry_is_a_new_turn_on_the_old_message(parlour: Parlour):
    """11.8: no second bubble, nothing rewritten, what was done stays visible."""
    session = await failed(parlour, "say so far", "tool find")
    before = await parlour.events(session)
    async with hearing(parlour, "POST", f"/{session}/retry") as heard:
        await heard.ends()
    assert heard.types[:3] == ["data-status", "start", "data-status"]
    assert heard.types[-2:] == ["finish", "[DONE]"]
    after = await parlour.events(session)
    assert after[: len(before)] == before
    assert [event.type for event in after].count("user-message") == 1
    assert after[len(before)].data == {"position": None, "retries": before[0].id}
    shown = (await parlour.stand.ann.http.get(f"/api/v1/chat/sessions/{session}")).json()["messages"]
    assert [message["role"] for message in shown] == ["user", "assistant", "assistant"]
    assert "so far" in str(shown[1]["parts"])
    rows = await parlour.stand.rows(
        "select message_event, first_event from chat_turns where session_id=?1 order by first_event", session
    )
    assert rows == [(1, 1), (1, len(before) + 1)]


async def test_asking_twice_starts_one_turn(parlour: Parlour):
    """11.8."""
    session = await failed(parlour, "say one")
    chats = (parlour.stand.house.api.chat, parlour.stand.house.worker.chat)
    told = await asyncio.gather(
        *(chats[n % 2].retry_turn(parlour.ann, session) for n in range(4)), return_exceptions=True
    )
    begun = {each.turn_id for each in told if isinstance(each, TurnBegun)}
    await parlour.idle(session)
    assert len(begun) == 1
    assert all(isinstance(each, TurnBegun | NothingToRetry) for each in told)  # the latter when it has ended well
    assert await parlour.stand.rows("select count(*) from chat_turns where session_id=?1", session) == [(2,)]


async def test_a_retry_keeps_what_the_message_may_do(parlour: Parlour):
    """11.8, 14.4."""
    session, allowed = await parlour.session(), {"tools": ["find_block"]}
    begun = await parlour.say(session, "fail worker_lost", permissions=allowed)
    assert isinstance(begun, TurnBegun)
    await parlour.ended(begun.turn_id)
    again = await parlour.chat.retry_turn(parlour.ann, session)
    await parlour.ended(again.turn_id)
    rows = await parlour.stand.rows("select distinct permissions from chat_turns where session_id=?1", session)
    assert rows == [('{"tools":["find_block"]}',)]


async def refusal(parlour: Parlour, session: str) -> tuple[int, str]:
    answer = await parlour.stand.ann.http.post(f"/api/v1/chat/sessions/{session}/retry")
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize("code", ["provider_auth", "budget_exceeded", "model_unavailable", "internal"])
async def test_whatever_a_turn_failed_of_it_may_be_tried_again(parlour: Parlour, code: str):
    """11.8: the key is mended, the day is over; only then would anybody ask."""
    session = await failed(parlour, code=code)
    before = await parlour.events(session)
    again = await parlour.chat.retry_turn(parlour.ann, session)
    await parlour.ended(again.turn_id)
    after = await parlour.events(session)
    assert after[: len(before)] == before
    assert after[len(before)].data == {"position": None, "retries": before[0].id}


async def test_only_what_failed_is_retried(parlour: Parlour):
    """11.8: and a refused retry leaves nothing."""
    done, gate = await parlour.session(), new_id()
    with pytest.raises(NothingToRetry):
        await parlour.chat.retry_turn(parlour.ann, done)
    await parlour.ended(await parlour.start(done, "say fine"))
    before = await parlour.events(done)
    assert await refusal(parlour, done) == (409, "nothing_to_retry")
    assert await parlour.events(done) == before
    busy = await parlour.session()
    await parlour.start(busy, f"wait {gate}")
    with pytest.raises(TurnActive):
        await parlour.chat.retry_turn(parlour.ann, busy)
    parlour.open(gate)
    assert await refusal(parlour, new_id()) == (404, "not_found")
    bob, theirs = await parlour.stand.house.person(), await failed(parlour)
    answer = await bob.browser.post(f"/api/chat/sessions/{theirs}/retry")
    assert answer.status_code == 404
    await bob.leave()


async def test_a_full_house_refuses_a_retry_and_leaves_nothing(small: Parlour):
    """11.8, 2.6."""
    session, gate = await failed(small), new_id()
    for _ in range(15):
        await small.start(await small.session(), f"wait {gate}")
    assert await refusal(small, session) == (429, "turn_limit")
    assert [event.type for event in await small.events(session)][-1] == "turn-ended"
    small.open(gate)
