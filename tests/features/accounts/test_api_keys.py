"""H22, H23: keys are shown once, kept hashed, and stop when told."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from pilothouse.base.actor import SYSTEM
from pilothouse.features.accounts import Memories, Reception
from pilothouse.features.accounts.models import ApiKey
from pilothouse.features.accounts.reception import MEMORY_SECONDS
from pilothouse.kit.clock import to_wire, utc_now
from tests.base.http.house import House

pytestmark = pytest.mark.security

ASK: dict[str, Any] = {"name": "ci", "scopes": ["identity", "agents:read", "identity"]}


async def test_the_value_is_in_the_201_and_nowhere_else(house: House):
    browser = await house.add_owner()
    made = await browser.post("/api/api-keys", json=ASK)
    key = made.json().pop("key")
    assert made.status_code == 201
    assert [len(part) for part in key.split("_", 2)] == [2, 8, 43]
    assert made.json()["scopes"] == ["agents:read", "identity"]
    shown = await browser.get(f"/api/api-keys/{made.json()['id']}")
    listed = await browser.get("/api/api-keys")
    assert "key" not in shown.json()
    assert key not in shown.text + listed.text
    async with house.units.read(SYSTEM) as read:
        row = (await read.session.execute(select(ApiKey))).scalar_one()
    assert key not in (row.key_hash, row.prefix)
    me = (await house.program(key).get("/api/v1/me")).json()
    assert (me["api_key_id"], me["scopes"]) == (made.json()["id"], ["agents:read", "identity"])


async def test_a_suspended_or_deleted_key_stops_at_once_here(house: House):
    browser = await house.add_owner()
    made = (await browser.post("/api/api-keys", json=ASK)).json()
    program, path = house.program(made["key"]), f"/api/api-keys/{made['id']}"
    for act, status in (("suspend", 401), ("suspend", 401), ("resume", 200)):
        assert (await browser.post(f"{path}/{act}")).status_code == 200
        assert (await program.get("/api/v1/me")).status_code == status
    assert (await browser.delete(path)).status_code == 204
    assert (await program.get("/api/v1/me")).status_code == 401
    assert (await browser.get(path)).status_code == 404


async def test_a_revoked_key_stops_within_five_seconds_in_other_processes(house: House):
    browser = await house.add_owner()
    made = (await browser.post("/api/api-keys", json=ASK)).json()
    now = [0.0]
    memories = Memories()
    memories.keys.ticks = lambda: now[0]
    elsewhere = Reception(house.units, house.door.keyring, memories)
    assert await elsewhere.by_key(made["key"]) is not None
    await browser.delete(f"/api/api-keys/{made['id']}")
    now[0] = MEMORY_SECONDS + 0.01
    assert MEMORY_SECONDS < 5
    assert await elsewhere.by_key(made["key"]) is None


async def test_a_lookup_that_began_before_a_revocation_is_not_remembered(house: House):
    memory = Memories().keys
    before = memory.generation
    memory.forget()
    memory.keep("hash", None, 60, before)
    assert memory.recall("hash") is None


async def test_an_expired_key_stops_even_while_it_is_remembered(house: House):
    browser = await house.add_owner()
    soon = to_wire(utc_now() + timedelta(seconds=2))
    made = (await browser.post("/api/api-keys", json={**ASK, "expires_at": soon})).json()
    now = [0.0]
    house.reception.memories.keys.ticks = lambda: now[0]
    program = house.program(made["key"])
    assert (await program.get("/api/v1/me")).status_code == 200
    now[0] = 2.5
    house.reception.units = replace(house.units, clock=lambda: utc_now() + timedelta(seconds=3))
    assert (await program.get("/api/v1/me")).status_code == 401
    past = to_wire(utc_now() - timedelta(seconds=1))
    assert (await browser.post("/api/api-keys", json={**ASK, "expires_at": past})).status_code == 422


async def test_fewer_scopes_open_less_at_once(house: House):
    browser = await house.add_owner()
    made = (await browser.post("/api/api-keys", json=ASK)).json()
    program = house.program(made["key"])
    assert (await program.get("/api/v1/me")).status_code == 200
    changed = await browser.patch(f"/api/api-keys/{made['id']}", json={"scopes": ["agents:read"]})
    assert (changed.json()["scopes"], changed.json()["name"]) == (["agents:read"], "ci")
    assert (await program.get("/api/v1/me")).status_code == 403


async def test_only_owner_and_administrators_set_a_keys_limit(house: House):
    owner = await house.add_owner()
    await house.add_user("member@example.com")
    member = await house.sign_in("member@example.com")
    assert (await member.post("/api/api-keys", json={**ASK, "rate_limit_per_minute": 9})).status_code == 403
    made = (await member.post("/api/api-keys", json=ASK)).json()
    assert (await member.patch(f"/api/api-keys/{made['id']}", json={"rate_limit_per_minute": 9})).status_code == 403
    mine = (await owner.post("/api/api-keys", json={**ASK, "rate_limit_per_minute": 9})).json()
    assert mine["rate_limit_per_minute"] == 9
    assert (await house.program(mine["key"]).get("/api/v1/me")).headers["ratelimit-limit"] == "9"


@pytest.mark.parametrize("verb", ["get", "patch", "delete", "suspend", "resume"])
async def test_anothers_key_is_as_absent_as_none(house: House, verb: str):
    owner = await house.add_owner()
    theirs = (await owner.post("/api/api-keys", json=ASK)).json()["id"]
    await house.add_user("member@example.com")
    member = await house.sign_in("member@example.com")

    async def reach(key_id: str) -> tuple[int, dict[str, Any]]:
        path = f"/api/api-keys/{key_id}"
        if verb in {"suspend", "resume"}:
            answer = await member.post(f"{path}/{verb}")
        else:
            answer = await member.request(verb, path, json={"name": "x"} if verb == "patch" else None)
        return answer.status_code, {**answer.json(), "request_id": ""}

    foreign = await reach(theirs)
    assert foreign[0] == 404
    assert foreign == await reach("00000000-0000-7000-8000-000000000000")
    assert (await reach("NOT-AN-ID"))[0] == 422


@pytest.mark.parametrize(
    "change",
    [{"scopes": []}, {"scopes": ["root"]}, {"name": ""}, {"user_id": "x"}, {"expires_at": "2030-01-01T00:00:00"}],
)
async def test_bad_values_make_no_key(house: House, change: dict[str, Any]):
    browser = await house.add_owner()
    assert (await browser.post("/api/api-keys", json={**ASK, **change})).status_code == 422
    assert (await browser.get("/api/api-keys")).json() == {"items": [], "next_cursor": None}


@pytest.mark.parametrize("key", ["", "ph_", "x" * 55, "ph_aaaaaaaa_" + "a" * 43, "ph_aaaaaaaa_" + "é" * 43])
async def test_what_is_no_key_opens_nothing(house: House, key: str):
    await house.add_owner()
    headers = [(b"authorization", f"Bearer {key}".encode("latin-1"))]
    assert (await house.client().get("/api/v1/me", headers=headers)).status_code == 401


async def test_a_use_is_marked_but_rarely(house: House):
    browser = await house.add_owner()
    made = (await browser.post("/api/api-keys", json=ASK)).json()
    program, path = house.program(made["key"]), f"/api/api-keys/{made['id']}"
    await program.get("/api/v1/me")
    first = (await browser.get(path)).json()["last_used_at"]
    assert first is not None
    house.reception.memories.keys.forget()
    await program.get("/api/v1/me")
    assert (await browser.get(path)).json()["last_used_at"] == first
    async with house.units.write(SYSTEM) as work:
        await work.session.execute(update(ApiKey).values(last_used_at=work.now - timedelta(minutes=2)))
    house.reception.memories.keys.forget()
    await program.get("/api/v1/me")
    assert (await browser.get(path)).json()["last_used_at"] > first
