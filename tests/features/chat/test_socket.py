"""H52: many logs over one WebSocket, for those who may, until they may no more."""

import asyncio
import time
from dataclasses import fields
from functools import partial

import pytest

from pilothouse.base.fanout import LocalFanout
from pilothouse.base.http import socket_door
from pilothouse.base.http.sockets import Socket
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour
from tests.features.chat.talking import talking
from tests.features.runs import graphs


async def test_a_session_is_followed_from_any_event_and_live(parlour: Parlour):
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, "say one", f"wait {gate}", "say two")
    await parlour.reaches(gate)
    head = len(await parlour.events(session))
    channel = f"session:{session}"
    async with talking(parlour) as page, talking(parlour) as late:
        page.say("subscribe", channel, after=2)
        assert await page.hears("subscribed", channel) == {"type": "subscribed", "channel": channel, "head": head}
        await page.hears_events(channel, head - 2)
        late.say("subscribe", channel)
        await late.hears("subscribed", channel)
        parlour.open(gate)
        await parlour.ended(turn)
        whole = await page.hears_events(channel, len(await parlour.events(session)) - 2)
        tail = await late.hears_events(channel, len(whole) + 2 - head)
    assert [event["id"] for event in whole] == list(range(3, len(whole) + 3))
    assert tail == [event for event in whole if event["id"] > head]
    shown = await parlour.stand.ann.http.get(
        f"/api/v1/chat/sessions/{session}/events", params={"follow": "false", "after": 2, "limit": 1000}
    )
    assert whole == shown.json()["items"]


async def test_a_run_is_followed_as_its_own_route_tells_it(parlour: Parlour):
    run = await parlour.stand.run(graphs.adder(), n=1)
    async with talking(parlour) as page:
        page.say("subscribe", f"run:{run['id']}", after=0)
        events = await page.hears_events(f"run:{run['id']}", run["last_event_id"])
    assert events == await parlour.stand.events(run["id"])


async def test_who_asks_for_batches_hears_the_same_events_in_fewer_frames(parlour: Parlour):
    run = await parlour.stand.run(graphs.adder(), n=1)
    channel = f"run:{run['id']}"
    async with talking(parlour) as page:
        page.say("subscribe", channel, after=0, batch=True)
        await until(lambda: len(page.batched(channel)) == run["last_event_id"])
    assert page.batched(channel) == await parlour.stand.events(run["id"])
    assert page.of(channel) == []
    assert len(page.frames) < run["last_event_id"]


async def test_a_page_hears_that_a_session_changed(parlour: Parlour):
    async with talking(parlour) as page:
        page.say("subscribe", "user")
        await page.hears("subscribed", "user")
        session = await parlour.session()
        await parlour.ended(await parlour.start(session, "say hello"))
        changed = {"type": "session.changed", "session_id": session}
        await until(lambda: page.of("user").count(changed) >= 3)  # made, begun, ended
    assert [event for event in page.of("user") if event not in (changed, {"type": "user.changed"})] == []


async def test_what_is_not_there_or_not_yours_is_told_alike(small: Parlour):
    session = await small.session()
    bob = await small.stand.house.person()
    headers = {"Origin": "http://localhost:8000", "Cookie": bob.browser.headers["cookie"]}
    async with talking(small, headers) as page:
        for ref in (session, new_id(), "nonsense"):
            page.say("subscribe", f"session:{ref}")
            told = await page.hears("error", f"session:{ref}")
            assert (told["code"], told["message"]) == ("not_found", "There is no such session.")
        for channel in (f"run:{new_id()}", "weather"):
            page.say("subscribe", channel)
            assert (await page.hears("error", channel))["code"] == "not_found"
        page.say_text("{}")
        await until(lambda: page.told("error")[-1]["code"] == "validation_failed")
        page.say("ping")
        await page.hears("pong")
    await bob.leave()


async def test_an_event_that_is_not_there_asks_for_a_new_snapshot(small: Parlour):
    session = await small.session()
    async with talking(small) as page:
        page.say("subscribe", f"session:{session}", after=99)
        await page.hears("reset", f"session:{session}")
        page.say("subscribe", "user", after=5)
        await page.hears("reset", "user")


async def test_one_connection_follows_two_hundred_channels(small: Parlour):
    session = await small.session()
    async with talking(small) as page:
        for _ in range(200):
            session = await small.session()
            page.say("subscribe", f"session:{session}")
        page.say("subscribe", "user")
        assert (await page.hears("error", "user"))["code"] == "rate_limited"
        page.say("unsubscribe", f"session:{session}")
        page.say("subscribe", "user")
        await page.hears("subscribed", "user")
        assert len(page.told("subscribed")) == 201


async def test_a_deleted_session_is_told(small: Parlour):
    session = await small.session()
    async with talking(small) as page:
        page.say("subscribe", f"session:{session}")
        await page.hears("subscribed")
        await small.chat.delete_session(small.ann, session)
        assert (await page.hears("error", f"session:{session}"))["code"] == "not_found"


async def test_only_our_own_pages_with_a_session_come_in(small: Parlour):
    cookie = small.stand.ann.browser.headers["cookie"]
    origin = "http://localhost:8000"
    refused = {
        4401: [{"Origin": origin}, {"Origin": origin, "Cookie": "ph_session=" + "A" * 43}],
        4403: [{"Cookie": cookie}, {"Cookie": cookie, "Origin": "https://evil.example"}],
    }
    for code, many in refused.items():
        for headers in many:
            async with talking(small, headers) as page:
                assert await page.is_closed() == code


async def test_a_ticket_opens_once(small: Parlour):
    given = await small.stand.ann.browser.post("/api/ws/ticket")
    assert given.status_code == 201
    offered = ["pilothouse.v1", f"ticket.{given.json()['ticket']}"]
    async with talking(small, {}, offered) as page:
        page.say("ping")
        await page.hears("pong")
        assert page.subprotocol == "pilothouse.v1"
    async with talking(small, {}, offered) as again:
        assert await again.is_closed() == 4401


def test_every_five_seconds_it_is_seen_who_is_welcome_and_who_takes_nothing():
    times = {field.name: field.default for field in fields(Socket)}
    assert (times["check"], times["slow"]) == (5.0, 5.0)


async def test_who_signs_out_is_shown_the_door(small: Parlour, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(socket_door, "Socket", partial(Socket, check=0.3))
    async with talking(small) as page:
        page.say("ping")
        await page.hears("pong")
        assert (await small.stand.ann.browser.post("/api/auth/logout")).is_success
        assert await page.is_closed() == 4401


async def test_a_page_that_takes_nothing_is_cut_off(small: Parlour, monkeypatch: pytest.MonkeyPatch):
    """It never slows the turn or other pages."""
    monkeypatch.setattr(socket_door, "Socket", partial(Socket, slow=1.5))
    session, gate = await small.session(), new_id()
    turn = await small.start(session, f"wait {gate}", *["say something"] * 20)
    async with talking(small) as deaf, talking(small) as other:
        for page in (deaf, other):
            page.say("subscribe", f"session:{session}")
            await page.hears("subscribed")
        deaf.deaf.set()
        small.open(gate)
        assert await small.ended(turn, 3) == "completed"
        await other.hears_events(f"session:{session}", 100)
        assert not deaf.gone.is_set()  # nobody waited for it
        await until(deaf.gone.is_set, 5)
        other.say("ping")
        await other.hears("pong")
    fanout = small.stand.house.api.fanout
    assert isinstance(fanout, LocalFanout)
    assert not fanout.is_followed(session)


async def test_a_page_that_never_stops_asking_is_shown_the_door(small: Parlour, monkeypatch: pytest.MonkeyPatch):
    moment = time.time()
    monkeypatch.setattr(small.stand.house.app.state.gate.rates, "clock", lambda: moment)  # all within one minute
    async with talking(small) as page:
        for _ in range(700):
            page.say("ping")
        assert await page.is_closed() == 4429


async def test_a_process_that_stops_says_so(small: Parlour):
    state = small.stand.house.app.state
    before, state.stopping = state.stopping, asyncio.Event()
    async with talking(small) as page:
        page.say("subscribe", "user")
        await page.hears("subscribed")
        state.stopping.set()
        assert await page.is_closed() == 1012
    state.stopping = before
