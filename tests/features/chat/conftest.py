"""One installation per profile for all tests of chat in this process; every test comes as new people."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.features.chat.actors import Actor
from tests.features.chat.parlour import Parlour
from tests.features.runs.installations import open_embedded, open_scaled, share_one_loop
from tests.features.runs.stand import Installation
from tests.lines import settings_of_lines

SCALED = pytest.param("scaled_chat", marks=pytest.mark.scaled)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_chat(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[tuple[Installation, Actor]]:
    folder, actor = tmp_path_factory.mktemp("embedded_chat"), Actor()
    async with open_embedded(folder, actor.drive, worker_concurrency=60) as opened:
        yield opened, actor


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scaled_chat(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[tuple[Installation, Actor]]:
    lines = settings_of_lines(broker_url, own_redis_url)
    folder, actor = tmp_path_factory.mktemp("scaled_chat"), Actor()
    async with open_scaled(folder, lines, actor.drive, worker_concurrency=60) as opened:
        yield opened, actor


@pytest.fixture(params=["embedded_chat", SCALED])
def opened(request: pytest.FixtureRequest) -> tuple[Installation, Actor]:
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def parlour(opened: tuple[Installation, Actor]) -> AsyncGenerator[Parlour]:
    """On each profile in turn."""
    installation, actor = opened
    async with installation.stand() as stand:
        yield Parlour(stand, actor)


@pytest_asyncio.fixture(loop_scope="session")
async def small(embedded_chat: tuple[Installation, Actor]) -> AsyncGenerator[Parlour]:
    """Embedded only, where the profile does not matter."""
    installation, actor = embedded_chat
    async with installation.stand() as stand:
        yield Parlour(stand, actor)
