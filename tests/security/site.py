"""The whole application over a real house, and the people and programs in front of it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
from argon2 import PasswordHasher
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from sqlalchemy import text, update

from pilothouse.app.api import build_app
from pilothouse.app.house import House, open_house
from pilothouse.app.openapi import documented_app
from pilothouse.base.actor import SYSTEM, Actor, Role
from pilothouse.base.database import Database
from pilothouse.base.http import describe
from pilothouse.base.http.gate import csrf_token
from pilothouse.base.settings import Settings
from pilothouse.features import accounts
from pilothouse.features.accounts.models import LoginSession, User
from pilothouse.features.accounts.schemas import OwnerIn
from pilothouse.features.accounts.service import create_owner
from pilothouse.features.accounts.service.sessions import open_session
from pilothouse.kit.ids import UserId
from pilothouse.migrations import HEAD

ORIGIN = "http://localhost:8000"
PASSWORD = "a long enough password"
OWNER = "owner@example.com"
MANY = 10_000_000
ADDRESSES = count(1)


@dataclass(slots=True)
class Person:
    """Somebody with an account."""

    id: str
    email: str
    role: Role

    @property
    def actor(self) -> Actor:
        return Actor(UserId(self.id), self.role)


@dataclass(slots=True)
class Site:
    """Everything a test of the whole application may touch."""

    house: House
    app: FastAPI
    owner: Person
    _people: dict[str, Person] = field(default_factory=dict[str, Person])

    @property
    def document(self) -> dict[str, Any]:
        """The OpenAPI document."""
        return api_document()

    def client(self, **headers: str) -> httpx2.AsyncClient:
        """A caller from an address of its own, so that no throttle speaks in place of the gate."""
        number = next(ADDRESSES)
        transport = httpx2.ASGITransport(app=self.app, client=(f"198.18.{number // 250 % 250}.{number % 250}", 4000))
        return httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers, timeout=20)

    async def person(self, name: str, role: Role = Role.MEMBER) -> Person:
        """The person of this name, made when first asked for."""
        email = f"{name}@example.com"
        if email not in self._people:
            made = await accounts.create_user(
                self.house.units, self.house.reception.passwords, email=email, name=name, password=PASSWORD, role=role
            )
            self._people[email] = Person(made.id, email, role)
        return self._people[email]

    async def session(self, person: Person) -> str:
        """A new session's cookie value."""
        async with self.house.units.write(SYSTEM) as work:
            user = await work.session.get_one(User, person.id)
            return open_session(work, user, "tests").token

    def cookie(self, token: str) -> dict[str, str]:
        return {"Cookie": f"ph_session={token}"}

    def headers_of(self, token: str) -> dict[str, str]:
        """All that our own page sends."""
        return {**self.cookie(token), "Origin": ORIGIN, "X-CSRF-Token": csrf_token(self.house.keyring, token)}

    async def browser(self, person: Person) -> httpx2.AsyncClient:
        """Our page, with this person signed in."""
        return self.client(**self.headers_of(await self.session(person)))

    async def expire(self, token_of: Person) -> None:
        """Let all sessions of a person run out."""
        async with self.house.units.write(SYSTEM) as work:
            past = work.now - timedelta(seconds=1)
            ended = update(LoginSession).where(LoginSession.user_id == token_of.id).values(expires_at=past)
            await work.session.execute(ended)

    async def key(self, person: Person, *scopes: str) -> tuple[str, str]:
        """A new key's id and value."""
        ask = accounts.ApiKeyIn(name="tests", scopes=list(scopes), rate_limit_per_minute=MANY)
        async with self.house.units.write(SYSTEM) as work:
            made = await accounts.create_api_key_for(work, person.email, ask)
        return made.row.id, made.key

    async def program(self, person: Person, *scopes: str) -> httpx2.AsyncClient:
        return self.client(Authorization=f"Bearer {(await self.key(person, *scopes))[1]}")


@cache
def api_document() -> dict[str, Any]:
    """It is the same for every house, and takes longer to write than a house to open."""
    return describe(documented_app())


@asynccontextmanager
async def open_site(place: Path, url: str, **settings: object) -> AsyncGenerator[Site]:
    """An installation with its owner, on a database that has our tables; nothing works on jobs."""
    values: dict[str, object] = {
        "data_dir": place / "data",
        "public_url": ORIGIN,
        "database_url": url,
        "rate_limit_per_minute": MANY,
        "max_parallel_runs": 10_000,
        "user_max_runs": 10_000,
        **settings,
    }
    await stamp(url)
    async with open_house(Settings.model_validate(values), serves=False) as house:
        house.reception.passwords = accounts.Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        app = build_app(house, registry=CollectorRegistry())
        app.state.gate.rates.per_address = MANY
        app.state.stopping = asyncio.Event()
        app.state.stopping.set()  # streams end at once: what they would wait for nobody does here
        yield Site(house, app, await settle_owner(house))


async def settle_owner(house: House) -> Person:
    async with house.units.write(SYSTEM) as work:
        link = await accounts.make_owner_link(work, ORIGIN)
    ask = OwnerIn.model_validate(
        {"token": link.partition("#token=")[2], "name": "Owner", "email": OWNER, "password": PASSWORD}
    )
    signed_in = await create_owner(house.reception, ask, address="127.0.0.1", device="tests")
    return Person(signed_in.user.id, OWNER, Role.OWNER)


async def stamp(url: str) -> None:
    """Say of a database whose tables were made from the metadata that it is as new as can be."""
    database = Database(url, pool_size=2)
    async with database.engine.begin() as connection:
        await connection.execute(text("create table if not exists alembic_version (version_num varchar(32) not null)"))
        await connection.execute(text("delete from alembic_version"))
        await connection.execute(text("insert into alembic_version values (:head)"), {"head": HEAD})
    await database.close()
