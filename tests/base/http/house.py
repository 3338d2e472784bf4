"""A small house to hang a door in: a real database, a real keyring, accounts as they are."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from argon2 import PasswordHasher
from fastapi import FastAPI
from pydantic import SecretStr

from pilothouse.base.actor import SYSTEM, Role
from pilothouse.base.database import Database, metadata
from pilothouse.base.http import Door, Router, create_app
from pilothouse.base.keyring import open_keyring
from pilothouse.base.settings import Settings
from pilothouse.base.work import Units
from pilothouse.features import accounts
from pilothouse.features.accounts.routes import router as accounts_router

ORIGIN = "http://localhost:8000"
PASSWORD = "a long enough password"


@dataclass(slots=True)
class House:
    """Everything a test of the door may touch."""

    app: FastAPI
    door: Door
    units: Units
    reception: accounts.Reception

    def client(self, address: str = "192.0.2.1", **headers: str) -> httpx2.AsyncClient:
        """A caller from this address; with `Origin` it is a browser on our page."""
        transport = httpx2.ASGITransport(app=self.app, client=(address, 4000))
        return httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)

    async def add_user(self, email: str, role: Role = Role.MEMBER) -> str:
        made = await accounts.create_user(
            self.units, self.reception.passwords, email=email, name=email, password=PASSWORD, role=role
        )
        return made.id

    async def add_owner(self) -> httpx2.AsyncClient:
        """The owner's browser, signed in by the set-up link."""
        browser = self.client(Origin=ORIGIN)
        ask = {"token": await self.setup_token(), "name": "Owner", "email": "owner@example.com", "password": PASSWORD}
        answer = await browser.post("/api/setup/owner", json=ask)
        assert answer.status_code == 201, answer.text
        browser.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return browser

    async def setup_token(self) -> str:
        async with self.units.write(SYSTEM) as work:
            link = await accounts.make_owner_link(work, ORIGIN)
        return link.partition("#token=")[2]

    async def sign_in(self, email: str) -> httpx2.AsyncClient:
        browser = self.client(Origin=ORIGIN)
        answer = await browser.post("/api/auth/login", json={"email": email, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        browser.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return browser

    async def add_key(self, email: str, *scopes: str, limit: int | None = None) -> str:
        ask = accounts.ApiKeyIn(name="k", scopes=list(scopes), rate_limit_per_minute=limit)
        async with self.units.write(SYSTEM) as work:
            return (await accounts.create_api_key_for(work, email, ask)).key

    def program(self, key: str) -> httpx2.AsyncClient:
        return self.client(Authorization=f"Bearer {key}")


@asynccontextmanager
async def open_house(url: str, place: Path, *routers: Router, **settings: object) -> AsyncGenerator[House]:
    """A house on this database, its tables made."""
    config = Settings.model_validate(
        {"data_dir": place, "public_url": ORIGIN, "database_url": SecretStr(url), **settings}
    )
    database = Database(url)
    async with database.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    memories = accounts.Memories()
    units = Units(database, memories.handlers())
    keyring = open_keyring(config)
    cheap = accounts.Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    reception = accounts.Reception(units, keyring, memories, cheap)
    door = Door(config, keyring, units, reception)
    try:
        yield House(create_app(door, [accounts_router, *routers]), door, units, reception)
    finally:
        await database.close()
