"""H20, S14: signing in and out, tries, passwords, devices."""

from dataclasses import replace
from datetime import timedelta
from statistics import median
from time import process_time

import pytest
from sqlalchemy import select

from pilothouse.base.actor import SYSTEM, Role
from pilothouse.features import accounts
from pilothouse.features.accounts.models import LoginSession
from pilothouse.kit.clock import utc_now
from tests.base.http.house import ORIGIN, PASSWORD, House

pytestmark = pytest.mark.security


async def test_unknown_mail_and_wrong_password_read_alike(house: House):
    await house.add_owner()
    wrong = await house.client().post("/api/auth/login", json={"email": "owner@example.com", "password": "wrong"})
    unknown = await house.client().post("/api/auth/login", json={"email": "nobody@example.com", "password": "wrong"})
    told = [{**answer.json(), "request_id": ""} for answer in (wrong, unknown)]
    assert wrong.status_code == unknown.status_code == 401
    assert told[0] == told[1]


async def test_unknown_mail_and_wrong_password_take_alike():
    """By processor time, which a busy machine does not stretch."""
    passwords = accounts.Passwords()
    await passwords.prepare()
    kept = await passwords.hash(PASSWORD)

    async def cost(password_hash: str | None) -> float:
        start = process_time()
        assert not await passwords.fits(password_hash, "wrong")
        return process_time() - start

    pairs = [(await cost(None), await cost(kept)) for _ in range(11)]
    unknown, wrong = (median(side) for side in zip(*pairs, strict=True))
    assert 0.75 < unknown / wrong < 1.25


def stop_the_clock(house: House) -> None:
    """Everything that follows happens within one minute."""
    moment = utc_now()
    house.reception.units = replace(house.units, clock=lambda: moment)


async def test_the_sixth_try_of_a_minute_is_refused_even_with_the_right_password(house: House):
    await house.add_owner()
    stop_the_clock(house)
    ask = {"email": "owner@example.com", "password": "wrong"}
    for number in range(5):
        assert (await house.client(f"192.0.2.{number}").post("/api/auth/login", json=ask)).status_code == 401
    answer = await house.client("192.0.2.99").post("/api/auth/login", json={**ask, "password": PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(answer.headers["retry-after"]) <= 60


async def test_one_address_gets_twenty_tries_a_minute(house: House):
    await house.add_owner()
    stop_the_clock(house)
    client = house.client("192.0.2.50")
    asks = [{"email": f"u{number}@example.com", "password": "wrong"} for number in range(21)]
    statuses = [(await client.post("/api/auth/login", json=ask)).status_code for ask in asks]
    assert statuses == [401] * 20 + [429]


async def test_signing_in_gives_a_new_cookie_and_ends_the_old_session(house: House):
    browser = await house.add_owner()
    old = browser.cookies["ph_session"]
    answer = await browser.post("/api/auth/login", json={"email": "OWNER@example.com ", "password": PASSWORD})
    assert answer.status_code == 200
    assert answer.headers["set-cookie"].split("; ")[1:] == ["Max-Age=2592000", "Path=/", "HttpOnly", "SameSite=Lax"]
    assert browser.cookies["ph_session"] != old
    assert (await house.client(Cookie=f"ph_session={old}").get("/api/me")).status_code == 401


async def test_a_cookie_chosen_by_somebody_else_never_becomes_a_session(house: House):
    await house.add_owner()
    victim = house.client(Origin=ORIGIN, Cookie="ph_session=chosen")
    assert (await victim.post("/api/auth/login", json={"email": "owner@example.com", "password": PASSWORD})).is_success
    assert (await house.client(Cookie="ph_session=chosen").get("/api/me")).status_code == 401


async def test_the_cookie_is_kept_only_as_a_hash(house: House):
    browser = await house.add_owner()
    async with house.units.read(SYSTEM) as read:
        row = (await read.session.execute(select(LoginSession))).scalar_one()
    assert browser.cookies["ph_session"] not in (row.token_hash, row.id, row.device)


async def test_signing_out_ends_this_session_only(house: House):
    browser = await house.add_owner()
    other = await house.sign_in("owner@example.com")
    cookie = browser.cookies["ph_session"]
    assert (await browser.post("/api/auth/logout")).status_code == 204
    assert "ph_session" not in browser.cookies
    assert (await house.client(Cookie=f"ph_session={cookie}").get("/api/me")).status_code == 401
    assert (await other.get("/api/me")).status_code == 200


async def test_a_new_password_ends_every_other_session_and_renews_this_one(house: House):
    browser = await house.add_owner()
    other = await house.sign_in("owner@example.com")
    old = browser.cookies["ph_session"]
    ask = {"current_password": PASSWORD, "new_password": "another long password"}
    answer = await browser.post("/api/auth/password", json=ask)
    assert answer.status_code == 200
    browser.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    assert browser.cookies["ph_session"] != old
    assert (await browser.patch("/api/me", json={"name": "New"})).status_code == 200
    assert (await other.get("/api/me")).status_code == 401
    login = {"email": "owner@example.com", "password": "another long password"}
    assert (await house.client().post("/api/auth/login", json=login)).status_code == 200


async def test_a_wrong_present_password_changes_nothing(house: House):
    browser = await house.add_owner()
    ask = {"current_password": "wrong", "new_password": "another long password"}
    assert (await browser.post("/api/auth/password", json=ask)).status_code == 403
    assert (await house.sign_in("owner@example.com")) is not None


async def test_devices_are_listed_and_signed_out_one_by_one(house: House):
    browser = await house.add_owner()
    other = await house.sign_in("owner@example.com")
    items = (await browser.get("/api/auth/sessions")).json()["items"]
    assert [item["current"] for item in items] == [False, True]
    assert (await browser.delete(f"/api/auth/sessions/{items[0]['id']}")).status_code == 204
    assert (await other.get("/api/me")).status_code == 401
    await house.add_user("member@example.com")
    member = await house.sign_in("member@example.com")
    foreign = await member.delete(f"/api/auth/sessions/{items[1]['id']}")
    absent = await member.delete("/api/auth/sessions/00000000-0000-7000-8000-000000000000")
    assert foreign.status_code == absent.status_code == 404
    assert {**foreign.json(), "request_id": ""} == {**absent.json(), "request_id": ""}
    assert (await member.delete("/api/auth/sessions/nonsense")).status_code == 422


async def test_a_page_that_asks_whether_it_is_known_keeps_its_session_alive(house: House):
    """It asks this first, so this is the answer that must carry the renewed cookie."""
    browser = await house.add_owner()
    await _forward(house, timedelta(days=29))
    renewed = await browser.get("/api/setup/status")
    assert renewed.json()["signed_in"] is True
    assert "Max-Age=2592000" in renewed.headers["set-cookie"]
    assert "set-cookie" not in (await browser.get("/api/setup/status")).headers


async def test_a_session_slides_for_thirty_days_and_then_ends(house: House):
    browser = await house.add_owner()
    await _forward(house, timedelta(days=29))
    renewed = await browser.get("/api/me")
    assert renewed.status_code == 200
    assert "Max-Age=2592000" in renewed.headers["set-cookie"]
    assert "set-cookie" not in (await browser.get("/api/me")).headers
    await _forward(house, timedelta(days=58))
    assert (await browser.get("/api/me")).status_code == 200
    await _forward(house, timedelta(days=89))
    assert (await browser.get("/api/me")).status_code == 401


async def _forward(house: House, by: timedelta) -> None:
    house.reception.units = replace(house.units, clock=lambda: utc_now() + by)
    house.reception.memories.visits.forget()


async def test_a_disabled_user_is_out_at_once_with_keys_and_sessions(house: House):
    await house.add_owner()
    await house.add_user("member@example.com")
    browser = await house.sign_in("member@example.com")
    program = house.program(await house.add_key("member@example.com", "identity"))
    assert (await program.get("/api/v1/me")).status_code == 200
    async with house.units.write(SYSTEM) as work:
        await accounts.disable_user(work, "member@example.com")
    assert (await browser.get("/api/me")).status_code == 401
    assert (await program.get("/api/v1/me")).status_code == 401
    login = {"email": "member@example.com", "password": PASSWORD}
    assert (await house.client().post("/api/auth/login", json=login)).status_code == 401


async def test_another_role_ends_the_sessions_opened_with_the_old_one(house: House):
    await house.add_owner()
    await house.add_user("member@example.com")
    browser = await house.sign_in("member@example.com")
    async with house.units.write(SYSTEM) as work:
        await accounts.set_role(work, "member@example.com", Role.ADMIN)
    assert (await browser.get("/api/me")).status_code == 401
    again = await house.sign_in("member@example.com")
    assert (await again.get("/api/auth/me")).json()["role"] == "admin"


async def test_a_reset_password_signs_everyone_out_and_works(house: House):
    browser = await house.add_owner()
    await accounts.reset_password(
        house.units, house.reception.passwords, email="owner@example.com", password="reset by command"
    )
    assert (await browser.get("/api/me")).status_code == 401
    login = {"email": "owner@example.com", "password": "reset by command"}
    assert (await house.client().post("/api/auth/login", json=login)).status_code == 200


async def test_two_people_cannot_have_one_mail_address(house: House):
    await house.add_user("member@example.com")
    with pytest.raises(accounts.MailTaken):
        await house.add_user("Member@example.com")
