"""The HTTP door with these routes, and callers in front of it: two people and their programs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from fastapi import FastAPI

from pilothouse.base.actor import Actor
from pilothouse.base.http import Door, Visit, create_app
from pilothouse.base.keyring import open_keyring
from pilothouse.base.settings import Settings
from pilothouse.base.work import Units
from pilothouse.features.agents.routes import routers
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import ApiKeyId, new_id

ORIGIN = "http://localhost:8000"


@dataclass
class Guests:
    """Knows everybody by a name on a list; who they are is all that the routes care about."""

    by_name: dict[str, Actor] = field(default_factory=dict[str, Actor])

    async def has_owner(self) -> bool:
        return True

    async def by_session(self, token: str) -> Visit | None:
        actor = self.by_name.get(token)
        return None if actor is None else Visit(actor, session_id=token, csrf_token="token")

    async def by_key(self, key: str) -> Actor | None:
        return self.by_name.get(key)


@dataclass
class Front:
    """Everything a test of these routes may touch."""

    app: FastAPI
    guests: Guests

    def browser(self, actor: Actor) -> httpx2.AsyncClient:
        self.guests.by_name[actor.user_id] = actor
        headers = {"Origin": ORIGIN, "X-CSRF-Token": "token", "Cookie": f"ph_session={actor.user_id}"}
        return self._client(headers)

    def program(self, actor: Actor, *scopes: str) -> httpx2.AsyncClient:
        key = new_id()
        self.guests.by_name[key] = Actor(actor.user_id, scopes=frozenset(scopes), key_id=ApiKeyId(key))
        return self._client({"Authorization": f"Bearer {key}"})

    def stranger(self) -> httpx2.AsyncClient:
        return self._client({"Origin": ORIGIN})

    def _client(self, headers: dict[str, str]) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=self.app), base_url=ORIGIN, headers=headers)


@asynccontextmanager
async def open_front(units: Units, catalogue: Catalogue, place: Path) -> AsyncGenerator[Front]:
    settings = Settings.model_validate({"data_dir": place, "public_url": ORIGIN})
    guests = Guests()
    app = create_app(Door(settings, open_keyring(settings), units, guests), routers())
    app.state.catalogue = catalogue
    yield Front(app, guests)
