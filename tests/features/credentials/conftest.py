"""An installation per profile that may reach two servers on this machine."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from tests.features.credentials.echo import Echo, echo
from tests.features.runs.installations import open_embedded, open_scaled, share_one_loop
from tests.features.runs.stand import Installation, Stand
from tests.lines import settings_of_lines

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)


@dataclass(slots=True)
class Bank:
    """A stand, and whom its agents may ask."""

    stand: Stand
    here: Echo
    there: Echo


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def servers() -> AsyncGenerator[tuple[Echo, Echo]]:
    async with echo() as here, echo() as there:
        yield here, there


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_bank(
    tmp_path_factory: pytest.TempPathFactory, servers: tuple[Echo, Echo]
) -> AsyncGenerator[Installation]:
    folder, allowed = tmp_path_factory.mktemp("bank"), tuple(server.host for server in servers)
    async with open_embedded(folder, egress_allow=allowed, user_max_runs=100) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scaled_bank(
    tmp_path_factory: pytest.TempPathFactory, servers: tuple[Echo, Echo], broker_url: str, own_redis_url: str
) -> AsyncGenerator[Installation]:
    folder, allowed = tmp_path_factory.mktemp("scaled_bank"), tuple(server.host for server in servers)
    lines = settings_of_lines(broker_url, own_redis_url)
    async with open_scaled(folder, lines, egress_allow=allowed, user_max_runs=100) as opened:
        yield opened


@pytest.fixture(params=["embedded_bank", pytest.param("scaled_bank", marks=pytest.mark.scaled)])
def installation(request: pytest.FixtureRequest) -> Installation:
    """On each profile in turn."""
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def bank(installation: Installation, servers: tuple[Echo, Echo]) -> AsyncGenerator[Bank]:
    for server in servers:
        server.asked.clear()
        server.most, server.slow, server.crowd = 0, 0.0, 0
        server.whole.clear()
    async with installation.stand() as stand:
        yield Bank(stand, *servers)
