"""One installation per profile for all tests of runs in this process; every test comes as new people."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.base.settings import Settings
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs.stand import ORIGIN, Installation, Stand, open_installation, stamp
from tests.lines import settings_of_lines

SCALED = pytest.param("scaled", marks=pytest.mark.scaled)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The installations live in one loop, so the tests of this folder must too."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


def settings_for(folder: Path, **more: Any) -> Settings:
    fixed = {"public_url": ORIGIN, "test_blocks": True, "shutdown_grace_seconds": 0.5, "worker_concurrency": 16}
    caps = {"max_parallel_runs": 3, "user_max_runs": 4}
    return Settings.model_validate({"data_dir": folder, **fixed, **caps, **more})


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Installation]:
    folder = tmp_path_factory.mktemp("embedded")
    with fresh_sqlite(folder) as url:
        await stamp(url)
        async with open_installation(settings_for(folder)) as opened:
            yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scaled(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[Installation]:
    lines = settings_of_lines(broker_url, own_redis_url)
    with fresh_postgres() as url:
        await stamp(url)
        settings = settings_for(tmp_path_factory.mktemp("scaled"), database_url=url, **lines)
        async with open_installation(settings) as opened:
            yield opened


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
