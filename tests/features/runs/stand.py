"""A whole installation inside the test: its real house or houses, its HTTP app, and people with API keys."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from sqlalchemy import text

from pilothouse.app.api import build_app
from pilothouse.app.house import House, open_house
from pilothouse.base.actor import SYSTEM, Actor, Role
from pilothouse.base.database import Database
from pilothouse.base.http.gate import csrf_token
from pilothouse.base.settings import Settings
from pilothouse.features.accounts import ApiKeyIn, create_api_key_for
from pilothouse.features.accounts.models import User
from pilothouse.features.accounts.service.sessions import open_session
from pilothouse.features.agents import create_agent
from pilothouse.features.chat import Drive
from pilothouse.features.runs.writes import KIND
from pilothouse.kit.ids import UserId, new_id
from pilothouse.kit.json import Json, JsonObject
from pilothouse.migrations import HEAD
from tests.base.waiting import until

ORIGIN = "http://localhost:8000"
SCOPES = (
    *("agents:read", "agents:run", "agents:write", "chat:use", "files:read", "files:write"),
    *("runs:read", "runs:write"),
)


@dataclass(slots=True)
class Person:
    """Somebody with an API key, and a browser that is signed in."""

    actor: Actor
    key: str
    http: httpx2.AsyncClient
    browser: httpx2.AsyncClient

    async def leave(self) -> None:
        await self.http.aclose()
        await self.browser.aclose()


@dataclass(slots=True)
class Installation:
    """Its houses: embedded, `api` and `worker` are one."""

    settings: Settings
    api: House
    worker: House
    app: FastAPI

    @asynccontextmanager
    async def stand(self) -> AsyncGenerator["Stand"]:
        ann = await self.person()
        try:
            yield Stand(self, ann)
        finally:
            await ann.leave()

    async def person(self, role: Role = Role.MEMBER) -> Person:
        async with self.api.units.write(SYSTEM) as work:
            user = _user(role)
            user.created_at = work.now
            work.session.add(user)
            await work.session.flush()
            token = open_session(work, user, "tests").token
            ask = ApiKeyIn(name="tests", scopes=list(SCOPES), rate_limit_per_minute=1_000_000)
            key = (await create_api_key_for(work, user.email, ask)).key
        csrf = csrf_token(self.api.keyring, token)
        browser = self.client({"Origin": ORIGIN, "X-CSRF-Token": csrf, "Cookie": f"ph_session={token}"})
        return Person(Actor(UserId(user.id)), key, self.client({"Authorization": f"Bearer {key}"}), browser)

    def client(self, headers: Mapping[str, str]) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=self.app), base_url=ORIGIN, headers=dict(headers))


@dataclass(slots=True)
class Stand:
    """Everything that a test of runs may touch. Ann is new; others may have used the installation before."""

    house: Installation
    ann: Person

    async def agent(self, document: JsonObject, person: Person | None = None) -> str:
        graph: Json = document
        async with self.house.api.units.write((person or self.ann).actor) as work:
            return (await create_agent(work, self.house.api.registry, graph)).id

    async def start(self, agent_id: str, /, *, wait: int | None = None, **inputs: Any) -> dict[str, Any]:
        """Ann starts a run; with `wait`, its end."""
        headers = {"Prefer": f"wait={wait}"} if wait else {}
        answer = await self.ann.http.post(f"/api/v1/agents/{agent_id}/runs", json={"inputs": inputs}, headers=headers)
        assert answer.status_code == (200 if wait else 201), answer.text
        return answer.json()

    async def run(self, document: JsonObject, /, **inputs: Any) -> dict[str, Any]:
        """A run of a new agent, to its end."""
        return await self.start(await self.agent(document), wait=30, **inputs)

    async def get(self, run_id: str) -> dict[str, Any]:
        answer = await self.ann.http.get(f"/api/v1/runs/{run_id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def reaches(self, run_id: str, *statuses: str, seconds: float = 20) -> dict[str, Any]:
        """The run once it has one of these statuses."""
        found: dict[str, Any] = {}

        async def there() -> bool:
            found.update(await self.get(run_id))
            return found["status"] in statuses

        await until(there, seconds)
        return found

    async def events(self, run_id: str, after: int = 0) -> list[dict[str, Any]]:
        answer = await self.ann.http.get(
            f"/api/v1/runs/{run_id}/events", params={"after": after, "follow": "false", "limit": 1000}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        return await self.house.api.reader.rows(sql, *params)

    async def tell(self, sql: str, **params: Any) -> None:
        """Change rows behind everybody's back."""
        async with self.house.api.units.write(SYSTEM) as work:
            await work.session.execute(text(sql), params)

    def ring(self, run_id: str) -> None:
        """Tell the workers of a run that was queued behind their back; else they find it when they look."""
        self.house.api.bell.ring(KIND, [run_id])

    async def count(self, table: str) -> int:
        """How many rows of this table are Ann's."""
        return (await self.rows(f"select count(*) from {table} where user_id=?1", self.ann.actor.user_id))[0][0]


def _user(role: Role) -> User:
    user_id = new_id()
    return User(
        id=user_id,
        email=f"{user_id}@example.com",
        name="Ann",
        role=role,
        password_hash="nobody signs in here",
        timezone="UTC",
        preferences={},
    )


async def stamp(url: str) -> None:
    """Say that the schema, which the template made without migrations, is the newest."""
    database = Database(url, pool_size=2)
    async with database.engine.begin() as connection:
        await connection.execute(text("create table alembic_version (version_num varchar(32) primary key)"))
        await connection.execute(text(f"insert into alembic_version values ('{HEAD}')"))
    await database.close()


@asynccontextmanager
async def open_installation(settings: Settings, drive: Drive | None = None) -> AsyncGenerator[Installation]:
    """Open the house, or with a broker one for the API and one for the worker, and give it an owner."""
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(open_house(settings, serves=True))
        worker = api if api.profile.embedded else await stack.enter_async_context(open_house(settings, serves=True))
        stack.push_async_callback(worker.end_work)
        await worker.begin_work(drive)
        stack.callback(api.stopping.set)
        installation = Installation(settings, api, worker, build_app(api, registry=CollectorRegistry()))
        if not await api.reader.rows("select 1 from users where role='owner'"):
            await (await installation.person(Role.OWNER)).leave()
        yield installation
