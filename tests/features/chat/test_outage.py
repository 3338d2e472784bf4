"""2.12: while the database is away nothing is accepted, and the caller is told when to come back."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pilothouse.base.actor import SYSTEM
from pilothouse.base.http import sockets
from pilothouse.base.http.socket_door import Guest
from pilothouse.features.chat import NewSession, reading
from pilothouse.features.chat.heads import Heads
from pilothouse.kit.errors import Unavailable
from pilothouse.kit.ids import new_id
from tests.conftest import MakePostgres
from tests.databases import prepare
from tests.features.chat.talking import connecting
from tests.security.site import open_site


@pytest.mark.scaled
async def test_a_message_that_cannot_be_kept_is_not_accepted(private_postgres: MakePostgres, tmp_path: Path):
    server = private_postgres()
    await prepare(server.url)
    async with open_site(tmp_path, server.url) as site:
        person = await site.person("ann")
        session = await site.house.chat.create_session(person.actor, NewSession())
        path, body = f"/api/v1/chat/sessions/{session.id}/stream", {"message": "hello", "message_id": new_id()}
        async with await site.program(person, "chat:use") as program:
            assert (await program.get(f"/api/v1/chat/sessions/{session.id}")).status_code == 200
            stranger = await site.program(person, "chat:use")  # whose key nobody has looked up yet
            browser, page = await site.browser(person), path.replace("/v1", "")
            await asyncio.to_thread(server.stop)
            refused = [await one.post(path, json=body) for one in (program, stranger)]
            refused += [await browser.post(page, json=body), await program.post(path.replace("stream", "retry"))]
            await asyncio.to_thread(server.start)
            for answer in refused:
                assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
                assert answer.headers["retry-after"] == "30"
            for one in (stranger, browser):
                await one.aclose()
            assert (await program.post(path, json=body)).status_code == 200
        rows = await site.house.reader.rows("select count(*) from chat_messages where session_id=?1", session.id)
        assert rows == [(1,)]


def watch_looks(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a reader has looked for more, in the log or at how far it goes, and could not see it."""
    in_vain = asyncio.Event()

    def watched(look: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
        async def watch(*asked: object, **more: object) -> object:
            try:
                return await look(*asked, **more)
            except Unavailable:
                in_vain.set()
                raise

        return watch

    monkeypatch.setattr(Heads, "of", watched(Heads.of))
    monkeypatch.setattr(reading, "read_after", watched(reading.read_after))
    return in_vain


@pytest.mark.scaled
async def test_a_page_goes_on_hearing_when_the_database_is_back(
    private_postgres: MakePostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(reading, "QUIET_SECONDS", 0.3)
    monkeypatch.setattr(sockets, "AGAIN_SECONDS", 0.3)
    in_vain = watch_looks(monkeypatch)
    server = private_postgres()
    await prepare(server.url)
    async with open_site(tmp_path, server.url) as site:
        site.app.state.stopping = asyncio.Event()
        person, chat = await site.person("ann"), site.house.chat
        session = await chat.create_session(person.actor, NewSession())
        channel = f"session:{session.id}"
        async with connecting(site.app, site.headers_of(await site.session(person))) as page:
            page.say("subscribe", channel)
            await page.hears("subscribed")
            await asyncio.to_thread(server.stop)
            async with asyncio.timeout(10):
                await in_vain.wait()
            await asyncio.to_thread(server.start)
            await chat.set_title(person.actor, session.id, "Back")
            await page.hears_events(channel, 1)
            await chat.set_title(person.actor, session.id, "Again")
            await page.hears_events(channel, 2)
    assert [event["data"]["title"] for event in page.of(channel)] == ["Back", "Again"]
    assert page.told("error") == []


@pytest.mark.scaled
async def test_nobody_is_signed_out_because_the_database_is_away(private_postgres: MakePostgres, tmp_path: Path):
    """A page whose cookie cannot be looked up now is told to come again, and one that is there may stay."""
    server = private_postgres()
    await prepare(server.url)
    async with open_site(tmp_path, server.url) as site:
        site.app.state.stopping = asyncio.Event()
        headers = site.headers_of(await site.session(await site.person("ann")))
        token = headers["Cookie"].partition("=")[2]
        await asyncio.to_thread(server.stop)
        async with connecting(site.app, headers) as page:
            assert await page.is_closed() == sockets.RESTART
        with pytest.raises(Unavailable):
            await Guest(site.app.state.gate, SYSTEM, token).is_welcome()
