"""The two profiles, and the summary at the end."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conftest import MakePostgres
from tests.faults import report, scale
from tests.faults.place import Place, embedded_place, scaled_place
from tests.faults.processes import Launcher, Nursery, Plain, one_nursery

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
    variant = item.name.partition("[")[2].rstrip("]").split("-")
    return mark is not None and (not mark.args or any(name in variant for name in mark.args))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if lines := report.summary():
        terminalreporter.section(f"faults, seed {scale.SEED}")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    """Plain processes in the full run; forks of one that has everything imported when time is short."""
    return Plain() if scale.FULL else one_nursery()


@pytest.fixture(scope="session")
def quick_launcher(request: pytest.FixtureRequest) -> Generator[Launcher]:
    """For hundreds of starts: forks, unless `FAULTS_PLAIN=1` asks for plain processes."""
    if not (scale.FULL or scale.PLAIN):
        yield request.getfixturevalue("launcher")
        return
    found = Plain() if scale.PLAIN else Nursery()
    yield found
    found.close()


@pytest.fixture(params=["embedded", SCALED])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Place]:
    """An empty installation, on each profile in turn."""
    if request.param == "embedded":
        with embedded_place(tmp_path / "house") as found:
            yield found
        return
    yield from _scaled(request, tmp_path)


@pytest.fixture
def embedded(tmp_path: Path) -> Generator[Place]:
    with embedded_place(tmp_path / "house") as found:
        yield found


@pytest.fixture
def scaled(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Place]:
    """Mark the test `scaled`."""
    yield from _scaled(request, tmp_path)


def _scaled(request: pytest.FixtureRequest, folder: Path) -> Generator[Place]:
    """In the full run on a server of its own: others must not use up the connections of hundreds of starts."""
    urls = [request.getfixturevalue(name) for name in ("broker_url", "redis_url")]
    if scale.FULL:
        make: MakePostgres = request.getfixturevalue("private_postgres")
        urls.append(make().url)
    with scaled_place(folder / "house", *urls) as found:
        yield found
