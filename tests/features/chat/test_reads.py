"""1.12: looking changes nothing, and logs do not tell who looked."""

from pilothouse.base.telemetry import without_personal_data
from pilothouse.kit.ids import new_id
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour

TABLES = ("chat_sessions", "chat_turns", "chat_messages")


async def state(parlour: Parlour) -> list[object]:
    user = parlour.ann.user_id
    return [await parlour.stand.rows(f"select * from {table} where user_id=?1", user) for table in TABLES]


async def test_health_checks_and_reads_change_no_session(parlour: Parlour):
    """1.12"""
    session = await parlour.session()
    await parlour.ended(await parlour.start(session, "everything", "say bye"))
    before, log = await state(parlour), await parlour.events(session)
    http, path = parlour.stand.ann.http, f"/api/v1/chat/sessions/{session}"
    ends = ("", "/stream", "/messages/pending", "/export", "/export?format=json", "/events?follow=false")
    others = ("/health", "/api/v1/chat/sessions", f"/api/v1/chat/sessions/{new_id()}")
    for read in (*(path + end for end in ends), *others):
        assert (await http.get(read)).status_code < 500, read
    async with hearing(parlour, "GET", f"/{session}/events") as heard:
        await heard.hears(5)
    assert await state(parlour) == before
    assert await parlour.events(session) == log


def test_logs_show_the_last_eight_characters_of_a_user():
    """1.12"""
    user_id = new_id()
    told = without_personal_data(None, "info", {"event": "turn.ended", "user_id": user_id})
    assert user_id not in str(told)
    assert told["user"] == user_id[-8:]
