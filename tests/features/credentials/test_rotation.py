"""Another key in place while everybody goes on reading; one that is gone stops the start."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pilothouse.app.house import House
from pilothouse.app.sealed import SEALED
from pilothouse.base.actor import Actor
from pilothouse.base.envelope import rewrapped
from pilothouse.base.keyring import Keyring, add_encryption_key, drop_encryption_key, open_keyring
from pilothouse.blocks.credentials import ApiKey
from pilothouse.features.credentials import (
    ApiKeyIn,
    CredentialUnreadable,
    KeysMissing,
    create_credential,
    key_ids_in_use,
    reseal,
    rewrap_credentials,
)
from pilothouse.features.models import ConnectionIn, create_model_connection
from tests.databases import fresh_sqlite
from tests.features.credentials.conftest import Bank
from tests.features.credentials.test_credentials import SEND, create, headers_for
from tests.features.runs.graphs import graph, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import open_installation, stamp

MANY = 1_000


async def fill(house: House, actor: Actor, count: int) -> list[str]:
    async with house.units.write(actor) as work:
        asks = [
            ApiKeyIn.model_validate({"type": "api_key", "provider": "p", "title": f"{n}", "api_key": f"secret-{n:06}"})
            for n in range(count)
        ]
        return [(await create_credential(work, house.keyring, ask)).id for ask in asks]


async def opened(house: House, actor: Actor, credential_id: str) -> str:
    found = await house.motor.counter.vault.open(actor.user_id, credential_id)
    assert isinstance(found, ApiKey)
    return found.key


async def test_a_thousand_are_sealed_anew_while_they_are_read(bank: Bank):
    """CRED-3: no read fails, and the old key is named by nothing afterwards."""
    house, actor = bank.stand.house.api, bank.stand.ann.actor
    ids = await fill(house, actor, MANY)
    before = house.keyring.encryption[0][0]
    async with house.units.write(actor) as work:
        told = {"kind": "openai", "name": f"c-{actor.user_id[-8:]}", "api_key": "sk-of-a-connection"}
        await create_model_connection(work, house.keyring, ConnectionIn.model_validate(told))
    reads = 0
    over = asyncio.Event()

    async def read_on() -> None:
        nonlocal reads
        while not over.is_set():
            number = reads % MANY
            assert await opened(house, actor, ids[number]) == f"secret-{number:06}"
            reads += 1
            await asyncio.sleep(0)  # SQLite is read in place: nobody else would come to turn

    reading = [asyncio.create_task(read_on()) for _ in range(4)]
    add_encryption_key(house.keyring)
    newer = open_keyring(house.settings)
    done = await rewrap_credentials(house.units, newer)
    for place in SEALED:
        done += await reseal(house.units, newer, place)
    over.set()
    await asyncio.gather(*reading)
    assert done > MANY
    assert reads > 0
    assert await key_ids_in_use(house.reader, SEALED) == {newer.encryption[0][0]} != {before}
    assert await opened(house, actor, ids[-1]) == f"secret-{MANY - 1:06}"
    assert await rewrap_credentials(house.units, newer) == 0
    async with house.units.write(actor) as work:
        await (await work.session.connection()).exec_driver_sql("delete from model_connections")


class PowerCut(Exception):
    """What breaks a rotation off."""


def _failing_after(count: int) -> Callable[[Keyring, str], str]:
    left = count

    def rewrap(keyring: Keyring, wrapped_key: str) -> str:
        nonlocal left
        left -= 1
        if left < 0:
            raise PowerCut
        return rewrapped(keyring, wrapped_key)

    return rewrap


async def test_a_rotation_that_was_broken_off_goes_on(bank: Bank, monkeypatch: pytest.MonkeyPatch):
    """CRED-3"""
    house, actor = bank.stand.house.api, bank.stand.ann.actor
    ids = await fill(house, actor, 30)
    add_encryption_key(house.keyring)
    newer = open_keyring(house.settings)
    monkeypatch.setattr("pilothouse.features.credentials.rotation.BATCH", 10)
    with monkeypatch.context() as broken:
        broken.setattr("pilothouse.features.credentials.rotation.rewrapped", _failing_after(15))
        with pytest.raises(PowerCut):
            await rewrap_credentials(house.units, newer)
    assert newer.encryption[0][0] in await key_ids_in_use(house.reader, [])
    assert await opened(house, actor, ids[0]) == "secret-000000"
    await rewrap_credentials(house.units, newer)
    assert await key_ids_in_use(house.reader, []) == {newer.encryption[0][0]}


async def test_in_another_row_a_secret_is_of_no_use(bank: Bank):
    """CRED-1: id and owner are sealed with it."""
    house, actor = bank.stand.house.api, bank.stand.ann.actor
    one, two = await fill(house, actor, 2)
    rows = await bank.stand.rows("select wrapped_key, sealed from credentials where id=?1", one)
    wrapped, sealed = rows[0]
    swap = "update credentials set wrapped_key=:wrapped, sealed=:sealed where id=:id"
    await bank.stand.tell(swap, wrapped=wrapped, sealed=sealed, id=two)
    with pytest.raises(CredentialUnreadable):
        await opened(house, actor, two)
    assert await opened(house, actor, one) == "secret-000000"
    kept = await bank.stand.rows("select wrapped_key, sealed from credentials where id=?1", two)
    assert kept == [(wrapped, sealed)]


async def test_each_has_a_key_of_its_own(bank: Bank):
    """CRED-1"""
    one, two = await fill(bank.stand.house.api, bank.stand.ann.actor, 2)
    rows = await bank.stand.rows("select wrapped_key, key_id from credentials where id in (?1, ?2)", one, two)
    keyring = bank.stand.house.api.keyring
    assert len({keyring.open(wrapped) for wrapped, _ in rows}) == 2
    assert all(wrapped.startswith(f"{key_id}.") for wrapped, key_id in rows)


async def test_a_missing_key_stops_the_start_and_names_itself(tmp_path: Path):
    """CRED-2"""
    settings = settings_for(tmp_path)
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        async with open_installation(settings) as installation:
            house, person = installation.api, await installation.person()
            await fill(house, person.actor, 1)
            await person.leave()
            old = house.keyring.encryption[0][0]
            add_encryption_key(house.keyring)
            drop_encryption_key(house.keyring, old)
        with pytest.raises(KeysMissing, match=old):
            async with open_installation(settings):
                pass


async def test_runs_go_on_while_the_keys_are_changed(bank: Bank):
    """CRED-3, S20: runs accepted before, during and after; every step of every one opens its credential."""
    house = bank.stand.house.api
    made = await create(bank, headers_for(bank.here.host))
    given = {name: made[name] for name in ("id", "provider", "type", "title")}
    bank.here.slow = 0.02
    nodes = [node(f"n{n}", SEND, url=f"http://{bank.here.host}/{n}", method="GET", credentials=given) for n in range(8)]
    agent_id = await bank.stand.agent(graph("Eight", nodes, []))
    runs: list[asyncio.Task[dict[str, Any]]] = []

    async def start() -> None:
        runs.append(asyncio.create_task(bank.stand.start(agent_id, wait=60)))
        await asyncio.sleep(0.05)

    await start()
    for _ in range(2):  # the second takes away what the first put there
        add_encryption_key(house.keyring)
        newer = open_keyring(house.settings)
        rewrapping = asyncio.create_task(rewrap_credentials(house.units, newer))
        await start()
        await rewrapping
        await start()
    ended = await asyncio.gather(*runs)
    assert [run["status"] for run in ended] == ["completed"] * 5
    assert len(bank.here.asked) == 40
    assert all(headers["authorization"] == "Bearer head-canary-77" for _, headers in bank.here.asked)
