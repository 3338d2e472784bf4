"""2: one function admits messages; one transaction decides what becomes of each."""

import asyncio

import pytest

from pilothouse.base.http.sse import HEARTBEAT
from pilothouse.features.chat import MessagePending, TurnBegun, TurnLimit
from pilothouse.features.chat.errors import MessageIdTaken, PendingFull, PendingTooLong
from pilothouse.features.chat.routes import turns
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour


async def test_racing_messages_to_an_idle_session_give_one_turn(parlour: Parlour):
    """2.4: through two processes where there are two."""
    for _ in range(10):
        session, gate = await parlour.session(), new_id()
        begun = await asyncio.gather(*(parlour.say(session, f"wait {gate}", through=n % 2) for n in range(4)))
        assert sorted(type(each).__name__ for each in begun) == ["MessagePending"] * 3 + ["TurnBegun"]
        lengths = [each.buffer_length for each in begun if isinstance(each, MessagePending)]
        assert sorted(lengths) == [1, 2, 3]
        parlour.open(gate)
        await parlour.idle(session)


async def test_fifty_messages_over_fifty_sessions_never_exceed_the_caps(parlour: Parlour):
    """2.6: 5 run, 10 wait in line, 35 are refused and leave nothing."""
    gate, lane = new_id(), f"turn/{parlour.ann.user_id}"
    sessions = [await parlour.session() for _ in range(50)]
    asked = [parlour.say(session, f"wait {gate}", through=n % 2) for n, session in enumerate(sessions)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    begun = [each for each in told if isinstance(each, TurnBegun)]
    assert len(begun) == 15
    assert all(isinstance(each, TurnLimit) for each in told if not isinstance(each, TurnBegun))
    assert await parlour.stand.count("chat_turns") == await parlour.stand.count("chat_messages") == 15
    most: list[int] = []

    async def look() -> bool:
        states = await parlour.stand.rows("select state from jobs where top_lane=?1", lane)
        most.append(sum(state in ("queued", "running") for (state,) in states))
        return not states

    await until(lambda: _is_full(parlour, lane))
    positions = [
        event.data["position"]
        for session in sessions
        for event in await parlour.events(session)
        if event.type == "turn-queued"
    ]
    assert sorted(positions, key=str) == sorted(range(1, 11), key=str)
    parlour.open(gate)
    await until(look, 20)
    assert max(most) <= 5
    assert {await parlour.ended(each.turn_id) for each in begun} == {"completed"}


async def _is_full(parlour: Parlour, lane: str) -> bool:
    rows = await parlour.stand.rows("select count(*) from jobs where top_lane=?1 and state='running'", lane)
    return rows[0][0] == 5


async def test_a_turn_in_line_says_so_first(parlour: Parlour, monkeypatch: pytest.MonkeyPatch):
    """2.6, 4.7: and its stream beats while it waits. Here after less than the eight seconds."""
    monkeypatch.setattr(turns, "HEARTBEAT_SECONDS", 0.1)
    gate = new_id()
    for _ in range(5):
        await parlour.start(await parlour.session(), f"wait {gate}")
    session = await parlour.session()
    async with hearing(parlour, "POST", f"/{session}/stream", {"message": "say my turn"}) as heard:
        await heard.hears(1)
        status = (await parlour.stand.ann.browser.get(f"/api/chat/sessions/{session}")).json()["active_turn"]
        assert (status["status"], status["started_at"]) == ("queued", None)
        await until(lambda: heard.body.count(HEARTBEAT) >= 2)
        assert heard.types == ["data-status"]
        parlour.open(gate)
        await heard.ends()
    first = heard.chunks[0]
    assert (first["type"], first["data"]) == ("data-status", {"state": "queued", "position": 1})
    assert heard.types[-2:] == ["finish", "[DONE]"]


async def test_a_message_sent_again_starts_nothing(parlour: Parlour):
    """2.10."""
    session, message_id, gate = await parlour.session(), new_id(), new_id()
    first = await parlour.say(session, f"wait {gate}", message_id=message_id)
    again = await parlour.say(session, f"wait {gate}", message_id=message_id)
    assert isinstance(first, TurnBegun)
    assert isinstance(again, TurnBegun)
    assert (again.turn_id, again.replayed) == (first.turn_id, True)
    with pytest.raises(MessageIdTaken):
        await parlour.say(session, "another text", message_id=message_id)
    waiting = new_id()
    for _ in range(2):
        assert await parlour.say(session, "say later", message_id=waiting) == MessagePending(1)
    assert await parlour.say(session, "say later") == MessagePending(2)
    parlour.open(gate)
    await parlour.idle(session)
    assert (await parlour.types(session)).count("user-message") == 3
    assert await parlour.say(session, "say later", message_id=waiting) == MessagePending(0, turn_in_flight=False)
    async with hearing(
        parlour, "POST", f"/{session}/stream", {"message": f"wait {gate}", "message_id": message_id}
    ) as heard:
        await heard.ends()
    assert heard.types == ["start", "data-status", "finish", "[DONE]"]


async def test_racing_repeats_are_one_message(parlour: Parlour):
    session, message_id = await parlour.session(), new_id()
    told = await asyncio.gather(
        *(parlour.say(session, "say once", message_id=message_id, through=n % 2) for n in range(8))
    )
    assert len({each.turn_id for each in told if isinstance(each, TurnBegun)}) == 1
    await parlour.idle(session)
    assert (await parlour.types(session)).count("user-message") == 1


async def test_an_idempotency_key_does_what_a_message_id_does(small: Parlour):
    """H6."""
    session, headers = await small.session(), {"Idempotency-Key": "first"}
    path = f"/api/v1/chat/sessions/{session}/stream"
    one, two = [await small.stand.ann.http.post(path, json={"message": "say once"}, headers=headers) for _ in range(2)]
    assert one.status_code == two.status_code == 200
    assert one.text == two.text
    other = await small.stand.ann.http.post(path, json={"message": "say else"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    made = [await small.stand.ann.http.post("/api/v1/chat/sessions", headers=headers) for _ in range(2)]
    assert made[0].json() == made[1].json()


async def test_the_buffer_of_a_busy_session_is_bounded(parlour: Parlour):
    """9.1: what was acknowledged is never dropped."""
    session, gate = await parlour.session(), new_id()
    await parlour.start(session, f"wait {gate}")
    with pytest.raises(PendingTooLong):
        await parlour.say(session, "x" * 32_001)
    told = await asyncio.gather(
        *(parlour.say(session, f"say {n}", through=n % 2) for n in range(12)), return_exceptions=True
    )
    assert sorted(each.buffer_length for each in told if isinstance(each, MessagePending)) == list(range(1, 11))
    assert sum(isinstance(each, PendingFull) for each in told) == 2
    parlour.open(gate)
    await parlour.idle(session)
    said = [event for event in await parlour.events(session) if event.type == "user-message"]
    assert len(said) == 11


BUSY: list[tuple[int, str, int, dict[str, object]]] = [
    (0, "and this", 202, {"buffer_length": 1, "max_buffer_length": 10, "turn_in_flight": True}),
    (9, "x" * 32_000, 202, {"buffer_length": 10, "max_buffer_length": 10, "turn_in_flight": True}),
    (0, "x" * 32_001, 422, {"code": "pending_too_long"}),
    (10, "one too many", 429, {"code": "pending_full"}),
]


@pytest.mark.parametrize(("waiting", "text", "status", "said"), BUSY, ids=["first", "last", "too-long", "too-many"])
async def test_a_busy_session_answers_by_http(small: Parlour, waiting: int, text: str, status: int, said: object):
    """2.8, 9.1: what is kept is told in these three words and no other; what is refused leaves nothing."""
    session, gate = await small.session(), new_id()
    turn = await small.start(session, f"wait {gate}", "drain")
    for n in range(waiting):
        await small.say(session, f"say {n}")
    path = f"/api/v1/chat/sessions/{session}"
    answer = await small.stand.ann.http.post(f"{path}/stream", json={"message": text})
    told = answer.json() if status == 202 else {"code": answer.json()["code"]}
    assert (answer.status_code, told) == (status, said)
    kept = (await small.stand.ann.http.get(f"{path}/messages/pending")).json()["count"]
    assert kept == waiting + (status == 202)
    small.open(gate)
    await small.ended(turn)


async def test_all_that_a_message_may_carry_is_logged_beside_its_text(small: Parlour):
    """6.2: the text as it was typed, a reserved tag and all."""
    session, files = await small.session(), [new_id(), new_id()]
    context = {"url": "https://example.com", "content": "a page"}
    body = {
        "message": "say <user_context>hi",
        "context": context,
        "file_ids": files,
        "mode": "fast",
        "model": "advanced",
    }
    assert (await small.stand.ann.http.post(f"/api/v1/chat/sessions/{session}/stream", json=body)).is_success
    said = (await small.events(session))[0].data
    assert (said["text"], said["context"], said["file_ids"]) == (body["message"], context, files)
    assert said["origin"] == "api"
    rows = await small.stand.rows("select mode, tier from chat_turns where session_id=?1", session)
    assert rows == [("fast", "standard")]  # as the turn was worked on
