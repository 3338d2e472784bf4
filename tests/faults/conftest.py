"""The two profiles, and the summary at the end."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.faults import report, scale
from tests.faults.place import Place, embedded_place, scaled_place
from tests.faults.processes import Launcher, Nursery, Plain

SCALED = pytest.param("scaled", marks=pytest.mark.scaled)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    late: list[pytest.Item] = []
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.fault)
            if scale.FULL:
                item.add_marker(pytest.mark.timeout(3600))
        if not scale.FULL and _is_for_later(item):
            late.append(item)
    items[:] = [item for item in items if item not in late]
    config.hook.pytest_deselected(items=late)


def _is_for_later(item: pytest.Item) -> bool:
    """`later("scaled")` keeps the slow one of two profiles for the full run, `later()` the whole test."""
    mark = item.get_closest_marker("later")
    return mark is not None and (not mark.args or any(f"[{name}]" in item.name for name in mark.args))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if lines := report.summary():
        terminalreporter.section(f"faults, seed {scale.SEED}")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def launcher() -> Generator[Launcher]:
    """Plain processes in the full run; forks of one that has everything imported when time is short."""
    found = Plain() if scale.FULL else Nursery()
    yield found
    found.close()


@pytest.fixture(params=["embedded", SCALED])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Place]:
    """An empty installation, on each profile in turn."""
    if request.param == "embedded":
        with embedded_place(tmp_path / "house") as found:
            yield found
        return
    broker_url, redis_url = request.getfixturevalue("broker_url"), request.getfixturevalue("redis_url")
    with scaled_place(tmp_path / "house", broker_url, redis_url) as found:
        yield found


@pytest.fixture
def embedded(tmp_path: Path) -> Generator[Place]:
    with embedded_place(tmp_path / "house") as found:
        yield found


@pytest.fixture
def scaled(tmp_path: Path, broker_url: str, redis_url: str) -> Generator[Place]:
    """Mark the test `scaled`."""
    with scaled_place(tmp_path / "house", broker_url, redis_url) as found:
        yield found
