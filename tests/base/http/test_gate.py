"""H14, H20, H22, H24 and S8: who gets in, by which door, from which page."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from prometheus_client import CollectorRegistry
from starlette.routing import Route

from pilothouse.base.actor import Role
from pilothouse.base.http import Router, check_policies, create_app, policies, user
from pilothouse.base.http.gate import Site
from pilothouse.base.http.policy import Policy, PolicyMissing, scope
from tests.base.http.house import ORIGIN, House, open_house

pytestmark = pytest.mark.security


async def answer_ok() -> dict[str, bool]:
    return {"ok": True}


def undeclared(router: Router) -> None:
    async def silent() -> None: ...

    router.get("/api/silent")(silent)


def key_door_without_scope(router: Router) -> None:
    router.get("/api/v1/open")(user(answer_ok))


def unguarded(router: Router) -> None:
    router.routes.append(Route("/api/raw", answer_ok))


def nested(router: Router) -> None:
    inner = APIRouter()
    inner.get("/api/inner")(answer_ok)
    router.include_router(inner)


@pytest.mark.parametrize("add", [undeclared, key_door_without_scope, unguarded, nested])
def test_a_route_without_a_policy_that_is_enforced_stops_the_start(small_house: House, add: Callable[[Router], None]):
    router = Router()
    add(router)
    with pytest.raises(PolicyMissing):
        create_app(replace(small_house.door, registry=CollectorRegistry()), [router])


def test_a_route_added_later_is_found_too(small_house: House):
    small_house.app.add_api_route("/api/late", answer_ok)
    with pytest.raises(PolicyMissing):
        check_policies(small_house.app)


def test_a_scope_that_does_not_exist_is_no_policy():
    with pytest.raises(PolicyMissing):
        scope("agents:everything")


def test_the_registry_lists_every_route_with_its_policy(small_house: House):
    table = {(method, path): policy for method, path, policy in policies(small_house.app)}
    assert table["POST", "/api/things"] == user
    assert table["POST", "/api/v1/things"] == scope("agents:write")
    assert str(table["POST", "/api/admin/act"]) == "admin"
    assert str(table["GET", "/health"]) == "setup"


async def caller(house: House, kind: str) -> Any:
    match kind:
        case "anonymous":
            return house.client(Origin=ORIGIN)
        case "member":
            return await house.sign_in("member@example.com")
        case "admin":
            return await house.sign_in("admin@example.com")
        case "key":
            return house.program(await house.add_key("member@example.com", "agents:read"))
        case _:
            return house.program(await house.add_key("member@example.com", "identity"))


def allowed(policy: Policy, path: str, kind: str) -> bool:
    match str(policy):
        case "setup" | "public":
            return True
        case "user":
            return kind in {"member", "admin"}
        case "admin":
            return kind == "admin"
        case text:
            return text == {"key": "scope:agents:read", "poor key": "scope:identity"}.get(kind)


@pytest.mark.parametrize("kind", ["anonymous", "member", "admin", "key", "poor key"])
async def test_no_caller_gets_a_2xx_beyond_the_policy(house: House, kind: str):
    await house.add_owner()
    await house.add_user("member@example.com")
    await house.add_user("admin@example.com", Role.ADMIN)
    client = await caller(house, kind)
    for method, path, policy in policies(house.app):
        if method != "GET" or "{" in path or path == "/metrics":
            continue
        status = (await client.request(method, path)).status_code
        assert (status == 200) == allowed(policy, path, kind), (path, status)
    assert (await client.post("/api/admin/act")).status_code == {"admin": 200, "member": 403}.get(kind, 401)


async def test_keys_open_only_their_own_doors(house: House):
    await house.add_owner()
    key = await house.add_key("owner@example.com", "agents:read", "identity")
    program = house.program(key)
    assert (await program.get("/api/v1/things")).status_code == 200
    assert (await program.get("/api/things")).status_code == 401
    assert (await program.get("/api/v10")).status_code == 404
    missing = await program.post("/api/v1/things", json={"name": "x"})
    assert (missing.status_code, missing.json()["code"]) == (403, "scope_missing")
    assert missing.json()["detail"] == {"needed": "agents:write"}


async def test_a_cookie_does_not_open_the_doors_of_keys(small_house: House):
    browser = await small_house.add_owner()
    assert (await browser.get("/api/v1/things")).status_code == 401


async def test_a_cookie_and_a_bearer_together_are_a_mistake(small_house: House):
    browser = await small_house.add_owner()
    key = await small_house.add_key("owner@example.com", "agents:read")
    for path in ("/api/v1/things", "/api/things"):
        answer = await browser.get(path, headers={"Authorization": f"Bearer {key}"})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Origin": "null"}, "origin_denied"),
        ({"Origin": "https://evil.example"}, "origin_denied"),
        ({"Origin": "http://localhost:8000.evil.example"}, "origin_denied"),
        ({"Origin": "https://localhost:8000"}, "origin_denied"),
        ({"Origin": ""}, "origin_denied"),
        ({"X-CSRF-Token": ""}, "csrf_failed"),
        ({"X-CSRF-Token": "A" * 43}, "csrf_failed"),
    ],
)
async def test_a_foreign_page_changes_nothing(small_house: House, headers: dict[str, str], code: str):
    browser = await small_house.add_owner()
    answer = await browser.post("/api/things", json={"name": "x"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, code)
    assert (await browser.get("/api/things")).json() == {"count": 0}


async def test_a_cookie_without_an_origin_changes_nothing(small_house: House):
    browser = await small_house.add_owner()
    del browser.headers["Origin"]
    assert (await browser.post("/api/things", json={"name": "x"})).json()["code"] == "origin_denied"


async def test_the_csrf_token_of_another_session_does_not_fit(small_house: House):
    first = await small_house.add_owner()
    second = await small_house.sign_in("owner@example.com")
    second.headers["X-CSRF-Token"] = first.headers["X-CSRF-Token"]
    assert (await second.post("/api/things", json={"name": "x"})).json()["code"] == "csrf_failed"


async def test_a_planted_second_cookie_signs_nobody_in(small_house: House):
    browser = await small_house.add_owner()
    value = browser.cookies["ph_session"]
    stranger = small_house.client(Cookie=f"ph_session=planted; ph_session={value}")
    assert (await stranger.get("/api/me")).status_code == 401


async def test_a_foreign_page_cannot_sign_a_browser_in(small_house: House):
    await small_house.add_owner()
    answer = await small_house.client(Origin="https://evil.example").post("/api/auth/login", json={})
    assert (answer.status_code, answer.json()["code"]) == (403, "origin_denied")


async def test_until_there_is_an_owner_only_set_up_and_health_answer(house: House):
    client = house.client()
    for path in ("/api/things", "/api/look", "/api/v1/things", "/api/openapi.json"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), path
        assert "set-up link" in answer.json()["hint"]
    assert (await client.get("/api/setup/status")).json() == {"needs_owner": True, "signed_in": False}
    assert (await client.get("/health")).status_code == 200
    await house.add_owner()
    assert (await client.get("/api/look")).status_code == 200


def test_on_https_the_cookie_is_bound_to_its_host():
    site = Site.at("https://pilot.example")
    assert site.cookie("t").startswith("__Host-ph_session=t; ")
    assert "; Secure" in site.cookie("t")
    assert "; Path=/; HttpOnly; SameSite=Lax" in site.cookie("t")
    assert site.origins == {"https://pilot.example"}


async def test_behind_a_trusted_proxy_the_forwarded_address_is_limited(sqlite_url: str, tmp_path: Path):
    async with open_house(sqlite_url, tmp_path, trusted_proxies=("10.0.0.0/8",)) as house:
        await house.add_owner()
        house.app.state.gate.rates.per_address = 2
        house.app.state.gate.rates.clock = lambda: 1_000_020.0  # all within one minute
        for number in range(4):  # a client that invents hops of its own is still one client
            headers = {"X-Forwarded-For": f"198.51.100.{number}, 192.0.2.7"}
            answer = await house.client("10.1.1.1").get("/api/openapi.json", headers=headers)
            assert answer.status_code == (200 if number < 2 else 429)
        for number in range(4):  # and from elsewhere the header means nothing
            headers = {"X-Forwarded-For": f"198.51.100.{number}"}
            answer = await house.client("203.0.113.1").get("/api/openapi.json", headers=headers)
            assert answer.status_code == (200 if number < 2 else 429)
