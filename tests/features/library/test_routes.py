"""The list of one's agents: what it says of each, how it is searched, ordered and cut into pages."""

from typing import Any

import pytest

from pilothouse.kit.ids import new_id
from tests.features.runs import graphs
from tests.features.runs.stand import Stand
from tests.features.runs.test_reading import pages

LIBRARY = "/api/library/agents"


async def listed(stand: Stand, **params: Any) -> list[dict[str, Any]]:
    answer = await stand.ann.browser.get(LIBRARY, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def agent(stand: Stand, name: str, document: dict[str, Any] | None = None, about: str = "") -> str:
    return await stand.agent({**(document or graphs.adder()), "name": name, "description": about})


async def test_lib4_the_status_is_the_first_that_holds_and_attention_says_why(stand: Stand):
    never, idle, bad = [await agent(stand, name) for name in ("Never", "Idle", "Bad")]
    timer = await agent(stand, "Timer", graphs.timer(3600))
    asks = await agent(stand, "Asks", graphs.asks("Shall we?"))
    done = await stand.start(idle, wait=30, n=1)
    await stand.start(bad, wait=30, n=2**64 - 1)
    waiting = await stand.start(timer)
    asking = await stand.start(asks)
    for run in (waiting, asking):
        await stand.reaches(run["id"], "waiting")
    found = {entry["id"]: entry for entry in await listed(stand)}
    told = {entry_id: (entry["status"], entry["attention"]) for entry_id, entry in found.items()}
    assert told == {
        never: ("never_run", None),
        idle: ("idle", None),
        bad: ("attention", "run_failed"),
        timer: ("running", None),
        asks: ("attention", "review_waits"),
    }
    assert found[never]["last_run"] is None
    assert found[idle]["last_run"] == {"id": done["id"], "status": "completed", "created_at": done["created_at"]}
    assert found[timer]["last_run"]["status"] == found[asks]["last_run"]["status"] == "waiting"
    assert {entry["id"] for entry in await listed(stand, status="attention")} == {bad, asks}
    await stand.start(bad, wait=30, n=1)
    assert [entry["id"] for entry in await listed(stand, status="attention")] == [asks]
    for run in (waiting, asking):
        await stand.ann.browser.post(f"/api/runs/{run['id']}/cancel")


async def test_lib3_agents_are_found_by_name_and_description_in_any_order(stand: Stand):
    b = await agent(stand, "boat 100%", about="Carries a lantern")
    a = await agent(stand, "Anchor_1")
    c = await agent(stand, "Chart", about="of the lantern tower")
    await stand.start(a, wait=30, n=1)

    async def ids(**params: str) -> list[str]:
        return [entry["id"] for entry in await listed(stand, **params)]

    assert await ids() == [c, a, b] == await ids(sort="created") == await ids(sort="changed")
    assert await ids(sort="name", order="asc") == [a, b, c]
    assert (await ids(sort="last_run"))[0] == a
    assert await ids(q="  LANTERN ") == [c, b]
    assert await ids(q="100%") == [b]
    assert await ids(q="_1") == [a]
    assert await ids(q="%%") == await ids(q="\\") == []
    await stand.ann.browser.delete(f"/api/agents/{c}", headers={"If-Match": '"v1"'})
    assert await ids() == [a, b]


@pytest.mark.parametrize("sort", ["created", "changed", "last_run", "name"])
async def test_lib3_pages_neither_repeat_nor_skip(stand: Stand, sort: str):
    made = [await agent(stand, "Same" if nth % 2 else f"Other {nth}") for nth in range(5)]
    await stand.start(made[1], wait=30, n=1)
    path = f"{LIBRARY}?sort={sort}"
    stand.ann.http, stand.ann.browser = stand.ann.browser, stand.ann.http  # the pages are a browser's
    found = [entry["id"] for page in await pages(stand, path, limit=2) for entry in page]
    stand.ann.http, stand.ann.browser = stand.ann.browser, stand.ann.http
    assert sorted(found) == sorted(made)
    assert len(found) == 5


async def favour(stand: Stand, agent_id: str, favourite: bool) -> dict[str, Any]:
    answer = await stand.ann.browser.patch(f"{LIBRARY}/{agent_id}", json={"favourite": favourite})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_lib3_favourites_are_marked_and_listed_and_nothing_else_of_the_agent_changes(stand: Stand):
    one, other = await agent(stand, "One"), await agent(stand, "Other")
    (before,) = [entry for entry in await listed(stand) if entry["id"] == one]
    assert before["favourite"] is False
    assert await favour(stand, one, True) == {**before, "favourite": True}
    assert [entry["id"] for entry in await listed(stand, favourite=True)] == [one]
    assert [entry["id"] for entry in await listed(stand, favourite=False)] == [other]
    assert (await favour(stand, one, True))["favourite"]  # again is the same
    unchanged = await stand.ann.browser.patch(f"{LIBRARY}/{one}", json={})
    assert unchanged.json()["favourite"] is True
    assert (await favour(stand, one, False)) == before


async def test_lib8_a_new_version_keeps_the_favourite(stand: Stand):
    kept = await agent(stand, "Kept")
    await favour(stand, kept, True)
    for version in (1, 2, 3):
        rename = {"base_version": version, "ops": [{"op": "set_name", "value": f"Kept {version}"}]}
        assert (await stand.ann.browser.patch(f"/api/agents/{kept}", json=rename)).status_code == 200
    (entry,) = await listed(stand, favourite=True)
    assert (entry["id"], entry["version"]) == (kept, 4)


async def test_lib3_nobody_marks_what_is_anothers_and_unknown_wishes_are_refused(small: Stand):
    mine = await agent(small, "Mine")
    bob = await small.house.person()
    for agent_id in (mine, new_id()):
        answer = await bob.browser.patch(f"{LIBRARY}/{agent_id}", json={"favourite": True})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    for body in ({"favourite": "yes, please"}, {"colour": "red"}):
        assert (await small.ann.browser.patch(f"{LIBRARY}/{mine}", json=body)).status_code == 422
    assert not any(entry["favourite"] for entry in await listed(small))
    await bob.leave()


async def test_lib3_what_cannot_be_asked_is_refused_and_others_see_their_own(small: Stand):
    await agent(small, "Mine")
    await agent(small, "Mine too")
    cursor = (await small.ann.browser.get(LIBRARY, params={"limit": 1})).json()["next_cursor"]
    for params in ({"q": "x" * 101}, {"sort": "size"}, {"status": "happy"}, {"cursor": cursor, "sort": "name"}):
        assert (await small.ann.browser.get(LIBRARY, params=params)).status_code == 422
    assert (await small.ann.browser.get(LIBRARY, params={"q": " " * 200})).status_code == 200
    bob = await small.house.person()
    assert (await bob.browser.get(LIBRARY)).json()["items"] == []
    assert (await bob.http.get(LIBRARY)).status_code == 401  # no key opens a browser's door
    assert (await bob.browser.get(LIBRARY, params={"cursor": new_id()})).status_code == 422
    await bob.leave()
