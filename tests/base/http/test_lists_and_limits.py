"""H5, H8, H9: pages, versions, rates."""

import asyncio
from dataclasses import replace

import httpx2
import pytest

from pilothouse.base.actor import SYSTEM
from pilothouse.base.http.rates import RateLimits, Throttle
from pilothouse.base.http.tables import rate_windows
from pilothouse.kit.clock import utc_now
from pilothouse.kit.errors import RateLimited
from tests.base.http.house import House


async def test_pages_hold_every_item_once_though_others_are_added(house: House):
    browser = await house.add_owner()
    made = [await _add_key(browser, f"k{number}") for number in range(5)]
    first = (await browser.get("/api/api-keys", params={"limit": 2})).json()
    await _add_key(browser, "late")
    second = (await browser.get("/api/api-keys", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    third = (await browser.get("/api/api-keys", params={"limit": 2, "cursor": second["next_cursor"]})).json()
    seen = [item["id"] for page in (first, second, third) for item in page["items"]]
    assert seen == made[::-1]
    assert third["next_cursor"] is None


async def _add_key(browser: httpx2.AsyncClient, name: str) -> str:
    return (await browser.post("/api/api-keys", json={"name": name, "scopes": ["identity"]})).json()["id"]


async def test_a_cursor_is_ours_for_this_list_and_caller(house: House):
    browser = await house.add_owner()
    for number in range(2):
        await _add_key(browser, f"k{number}")
    cursor = (await browser.get("/api/api-keys", params={"limit": 1})).json()["next_cursor"]
    await house.add_user("other@example.com")
    other = await house.sign_in("other@example.com")
    assert (await other.get("/api/api-keys", params={"cursor": cursor})).status_code == 422
    for forged in (cursor[:-2] + "AA", "x", "é", "", "A" * 300):
        assert (await browser.get("/api/api-keys", params={"cursor": forged})).status_code == 422


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x"])
async def test_a_limit_out_of_bounds_is_refused(small_house: House, limit: str):
    browser = await small_house.add_owner()
    assert (await browser.get("/api/api-keys", params={"limit": limit})).status_code == 422


async def test_a_change_says_which_version_it_saw(small_house: House):
    await small_house.add_owner()
    program = small_house.program(await small_house.add_key("owner@example.com", "agents:write", "agents:read"))

    async def put(body: dict[str, int], **headers: str) -> tuple[int, str]:
        answer = await program.put("/api/v1/versioned", json=body, headers=headers)
        return answer.status_code, answer.json().get("code", "")

    assert await put({}) == (428, "precondition_required")
    assert await put({}, **{"If-Match": '"v6"'}) == (412, "version_conflict")
    assert await put({"base_version": 6}) == (409, "version_conflict")
    assert await put({}, **{"If-Match": "v7"}) == (422, "validation_failed")
    assert await put({}, **{"If-Match": '"v7"'}) == (200, "")
    assert await put({"base_version": 7}) == (200, "")


async def test_a_reader_who_has_this_version_gets_no_body(small_house: House):
    await small_house.add_owner()
    program = small_house.program(await small_house.add_key("owner@example.com", "agents:read"))
    first = await program.get("/api/v1/versioned")
    again = await program.get("/api/v1/versioned", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", '"v7"')
    assert (await program.get("/api/v1/versioned", headers={"If-None-Match": '"v6"'})).status_code == 200


async def test_answers_say_how_much_is_left_and_when(small_house: House):
    await small_house.add_owner()
    small_house.app.state.gate.rates.per_user = 2
    small_house.app.state.gate.rates.clock = lambda: 1_000_020.0
    program = small_house.program(await small_house.add_key("owner@example.com", "agents:read"))
    left = [(await program.get("/api/v1/things")).headers["ratelimit-remaining"] for _ in range(2)]
    assert left == ["1", "0"]
    refused = await program.get("/api/v1/things")
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["retry-after"] == "60"


async def test_a_key_with_a_limit_of_its_own_does_not_share_its_owners(small_house: House):
    await small_house.add_owner()
    small_house.app.state.gate.rates.per_user = 1
    program = small_house.program(await small_house.add_key("owner@example.com", "agents:read", limit=5000))
    answers = [await program.get("/api/v1/things") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert answers[-1].headers["ratelimit-limit"] == "5000"


def test_a_new_minute_is_a_new_count():
    now = [60.0]
    rates = RateLimits(clock=lambda: now[0])
    assert rates.take("a", 1) == (1, 0, 60)
    with pytest.raises(RateLimited):
        rates.take("a", 1)
    now[0] = 120.0
    assert rates.take("a", 1) == (1, 0, 60)


async def test_shared_tries_are_counted_once_each_however_they_race(house: House):
    moment = utc_now()
    throttle = Throttle(replace(house.units, clock=lambda: moment))  # all within one minute
    results = await asyncio.gather(*(throttle.take("login x", 5) for _ in range(12)), return_exceptions=True)
    assert sum(result is None for result in results) == 5
    assert sum(isinstance(result, RateLimited) for result in results) == 7
    async with house.units.write(SYSTEM) as work:
        await work.session.execute(rate_windows.update().values(starts_at=work.now.replace(year=2020)))
    await throttle.prune()
    await throttle.take("login x", 1)
