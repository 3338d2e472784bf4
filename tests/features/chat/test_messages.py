"""2.2, 2.9, 2.10: what a message may be, over HTTP, and what becomes of one that is sent again."""

import pytest

from pilothouse.kit.ids import new_id
from pilothouse.kit.json import JsonObject
from tests.base.waiting import until
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour

REFUSED: list[JsonObject] = [
    {},
    {"message": ""},
    {"message": "x" * 64_001},
    {"message": "hi", "other": 1},
    {"message": "hi", "is_user_message": False},
    {"message": "hi", "context": {"url": "x" * 2_001, "content": ""}},
    {"message": "hi", "context": {"url": "x", "content": "x" * 32_001}},
    {"message": "hi", "file_ids": [new_id() for _ in range(21)]},
    {"message": "hi", "file_ids": ["nonsense"]},
    {"message": "hi", "mode": "slow"},
    {"message": "hi", "model": "best"},
    {"message": "hi", "message_id": "7"},
    {"message": "hi", "message_id": new_id()[:-1]},
    {"message": "hi", "message_id": None, "id": new_id()},
    {"message": None},
    {"message": ["hi"]},
    {"message": "hi", "context": {"url": "x"}},
    {"message": "hi", "context": {"url": "x", "content": "x", "title": "x"}},
    {"message": "hi", "context": "x"},
    {"message": "hi", "file_ids": new_id()},
    {"message": "hi", "is_user_message": 2},
]


async def test_what_does_not_fit_is_refused_and_leaves_nothing(small: Parlour):
    """2.2, 2.9."""
    session = await small.session()
    for body in REFUSED:
        answer = await small.stand.ann.http.post(f"/api/v1/chat/sessions/{session}/stream", json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed"), body
    assert await small.events(session) == []


FITS: list[JsonObject] = [
    {"message": "x"},
    {"message": "x" * 64_000},
    {"message": "🎈" * 64_000},
    {"message": "say hi", "is_user_message": True, "context": None, "mode": None, "model": None, "message_id": None},
    {"message": "say hi", "context": {"url": "x" * 2_000, "content": "ж" * 32_000}},
    {"message": "say hi", "file_ids": [new_id() for _ in range(20)]},
    {"message": "say hi", "mode": "extended_thinking", "model": "standard", "message_id": new_id()},
]


@pytest.mark.parametrize("body", FITS, ids=range(len(FITS)))
async def test_what_just_fits_is_taken_whole(small: Parlour, body: JsonObject):
    """2.2: in characters, not bytes."""
    session = await small.session()
    answer = await small.stand.ann.http.post(f"/api/v1/chat/sessions/{session}/stream", json=body)
    assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
    said = (await small.events(session))[0].data
    assert said["text"] == body["message"]
    assert (said["context"], said["file_ids"]) == (body.get("context"), body.get("file_ids") or [])


@pytest.mark.parametrize("raw", ["", "{", "[]", "7", '"hi"', "null", '{"message": "\\ud800"}'])
async def test_what_is_no_message_at_all_is_refused_and_is_never_our_fault(small: Parlour, raw: str):
    """2.2: never 500."""
    session = await small.session()
    headers = {"Content-Type": "application/json"}
    answer = await small.stand.ann.http.post(
        f"/api/v1/chat/sessions/{session}/stream", content=raw.encode(), headers=headers
    )
    assert answer.status_code == 422, answer.text
    assert await small.events(session) == []


async def test_a_text_that_not_every_database_holds_is_never_our_fault(parlour: Parlour):
    """2.2: neither where it starts a turn nor where it waits."""
    session, gate = await parlour.session(), new_id()
    http, path = parlour.stand.ann.http, f"/api/v1/chat/sessions/{session}/stream"
    odd = {"message": "say a\x00b", "context": {"url": "\x00", "content": "\x00"}}
    first = await http.post(path, json=odd)
    await parlour.idle(session)
    await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    second = await http.post(path, json=odd)
    assert (first.status_code in (200, 422), second.status_code in (202, 422)) == (True, True)
    parlour.open(gate)
    await parlour.idle(session)


async def test_a_busy_session_answers_a_repeat_as_it_answered_first(parlour: Parlour):
    """2.8, 2.10: 202 again, also when a turn has taken it; with other text it is refused."""
    session, gate, waiting = await parlour.session(), new_id(), new_id()
    http, path = parlour.stand.ann.http, f"/api/v1/chat/sessions/{session}/stream"
    await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    later: JsonObject = {"message": "say later", "message_id": waiting}
    answers = [await http.post(path, json=later) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert [answer.json() for answer in answers] == [
        {"buffer_length": 1, "max_buffer_length": 10, "turn_in_flight": True}
    ] * 2
    other = await http.post(path, json=later | {"message": "say else"})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    same_text = await http.post(path, json=later | {"message_id": new_id()})
    assert (same_text.status_code, same_text.json()["buffer_length"]) == (202, 2)
    parlour.open(gate)
    await parlour.idle(session)
    repeated = await http.post(path, json=later)
    assert (repeated.status_code, repeated.json()["turn_in_flight"]) == (202, False)
    assert (await http.post(path, json=later | {"message": "say else"})).status_code == 409
    said = [event.data["text"] for event in await parlour.events(session) if event.type == "user-message"]
    assert said.count("say later") == 2


async def test_a_repeat_of_an_ended_turn_is_its_whole_stream_again(parlour: Parlour):
    """2.10: byte for byte; under the same id in another session it is another message."""
    session, message_id = await parlour.session(), new_id()
    body = {"message": "think first\nsay all of it\ntool find", "message_id": message_id}
    async with hearing(parlour, "POST", f"/{session}/stream", body) as first:
        await first.ends()
    head = len(await parlour.events(session))
    async with hearing(parlour, "POST", f"/{session}/stream", body) as again:
        await again.ends()
    assert (again.status, again.frames) == (200, first.frames)
    assert len(await parlour.events(session)) == head
    refused = await parlour.stand.ann.http.post(
        f"/api/v1/chat/sessions/{session}/stream", json=body | {"message": "say else"}
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_conflict")
    async with hearing(parlour, "POST", f"/{await parlour.session()}/stream", body) as elsewhere:
        await elsewhere.ends()
    assert elsewhere.chunks[0]["messageId"] != first.chunks[0]["messageId"]


async def test_a_repeat_while_the_turn_works_joins_its_stream(parlour: Parlour):
    """2.10: from its beginning, to its end."""
    session, gate = await parlour.session(), new_id()
    body = {"message": f"say one\nwait {gate}\nsay two", "message_id": new_id()}
    async with hearing(parlour, "POST", f"/{session}/stream", body) as first:
        await parlour.reaches(gate)
        async with hearing(parlour, "POST", f"/{session}/stream", body) as second:
            await until(lambda: "text-end" in second.types)
            parlour.open(gate)
            await second.ends()
        await first.ends()
    assert second.frames == first.frames
    assert (await parlour.types(session)).count("user-message") == 1
