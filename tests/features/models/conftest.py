"""An installation per profile, with a provider on loopback for whoever asks."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.base.actor import Role
from tests.features.runs.conftest import embedded, scaled
from tests.features.runs.installations import share_one_loop
from tests.features.runs.stand import Installation, Person

__all__ = ["embedded", "scaled"]

SCALED = pytest.param("scaled", marks=pytest.mark.scaled)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)


@pytest.fixture(params=["embedded", SCALED])
def installation(request: pytest.FixtureRequest) -> Installation:
    """On each profile in turn."""
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def admin(installation: Installation) -> AsyncGenerator[Person]:
    person = await installation.person(Role.ADMIN)
    yield person
    await person.leave()
    async with installation.api.units.write(person.actor) as work:
        connection = await work.session.connection()
        await connection.exec_driver_sql("delete from model_connections")


@pytest_asyncio.fixture(loop_scope="session")
async def member(installation: Installation) -> AsyncGenerator[Person]:
    person = await installation.person()
    yield person
    await person.leave()
