"""Where an installation under test keeps its state: a data directory, or a database, a broker and Redis."""

import os
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pilothouse.app.house import House, open_house
from pilothouse.base.actor import SYSTEM, Actor
from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader, Reader, SqliteReader
from pilothouse.base.settings import Settings
from pilothouse.features.accounts import ApiKeyIn, create_api_key_for, create_user, make_owner_link
from pilothouse.features.accounts.schemas import OwnerIn
from pilothouse.features.accounts.service.setup import create_owner
from pilothouse.features.agents import create_agent
from pilothouse.kit.ids import UserId
from pilothouse.kit.json import Json, JsonObject
from scripts.programs import free_port
from tests import services
from tests.databases import apart, at_database, tell
from tests.faults.agents import called
from tests.faults.processes import ROOT
from tests.faults.scale import LEASE_SECONDS

PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class Place:
    """The settings that all processes of one installation share."""

    folder: Path
    port: int = field(default_factory=free_port)
    database_url: str | None = None
    broker_url: str | None = None
    redis_url: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict[str, str])
    data_dir: Path | None = None

    @property
    def embedded(self) -> bool:
        return self.database_url is None

    @property
    def data(self) -> Path:
        return self.data_dir or self.folder / "data"

    @property
    def broker_prefix(self) -> str:
        """What the names of its queues begin with."""
        return f"ph_fault_{self.port}"

    def settings(self) -> dict[str, str]:
        urls = {"DATABASE_URL": self.database_url, "BROKER_URL": self.broker_url, "REDIS_URL": self.redis_url}
        named = {
            "DATA_DIR": str(self.data),
            "PORT": str(self.port),
            "BROKER_PREFIX": self.broker_prefix,
            "TEST_BLOCKS": "true",
            "LOG_FORMAT": "json",
            "MIGRATE": "auto",
            "LEASE_SECONDS": str(LEASE_SECONDS),
            "DATABASE_CONNECT_TIMEOUT": "20",
            **{name: url for name, url in urls.items() if url is not None},
            **self.extra,
        }
        return {f"PILOTHOUSE_{name}": value for name, value in named.items()}

    def environment(self, **more: str) -> dict[str, str]:
        """For a process: no variable of ours that this machine happens to have, and no `.env`."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PILOTHOUSE_")}
        path = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PYTHONUNBUFFERED": "1"}
        ours = {f"PILOTHOUSE_{name}": value for name, value in more.items()}
        return {**inherited, **path, **self.settings(), **ours}

    def read_settings(self) -> Settings:
        """The same settings, for this very process."""
        values = {name.removeprefix("PILOTHOUSE_").lower(): value for name, value in self.settings().items()}
        return Settings.model_validate(values)

    def reader(self) -> Reader:
        if self.database_url is None:
            return SqliteReader(self.data / "pilothouse.db")
        return PostgresReader(dsn_of(self.database_url), size=2)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who runs agents."""

    user_id: str
    key: str
    agents: dict[str, str]  # id by name

    @property
    def actor(self) -> Actor:
        return Actor(UserId(self.user_id))


async def furnish(place: Place, documents: Mapping[str, JsonObject], *, people: int = 1) -> list[Person]:
    """Make the schema, people with keys, and their agents, before any process starts."""
    async with open_house(place.read_settings(), serves=False) as house:
        await _settle_owner(house)
        found = [await _invite(house, f"person{number}@example.com", documents) for number in range(people)]
    return found


async def _settle_owner(house: House) -> None:
    """Without an owner an installation lets nobody in."""
    async with house.units.write(SYSTEM) as work:
        link = await make_owner_link(work, "http://localhost")
    words = {"name": "Owner", "email": "owner@example.com", "password": PASSWORD}
    ask = OwnerIn.model_validate({"token": link.partition("token=")[2], **words})
    await create_owner(house.reception, ask, address="127.0.0.1", device="tests")


async def _invite(house: House, email: str, documents: Mapping[str, JsonObject]) -> Person:
    user = await create_user(house.units, house.reception.passwords, email=email, name=email, password=PASSWORD)
    scopes = ["agents:run", "runs:read", "runs:write", "chat:use", "files:read"]
    ask = ApiKeyIn(name="tests", scopes=scopes, rate_limit_per_minute=10_000_000)
    async with house.units.write(SYSTEM) as work:
        key = (await create_api_key_for(work, email, ask)).key
    agents: dict[str, str] = {}
    async with house.units.write(Actor(UserId(user.id))) as work:
        for name, document in documents.items():
            graph: Json = called(document, agents)
            agents[name] = (await create_agent(work, house.registry, graph)).id
    return Person(user.id, key, agents)


@contextmanager
def embedded_place(folder: Path, **extra: str) -> Generator[Place]:
    folder.mkdir(parents=True, exist_ok=True)
    yield Place(folder, extra=extra)


@contextmanager
def scaled_place(
    folder: Path, broker_url: str, redis_url: str, server: str | None = None, **extra: str
) -> Generator[Place]:
    """A database of its own, on the shared server unless another is named."""
    folder.mkdir(parents=True, exist_ok=True)
    server = server or services.need("postgres")
    name = f"ph_fault_{uuid.uuid4().hex[:12]}"
    apart(tell(server, f'create database "{name}" template template0 encoding utf8'))
    try:
        yield Place(
            folder,
            database_url=at_database(server, name),
            broker_url=broker_url,
            redis_url=redis_url,
            extra=extra,
        )
    finally:
        apart(tell(server, f'drop database if exists "{name}" with (force)'))
