"""H24, S14: one owner, by a link that works once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from pilothouse.base.actor import SYSTEM
from pilothouse.features import accounts
from pilothouse.features.accounts.models import SetupLink, User
from pilothouse.kit.clock import utc_now
from tests.base.http.house import ORIGIN, PASSWORD, House

pytestmark = pytest.mark.security


def ask(token: str, number: int = 0) -> dict[str, str]:
    return {"token": token, "name": "Owner", "email": f"owner{number}@example.com", "password": PASSWORD}


async def owners(house: House) -> int:
    async with house.units.read(SYSTEM) as read:
        return (await read.session.execute(select(func.count()).select_from(User))).scalar_one()


async def test_the_link_makes_an_owner_who_is_signed_in(house: House):
    browser = await house.add_owner()
    me = (await browser.get("/api/auth/me")).json()
    assert (me["role"], me["user"]["email"], me["user"]["timezone"]) == ("owner", "owner@example.com", "UTC")
    assert (await browser.get("/api/setup/status")).json() == {"needs_owner": False, "signed_in": True}


async def test_a_stranger_may_ask_whether_they_are_known_and_is_not_refused(house: House):
    browser = await house.add_owner()
    for stranger in (house.client(), house.client(Cookie="ph_session=made-up")):
        answer = await stranger.get("/api/setup/status")
        assert (answer.status_code, answer.json()) == (200, {"needs_owner": False, "signed_in": False})
    assert (await browser.post("/api/auth/logout")).status_code == 204
    assert (await browser.get("/api/setup/status")).json()["signed_in"] is False


async def test_the_link_works_once(house: House):
    token = await house.setup_token()
    assert (await house.client().post("/api/setup/owner", json=ask(token))).status_code == 201
    again = await house.client().post("/api/setup/owner", json=ask(token, 1))
    assert (again.status_code, again.json()["code"]) == (410, "setup_done")


async def test_fifty_at_once_make_one_owner(house: House):
    token = await house.setup_token()

    async def send(number: int) -> int:
        client = house.client(f"192.0.2.{number}")
        return (await client.post("/api/setup/owner", json=ask(token, number))).status_code

    statuses = await asyncio.gather(*(send(number) for number in range(50)))
    assert sorted(statuses) == [201] + [410] * 49
    assert await owners(house) == 1


async def test_a_wrong_or_expired_link_makes_nobody(house: House):
    await house.setup_token()
    wrong = await house.client().post("/api/setup/owner", json=ask("x" * 43))
    assert (wrong.status_code, wrong.json()["code"]) == (410, "expired")
    token = await house.setup_token()
    tomorrow = replace(house.units, clock=lambda: utc_now() + timedelta(hours=25))
    house.reception.units = tomorrow
    late = await house.client().post("/api/setup/owner", json=ask(token))
    assert (late.status_code, late.json()["code"]) == (410, "expired")
    assert await owners(house) == 0


async def test_a_new_link_replaces_the_old_one(house: House):
    old, new = await house.setup_token(), await house.setup_token()
    assert (await house.client().post("/api/setup/owner", json=ask(old))).status_code == 410
    assert (await house.client().post("/api/setup/owner", json=ask(new))).status_code == 201


async def test_the_link_is_long_kept_hashed_and_never_made_twice_for_an_owned_house(house: House):
    async with house.units.write(SYSTEM) as work:
        link = await accounts.make_owner_link(work, ORIGIN)
    base, _, token = link.partition("#token=")
    assert base == f"{ORIGIN}/setup"
    assert len(token) == 43
    async with house.units.read(SYSTEM) as read:
        kept = (await read.session.execute(select(SetupLink.token_hash))).scalar_one()
    assert token not in kept
    await house.add_owner()
    async with house.units.write(SYSTEM) as work:
        with pytest.raises(accounts.SetupDone):
            await accounts.make_owner_link(work, ORIGIN)


async def test_bad_values_make_nobody_and_keep_the_link(house: House):
    token = await house.setup_token()
    for change in ({"password": "short"}, {"email": "nobody"}, {"timezone": "Mars/Olympus"}, {"name": " "}, {"x": 1}):
        answer = await house.client().post("/api/setup/owner", json={**ask(token), **change})
        assert answer.status_code == 422, change
    assert (await house.client().post("/api/setup/owner", json=ask(token))).status_code == 201
