"""Installations to command."""

import signal
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import pytest

from pilothouse.base.database import Database
from pilothouse.kit.json import dumps
from tests import databases
from tests.app.commands import Cli, Forks, Served
from tests.databases import sqlite_url
from tests.faults.agents import Chain
from tests.features.agents.graphs import greeter

# A shell that starts us in the background has us ignore Ctrl-C, and whoever we start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def forks() -> Generator[Forks]:
    forks = Forks()
    yield forks
    forks.close()


@pytest.fixture
def cli(tmp_path: Path, forks: Forks) -> Cli:
    """An installation on SQLite that does not exist yet."""
    return Cli(tmp_path, forks)


@pytest.fixture
def empty_postgres() -> Generator[str]:
    """A PostgreSQL database without a table. Mark the test `scaled`."""
    with databases.empty_postgres() as url:
        yield url


@pytest.fixture
def serve() -> Generator[Callable[..., Served]]:
    """Starts servers that are gone when the test ends."""
    started: list[Served] = []

    def start(cli: Cli, *words: str, **variables: str) -> Served:
        started.append(cli.serve(*words, **variables))
        return started[-1]

    yield start
    for each in started:
        each.kill()


@pytest.fixture
def greeter_file(tmp_path: Path) -> Path:
    path = tmp_path / "greeter.json"
    path.write_text(dumps(greeter()))
    return path


@pytest.fixture
def slow_file(tmp_path: Path) -> Path:
    """An agent that takes its time, in steps; needs the test blocks."""
    path = tmp_path / "slow.json"
    chain = Chain("slow")
    for seconds in (0.2, 0.2, 0.2, 0.4, 1.0):
        chain.sum().sleep(seconds)
    path.write_text(dumps(chain.document()))
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.scaled)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A database without tables, on each dialect in turn."""
    if request.param == "sqlite":
        yield sqlite_url(tmp_path / "pilothouse.db")
        return
    with databases.empty_postgres() as url:
        yield url


@pytest.fixture
async def database(empty_url: str) -> AsyncGenerator[Database]:
    made = Database(empty_url, pool_size=2)
    yield made
    await made.close()
