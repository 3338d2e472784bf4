"""One installation per profile for all tests of AutoPilot in this process; every test comes as new people."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.autopilot import rounds
from pilothouse.autopilot.faults import Fault, pause_before
from tests.autopilot.bridge import Bridge, leave_nothing, open_bridge
from tests.autopilot.room import Room, open_room
from tests.autopilot.stage import Stage, open_stage
from tests.autopilot.switch import Switch
from tests.autopilot.till import Till, open_till
from tests.features.runs.installations import open_embedded, open_scaled, share_one_loop
from tests.features.runs.stand import Installation
from tests.lines import settings_of_lines

SCALED = pytest.param("scaled_pilot", marks=pytest.mark.scaled)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded_pilot(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Installation]:
    async with open_embedded(tmp_path_factory.mktemp("embedded_pilot"), worker_concurrency=60) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scaled_pilot(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[Installation]:
    lines = settings_of_lines(broker_url, own_redis_url)
    async with open_scaled(tmp_path_factory.mktemp("scaled_pilot"), lines, worker_concurrency=60) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def switched(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Installation, Switch]]:
    """One whose models a test chooses."""
    folder, switch = tmp_path_factory.mktemp("switched_pilot"), Switch()
    async with open_embedded(folder, switch.drive, worker_concurrency=60) as opened:
        yield opened, switch


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def switched_scaled(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[tuple[Installation, Switch]]:
    """The same, scaled."""
    lines = settings_of_lines(broker_url, own_redis_url)
    folder, switch = tmp_path_factory.mktemp("switched_scaled"), Switch()
    async with open_scaled(folder, lines, switch.drive, worker_concurrency=60) as opened:
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
        await leave_nothing(stand)


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


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed model call is made again after a hundredth of its time; `test_faults.py` holds the whole of it."""

    def sooner(attempt: int, fault: Fault) -> float:
        return pause_before(attempt, fault) / 100

    monkeypatch.setattr(rounds, "pause_before", sooner)


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
