"""The AI SDK's stream of a turn, and the session's log: live, resumed, replayed, each event exactly once."""

import random
import time
from functools import partial
from inspect import signature

import pytest

from pilothouse.base.http.sse import HEARTBEAT, EventStream
from pilothouse.features.chat.routes import turns
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour


async def test_a_message_is_answered_by_the_stream_of_its_turn(parlour: Parlour):
    """2.5, 4.1, 4.2, 4.3."""
    session = await parlour.session()
    async with hearing(parlour, "POST", f"/{session}/stream", {"message": "think hm\nsay hello\ntool find"}) as heard:
        await heard.ends()
    assert (heard.status, heard.headers["x-vercel-ai-ui-message-stream"]) == (200, "v1")
    assert heard.headers["content-type"].startswith("text/event-stream")
    assert (heard.headers["cache-control"], heard.headers["x-accel-buffering"]) == ("no-cache", "no")
    assert heard.headers["connection"] == "keep-alive"
    assert heard.types == [
        *("start", "data-status"),
        *("start-step", "reasoning-start", "reasoning-delta", "reasoning-end", "finish-step"),
        *("start-step", "text-start", "text-delta", "text-delta", "text-end", "finish-step"),
        *("start-step", "tool-input-start", "tool-input-available", "tool-output-available", "finish-step"),
        *("finish", "[DONE]"),
    ]
    ids = [event_id for event_id, data in heard.frames if data != "[DONE]"]
    assert all(event_id is not None for event_id in ids)
    assert ids == sorted(ids, key=lambda each: each or 0)


async def test_a_turn_under_way_is_replayed_from_its_start_or_after_an_id(parlour: Parlour):
    """5.2, 5.3."""
    session, gate = await parlour.session(), new_id()
    async with hearing(parlour, "GET", f"/{session}/stream") as nothing:
        pass
    assert nothing.status == 204
    await parlour.start(session, "say one", f"wait {gate}", "say two")
    await parlour.reaches(gate)
    async with (
        hearing(parlour, "GET", f"/{session}/stream") as whole,
        hearing(parlour, "GET", f"/{session}/stream", last_event_id=6) as rest,
    ):
        await whole.hears(7)
        await until(lambda: rest.status == 200)  # it came while the turn was under way
        parlour.open(gate)
        await whole.ends()
        await rest.ends()
    assert whole.types[0] == "start"
    assert whole.types[-2:] == ["finish", "[DONE]"]
    assert rest.frames == [frame for frame in whole.frames if frame[0] is None or frame[0] > 6]


async def test_the_log_is_read_across_turns_with_any_number_of_cuts(parlour: Parlour):
    """5.1: two readers agree, and one that is cut at random misses nothing and sees nothing twice."""
    session, chance = await parlour.session(), random.Random(7)
    first = await parlour.start(session, "say one", "tool find", "say two")
    await parlour.ended(first)
    gate = new_id()
    second = await parlour.start(session, f"wait {gate}", "say three", "think four")
    seen: list[tuple[int | None, dict[str, object]]] = []
    while not seen or seen[-1][1]["turn_id"] != second or seen[-1][1]["type"] != "turn-ended":
        async with hearing(parlour, "GET", f"/{session}/events", query=f"after={len(seen)}") as heard:
            await heard.hears(1)
            if len(seen) > 12:
                parlour.open(gate)
            seen += heard.frames[: chance.randint(1, 5)]
    assert [event_id for event_id, _ in seen] == list(range(1, len(seen) + 1))
    async with hearing(parlour, "GET", f"/{session}/events") as other:
        await other.hears(len(seen))
        assert other.frames == seen
    page = await parlour.stand.ann.http.get(
        f"/api/v1/chat/sessions/{session}/events", params={"follow": "false", "limit": 1000}
    )
    assert page.json()["items"] == [data for _, data in seen]
    assert page.json()["head"] == len(seen)


async def test_nobody_reads_beyond_the_head(small: Parlour):
    session = await small.session()
    await small.ended(await small.start(session, "say one"))
    head = len(await small.events(session))
    path = f"/api/v1/chat/sessions/{session}/events"
    for follow in ("true", "false"):
        beyond = await small.stand.ann.http.get(path, params={"after": head + 1, "follow": follow})
        assert (beyond.status_code, beyond.json()["code"]) == (409, "conflict")


def test_silence_is_broken_after_eight_seconds_and_who_takes_nothing_is_cut_after_five():
    """4.7, 4.8."""
    assert (turns.HEARTBEAT_SECONDS, signature(EventStream).parameters["slow"].default) == (8.0, 5.0)


async def test_silence_is_broken_and_a_reader_that_takes_nothing_is_cut(
    small: Parlour, monkeypatch: pytest.MonkeyPatch
):
    """4.7, 4.8: and neither slows the turn or the other. Here after less than the eight and the five seconds."""
    monkeypatch.setattr(turns, "HEARTBEAT_SECONDS", 1.0)
    monkeypatch.setattr(turns, "EventStream", partial(EventStream, slow=1.5))
    session, gate = await small.session(), new_id()
    await small.start(session, "say hello", f"wait {gate}", *["say more"] * 10)
    await small.reaches(gate)
    path = f"/{session}/stream"
    began = time.monotonic()
    async with hearing(small, "GET", path) as quiet, hearing(small, "GET", path) as deaf:
        for heard in (quiet, deaf):
            await heard.hears(5)
        await until(lambda: b": \n\n" in quiet.body, 10)
        assert 0.45 < time.monotonic() - began < 2.5  # it may beat up to half a second early, and not before
        deaf.deaf.set()
        small.open(gate)
        await quiet.ends()
        assert not deaf.gone.is_set()  # the other did not wait for it
        await until(deaf.gone.is_set, 5)
    assert quiet.types[-1] == "[DONE]"
    assert "[DONE]" not in deaf.types


async def test_the_stream_of_a_turn_that_sleeps_beats(parlour: Parlour, monkeypatch: pytest.MonkeyPatch):
    """4.7: nobody works on it, and its readers hear that the line is there. Here after less than eight seconds."""
    monkeypatch.setattr(turns, "HEARTBEAT_SECONDS", 0.1)
    session, name = await parlour.session(), new_id()
    turn = await parlour.start(session, f"sleep {name}")
    async with hearing(parlour, "GET", f"/{session}/stream") as heard:
        await until(lambda: "waiting" in [each["data"]["state"] for each in heard.chunks if "data" in each])
        asleep = heard.body
        await until(lambda: heard.body.removeprefix(asleep).count(HEARTBEAT) >= 2)
        assert heard.body.removeprefix(asleep).replace(HEARTBEAT, b"") == b""
        await parlour.chat.send_fact(turn, parlour.ann.user_id, name, 1)
        await heard.ends()
    assert heard.types[-1] == "[DONE]"
