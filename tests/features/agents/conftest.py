"""Two users, a database, and the blocks that are installed."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
from pilothouse.base.work import Units, Work
from pilothouse.blocks.registry import Registry
from pilothouse.features.agents.events import AgentActivated, AgentDeleted, AgentFact, AgentSaved
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import UserId, new_id
from tests.features.agents.front import Front, open_front


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Registry()


@pytest.fixture
def alice() -> Actor:
    return Actor(user_id=UserId(new_id()))


@pytest.fixture
def bob() -> Actor:
    return Actor(user_id=UserId(new_id()))


@pytest.fixture
def facts() -> list[AgentFact]:
    """What was told to the handlers, in order."""
    return []


@pytest.fixture
async def database(database_url: str) -> AsyncGenerator[Database]:
    database = Database(database_url, pool_size=4)
    yield database
    await database.close()


@pytest.fixture
def units(database: Database, facts: list[AgentFact]) -> Units:
    async def hear(work: Work, fact: AgentFact) -> None:
        facts.append(fact)

    return Units(database, {fact: [hear] for fact in (AgentSaved, AgentActivated, AgentDeleted)})


@pytest.fixture
async def front(units: Units, catalogue: Catalogue, tmp_path: Path) -> AsyncGenerator[Front]:
    async with open_front(units, catalogue, tmp_path) as front:
        yield front


@pytest.fixture
async def small_front(sqlite_url: str, catalogue: Catalogue, tmp_path: Path) -> AsyncGenerator[Front]:
    """On SQLite only, where state does not matter."""
    database = Database(sqlite_url, pool_size=2)
    async with open_front(Units(database), catalogue, tmp_path) as front:
        yield front
    await database.close()
