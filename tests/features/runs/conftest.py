"""One installation per profile for all tests of runs in this process; every test comes as new people."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.features.runs.installations import open_embedded, open_scaled, share_one_loop
from tests.features.runs.stand import Installation, Stand
from tests.lines import new_prefix, settings_of_lines

SCALED = pytest.param("scaled", marks=pytest.mark.scaled)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Installation]:
    async with open_embedded(tmp_path_factory.mktemp("embedded")) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scaled(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[Installation]:
    lines = settings_of_lines(broker_url, own_redis_url)
    async with open_scaled(tmp_path_factory.mktemp("scaled"), lines) as opened:
        yield opened


@pytest.fixture(params=["embedded", SCALED])
def lines(request: pytest.FixtureRequest) -> dict[str, str]:
    """What the profile needs beside a database, for an installation of the test's own."""
    if request.param == "embedded":
        return {}
    urls = {name: request.getfixturevalue(f"{own}{name}") for name, own in (("broker_url", ""), ("redis_url", "own_"))}
    return {**urls, "broker_prefix": new_prefix()}


@pytest.fixture(params=["embedded", SCALED])
def installation(request: pytest.FixtureRequest) -> Installation:
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def stand(installation: Installation) -> AsyncGenerator[Stand]:
    """On each profile in turn."""
    async with installation.stand() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def small(embedded: Installation) -> AsyncGenerator[Stand]:
    """Embedded only, where the profile does not matter."""
    async with embedded.stand() as opened:
        yield opened
