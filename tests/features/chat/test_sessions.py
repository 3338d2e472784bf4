"""1: sessions are made, found, named, read in pages, and each is its owner's alone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

from pilothouse.base.reader import Reader
from pilothouse.features.chat import Conversations
from pilothouse.features.chat.fold import fold
from pilothouse.kit.ids import new_id
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour
from tests.features.runs import graphs


async def test_a_new_session_is_answered_with_what_it_was_made_with(parlour: Parlour):
    """1.1."""
    browser = parlour.stand.ann.browser
    bare = await browser.post("/api/chat/sessions")
    assert bare.status_code == 201
    assert set(bare.json()) == {"id", "created_at", "user_id", "metadata"}
    assert bare.json()["metadata"]["dry_run"] is False
    dry = await browser.post("/api/chat/sessions", json={"dry_run": True})
    assert dry.json()["metadata"]["dry_run"] is True
    assert dry.json()["id"] != bare.json()["id"]
    for body in ({"title": "x"}, {"builder_graph_id": "x" * 129}, {"dry_run": "perhaps"}):
        assert (await browser.post("/api/chat/sessions", json=body)).status_code == 422


async def test_a_session_bound_to_an_agent_exists_once(parlour: Parlour):
    """1.3: also when twenty ask at once; nobody else's agent can be bound."""
    agent = await parlour.stand.agent(graphs.adder())
    browser, body = parlour.stand.ann.browser, {"builder_graph_id": agent}
    made = await asyncio.gather(*(browser.post("/api/chat/sessions", json=body) for _ in range(20)))
    assert {answer.status_code for answer in made} == {201}
    assert len({answer.json()["id"] for answer in made}) == 1
    first = made[0].json()["id"]
    assert (await browser.delete(f"/api/chat/sessions/{first}")).status_code == 204
    assert (await browser.post("/api/chat/sessions", json=body)).json()["id"] != first
    bob = await parlour.stand.house.person()
    for graph in (agent, new_id()):
        refused = await bob.browser.post("/api/chat/sessions", json={"builder_graph_id": graph})
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    await bob.leave()


async def test_an_agents_settings_name_the_session_that_it_is_built_in(parlour: Parlour):
    """1.3: through new versions and beside other settings, for its owner, until the session is gone."""
    agent = await parlour.stand.agent(graphs.adder())
    browser, path = parlour.stand.ann.browser, f"/api/agents/{agent}"
    plain = {"review_required": True, "review_sensitive": False}
    assert (await browser.get(f"{path}/settings")).json() == plain | {"builder_chat_session_id": None}
    session = (await browser.post("/api/chat/sessions", json={"builder_graph_id": agent})).json()["id"]
    await parlour.session(builder_graph_id=await parlour.stand.agent(graphs.adder()))
    pointer = {"builder_chat_session_id": session}
    changed = await browser.patch(f"{path}/settings", json={"review_sensitive": True})
    assert changed.json() == plain | {"review_sensitive": True} | pointer
    newer = {"graph": graphs.adder(2), "base_version": 1}
    assert (await browser.put(path, json=newer)).json()["version"] == 2
    assert (await browser.get(f"{path}/settings")).json() == changed.json()
    assert (await browser.patch(f"{path}/settings", json=pointer)).status_code == 422  # read, never written
    await browser.delete(f"/api/chat/sessions/{session}")
    assert (await browser.get(f"{path}/settings")).json()["builder_chat_session_id"] is None


async def test_the_list_shows_status_newest_first_and_finds_by_text(parlour: Parlour):
    """1.5, 1.7."""
    browser = parlour.stand.ann.browser
    old, new, sub = [await parlour.session() for _ in range(2)] + [await parlour.session(parent_session_id=new_id())]
    await parlour.ended(await parlour.start(old, "say 100% of_it"))
    gate = new_id()
    await parlour.start(new, f"wait {gate}")
    await parlour.reaches(gate)

    async def found(**params: Any) -> list[str]:
        page = (await browser.get("/api/chat/sessions", params=params)).json()
        assert page["total"] >= len(page["sessions"])
        return [session["id"] for session in page["sessions"]]

    assert await found() == [new, old]
    assert await found(include_sub=True) == [sub, new, old] or set(await found(include_sub=True)) == {sub, new, old}
    assert await found(limit=1, offset=1) == [old]
    assert await found(q="100% OF_") == [old]
    assert await found(q="100%%") == []
    assert (await browser.patch(f"/api/chat/sessions/{old}/pinned", json={"pinned": True})).status_code == 204
    assert await found(pinned_first=True) == [old, new]
    page = (await browser.get("/api/chat/sessions")).json()["sessions"]
    assert [(each["status"], each["unread"], each["needs_user"]) for each in page] == [
        ("running", False, False),
        ("idle", True, False),
    ]
    head = len(await parlour.events(old))
    assert (await browser.patch(f"/api/chat/sessions/{old}/seen", json={"event_id": head})).status_code == 204
    assert (await browser.get("/api/chat/sessions")).json()["sessions"][1]["unread"] is False
    for params in ({"limit": 0}, {"limit": 101}, {"offset": -1}):
        assert (await browser.get("/api/chat/sessions", params=params)).status_code == 422
    parlour.open(gate)


async def test_a_title_from_the_owner_is_never_replaced(parlour: Parlour):
    """1.9."""
    session = await parlour.session()
    await parlour.ended(await parlour.start(session, "say " + "word " * 30))
    browser, path = parlour.stand.ann.browser, f"/api/chat/sessions/{session}"

    async def title() -> tuple[str, str]:
        shown = (await browser.get(path)).json()["session"]
        return shown["title"], shown["title_source"]

    made, source = await title()
    assert (len(made) <= 50, made[:14], made[-1], source) == (True, "say word word ", "…", "auto")
    assert await parlour.chat.suggest_title(parlour.ann, session, "Words")
    assert await title() == ("Words", "auto")
    assert (await browser.patch(f"{path}/title", json={"title": "Mine"})).status_code == 204
    assert not await parlour.chat.suggest_title(parlour.ann, session, "Other words")
    assert await title() == ("Mine", "user")
    assert [event.data["title"] for event in await parlour.events(session) if event.type == "title"] == [
        "Words",
        "Mine",
    ]
    for wrong in ("", "x" * 201):
        assert (await browser.patch(f"{path}/title", json={"title": wrong})).status_code == 422


async def test_a_conversation_is_read_in_pages_of_whole_messages(parlour: Parlour):
    """1.8."""
    session = await parlour.session()
    for n in range(4):
        await parlour.ended(await parlour.start(session, f"say {n}", "tool find", "think"))
    http, path = parlour.stand.ann.http, f"/api/v1/chat/sessions/{session}"
    whole = (await http.get(path)).json()
    assert (len(whole["messages"]), whole["has_more"], whole["active_turn"]) == (8, False, None)
    assert whole["last_event_id"] == len(await parlour.events(session))
    for limit in (1, 2, 3, 5, 8):
        pages: list[Any] = []
        before: dict[str, Any] = {}
        while True:
            page = (await http.get(path, params={"limit": limit, **before})).json()
            pages = [*page["messages"], *pages]
            if not page["has_more"]:
                break
            before = {"before": page["messages"][0]["first_event_id"]}
        assert pages == whole["messages"]
    calls = [part for message in whole["messages"][1::2] for part in message["parts"] if part["type"] == "tool"]
    assert [call["state"] for call in calls] == ["output-available"] * 4
    assert (await http.get(path, params={"limit": 201})).status_code == 422


async def test_what_the_server_told_the_model_is_shown_to_nobody(small: Parlour):
    """3.5: at no door: pages, streams, exports, what is found."""
    session = await small.session()
    http, path = small.stand.ann.http, f"/api/v1/chat/sessions/{session}"
    live = await http.post(f"{path}/stream", json={"message": "everything"})
    pages = [await http.get(path), await http.get(f"{path}/events", params={"follow": "false", "limit": 1000})]
    exports = [await http.get(f"{path}/export", params={"format": kind}) for kind in ("markdown", "json")]
    async with hearing(small, "GET", f"/{session}/events") as heard:
        await heard.hears(len(pages[1].json()["items"]))
    for page in (live, *pages, *exports):
        assert page.status_code == 200
    for text in (*(page.text for page in (live, *pages, *exports)), heard.body.decode()):
        for secret in ("a secret of the server's", "so far", "idempotency_key", "cost_microdollars"):
            assert secret not in text
    hidden = [event for event in pages[1].json()["items"] if event["type"] == "context"]
    assert [event["data"] for event in hidden] == [{}]
    found = [(await http.get("/api/v1/chat/sessions", params={"q": q})).json()["total"] for q in ("everyth", "secret")]
    assert found == [1, 0]


@dataclass(slots=True)
class Interrupted:
    """A reader to whom something happens between two of its reads."""

    reader: Reader
    before: str  # the read that it happens before, by words of it
    happen: Callable[[], Awaitable[object]]

    async def rows(self, sql: str, *params: object) -> list[tuple[object, ...]]:
        if self.before in sql:
            await self.happen()
        return await self.reader.rows(sql, *params)

    async def close(self) -> None:
        """It is somebody else's."""


async def test_a_page_tells_the_conversation_as_it_was_at_its_last_event(parlour: Parlour):
    """1.8, 3.3: whoever goes on from there is told everything else once, though the turn ended while it was read."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, "say before", f"wait {gate}", "say after")
    await parlour.reaches(gate)

    async def end() -> None:
        parlour.open(gate)
        await parlour.ended(turn)

    api = parlour.stand.house.api
    reading = Conversations(Interrupted(api.reader, "from chat_turns", end), api.fanout)
    page = await reading.get_session(parlour.ann, session, 50, None)
    log, last = await parlour.events(session), cast(int, page["last_event_id"])
    assert last < len(log)
    assert page["messages"] == fold(event for event in log if event.id <= last)
