"""One installation per profile for all tests of AutoPilot in this process; every test comes as new people."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.autopilot.bridge import Bridge, open_bridge
from tests.autopilot.room import Room, open_room
from tests.autopilot.stage import Stage, open_stage
from tests.autopilot.switch import Switch
from tests.autopilot.till import Till, open_till
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs.conftest import settings_for
from tests.features.runs.stand import Installation, open_installation, stamp
from tests.lines import settings_of_lines

SCALED = pytest.param("scaled_pilot", marks=pytest.mark.scaled)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The installations live in one loop, so the tests of this folder must too."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_pilot(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Installation]:
    folder = tmp_path_factory.mktemp("embedded_pilot")
    with fresh_sqlite(folder) as url:
        await stamp(url)
        async with open_installation(settings_for(folder, worker_concurrency=60)) as opened:
            yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scaled_pilot(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[Installation]:
    lines = settings_of_lines(broker_url, own_redis_url)
    folder = tmp_path_factory.mktemp("scaled_pilot")
    with fresh_postgres() as url:
        await stamp(url)
        async with open_installation(settings_for(folder, database_url=url, worker_concurrency=60, **lines)) as opened:
            yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def switched(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Installation, Switch]]:
    """One whose models a test chooses."""
    folder, switch = tmp_path_factory.mktemp("switched_pilot"), Switch()
    with fresh_sqlite(folder) as url:
        await stamp(url)
        async with open_installation(settings_for(folder, worker_concurrency=60), switch.drive) as opened:
            yield opened, switch


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def switched_scaled(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[tuple[Installation, Switch]]:
    """The same, scaled."""
    lines = settings_of_lines(broker_url, own_redis_url)
    folder, switch = tmp_path_factory.mktemp("switched_scaled"), Switch()
    with fresh_postgres() as url:
        await stamp(url)
        settings = settings_for(folder, database_url=url, worker_concurrency=60, **lines)
        async with open_installation(settings, switch.drive) as opened:
            yield opened, switch


@pytest.fixture(params=["switched", pytest.param("switched_scaled", marks=pytest.mark.scaled)])
def either(request: pytest.FixtureRequest) -> tuple[Installation, Switch]:
    """Models of the test's choosing, on each profile in turn."""
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def room(either: tuple[Installation, Switch]) -> AsyncGenerator[Room]:
    """A scripted model that reacts to what it is told, on each profile in turn."""
    async with either[0].stand() as stand, open_room(await open_bridge(stand), either) as opened:
        yield opened


@pytest.fixture(params=["embedded_pilot", SCALED])
def opened(request: pytest.FixtureRequest) -> Installation:
    return request.getfixturevalue(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def bridge(opened: Installation) -> AsyncGenerator[Bridge]:
    """On each profile in turn."""
    async with opened.stand() as stand:
        yield await open_bridge(stand)


@pytest_asyncio.fixture(loop_scope="session")
async def small(embedded_pilot: Installation) -> AsyncGenerator[Bridge]:
    """Embedded only, where the profile does not matter."""
    async with embedded_pilot.stand() as stand:
        yield await open_bridge(stand)


@pytest_asyncio.fixture(loop_scope="session")
async def chosen(switched: tuple[Installation, Switch]) -> AsyncGenerator[Bridge]:
    """Embedded, with models and tools of the test's choosing."""
    async with switched[0].stand() as stand:
        yield await open_bridge(stand)


@pytest_asyncio.fixture(loop_scope="session")
async def stage(switched: tuple[Installation, Switch]) -> AsyncGenerator[Stage]:
    """Embedded, with a scripted provider, where the profile does not matter."""
    async with open_stage(switched) as opened_stage:
        yield opened_stage


@pytest_asyncio.fixture(loop_scope="session")
async def both(either: tuple[Installation, Switch]) -> AsyncGenerator[Stage]:
    """The same on each profile in turn."""
    async with open_stage(either) as opened_stage:
        yield opened_stage


@pytest_asyncio.fixture(loop_scope="session")
async def till(either: tuple[Installation, Switch]) -> AsyncGenerator[Till]:
    """On each profile in turn, with providers of the test's choosing."""
    async with open_till(either) as opened_till:
        yield opened_till


@pytest_asyncio.fixture(loop_scope="session")
async def small_till(switched: tuple[Installation, Switch]) -> AsyncGenerator[Till]:
    """The same embedded, where the profile does not matter."""
    async with open_till(switched) as opened_till:
        yield opened_till
