"""H6: the same key and body give the same answer, and one effect."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from pilothouse.base.actor import SYSTEM
from pilothouse.base.http.idempotency import prune
from pilothouse.base.http.tables import idempotency_keys
from tests.base.http.house import House


async def count(house: House, email: str = "owner@example.com") -> int:
    program = house.program(await house.add_key(email, "agents:read"))
    return (await program.get("/api/v1/things")).json()["count"]


async def writer(house: House):
    await house.add_owner()
    return house.program(await house.add_key("owner@example.com", "agents:write"))


async def test_a_repeat_gets_the_first_answer_and_does_nothing(house: House):
    program = await writer(house)
    headers = {"Idempotency-Key": "k1"}
    first = await program.post("/api/v1/things", json={"name": "x"}, headers=headers)
    again = await program.post("/api/v1/things", json={"name": "x"}, headers=headers)
    assert (again.status_code, again.json()) == (first.status_code, first.json()) == (201, first.json())
    assert again.headers["idempotent-replay"] == "true"
    assert "idempotent-replay" not in first.headers
    assert await count(house) == 1


async def test_another_body_under_the_same_key_is_a_conflict(house: House):
    program = await writer(house)
    headers = {"Idempotency-Key": "k1"}
    await program.post("/api/v1/things", json={"name": "x"}, headers=headers)
    answer = await program.post("/api/v1/things", json={"name": "y"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")


async def test_a_failed_request_leaves_its_key_free(house: House):
    program = await writer(house)
    headers = {"Idempotency-Key": "k1"}
    assert (await program.post("/api/v1/things", json={"name": "bad"}, headers=headers)).status_code == 409
    assert (await program.post("/api/v1/things", json={"name": "x"}, headers=headers)).status_code == 201


async def test_while_the_first_runs_the_second_is_told_so(house: House):
    program = await writer(house)
    ask: dict[str, Any] = {"json": {"name": "slow"}, "headers": {"Idempotency-Key": "k1"}}
    first = asyncio.create_task(program.post("/api/v1/things", **ask))
    await asyncio.sleep(0.1)
    second = await program.post("/api/v1/things", **ask)
    assert (second.status_code, second.json()["code"]) == (409, "idempotency_in_progress")
    assert (await first).status_code == 201
    assert (await program.post("/api/v1/things", **ask)).headers["idempotent-replay"] == "true"


async def test_of_fifty_at_once_in_two_processes_one_has_an_effect(house: House):
    await writer(house)
    key = await house.add_key("owner@example.com", "agents:write", limit=1000)
    ask: dict[str, Any] = {"json": {"name": "x"}, "headers": {"Idempotency-Key": "k1"}}

    async def send(number: int) -> int:
        house.app.state.keys_in_progress.uses.clear()  # as another process, which cannot see our set
        return (await house.program(key).post("/api/v1/things", **ask)).status_code

    statuses = await asyncio.gather(*(send(number) for number in range(50)))
    assert set(statuses) <= {201, 409}
    assert 201 in statuses
    assert await count(house) == 1


async def test_keys_of_two_users_do_not_meet(house: House):
    program = await writer(house)
    await house.add_user("other@example.com")
    other = house.program(await house.add_key("other@example.com", "agents:write"))
    ask: dict[str, Any] = {"json": {"name": "x"}, "headers": {"Idempotency-Key": "k1"}}
    first = (await program.post("/api/v1/things", **ask)).json()
    second = (await other.post("/api/v1/things", **ask)).json()
    assert first["id"] != second["id"]


async def test_an_answer_that_holds_a_secret_is_kept_sealed(house: House):
    browser = await house.add_owner()
    ask: dict[str, Any] = {"json": {"name": "k", "scopes": ["identity"]}, "headers": {"Idempotency-Key": "k1"}}
    first = await browser.post("/api/api-keys", **ask)
    async with house.units.read(SYSTEM) as read:
        kept = (await read.session.execute(select(idempotency_keys.c.body))).scalar_one()
    assert first.json()["key"] not in kept
    assert (await browser.post("/api/api-keys", **ask)).json() == first.json()


async def test_a_key_out_of_bounds_is_refused(small_house: House):
    program = await writer(small_house)
    answer = await program.post("/api/v1/things", json={"name": "x"}, headers={"Idempotency-Key": "k" * 129})
    assert answer.status_code == 422


@pytest.mark.parametrize(("days", "left"), [(6.9, ["k1"]), (7.1, [])])
async def test_a_key_is_kept_for_seven_days(house: House, days: float, left: list[str]):
    """engine:C1"""
    program = await writer(house)
    await program.post("/api/v1/things", json={"name": "x"}, headers={"Idempotency-Key": "k1"})
    async with house.units.write(SYSTEM) as work:
        made_at = work.now - timedelta(days=days)
        await work.session.execute(idempotency_keys.update().values(created_at=made_at))
        await prune(work)
        assert (await work.session.execute(select(idempotency_keys.c.key))).scalars().all() == left
