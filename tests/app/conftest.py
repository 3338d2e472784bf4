"""Installations to command."""

import signal
import uuid
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from pilothouse.kit.json import dumps
from tests import services
from tests.app.commands import Cli, Forks, Served
from tests.databases import apart, at_database, tell
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
    server = services.need("postgres")
    name = f"ph_test_{uuid.uuid4().hex[:16]}"
    apart(tell(server, f'create database "{name}" template template0 encoding utf8'))
    try:
        yield at_database(server, name)
    finally:
        apart(tell(server, f'drop database if exists "{name}" with (force)'))


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
