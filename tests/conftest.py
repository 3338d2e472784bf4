"""Fixtures that any test may ask for: databases, brokers, and servers that may be killed."""

import gc
import os
import uuid
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeAlias, TypeVar

import pytest
import structlog

from scripts import packages
from scripts.programs import installed
from scripts.servers import Postgres, RabbitMQ, Redis, Server
from tests import services, timing
from tests.databases import drop_template, fresh_postgres, fresh_sqlite
from tests.lines import flush, new_prefix, own_rabbitmq, own_redis
from tests.places import quick_place

# Without this a logged fault is drawn with the values of all its frames, which takes the loop half a minute.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
)

S = TypeVar("S", bound=Server)
S_co = TypeVar("S_co", bound=Server, covariant=True)


class Make(Protocol[S_co]):
    """Makes a server; `start` False: it has its place and its port, and does not run yet."""

    def __call__(self, *, start: bool = True) -> S_co: ...


MakePostgres: TypeAlias = Make[Postgres]
MakeRedis: TypeAlias = Make[Redis]
MakeRabbitMQ: TypeAlias = Make[RabbitMQ]

POSTGRES = pytest.param("postgres", marks=pytest.mark.scaled)
run_key = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.stash[run_key] = services.open_run(quick_place())
        if os.environ.get("CI") == "true":  # before any server of the tests looks for it
            packages.ensure("bwrap", "bubblewrap")


def pytest_unconfigure(config: pytest.Config) -> None:
    if (folder := config.stash.get(run_key, None)) is not None:
        drop_template()
        services.close_run(folder)


def pytest_collection_finish() -> None:
    """As a process that serves: what was imported and collected stays, and no collection looks at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    if told := timing.lines(report for report in reports if isinstance(report, pytest.TestReport)):
        terminalreporter.section("seconds of tests by folder")
        terminalreporter.write_line("\n".join(told))


@pytest.fixture(params=["sqlite", POSTGRES])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A database with our schema and no rows, on each dialect in turn."""
    with fresh_sqlite(tmp_path) if request.param == "sqlite" else fresh_postgres() as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> Generator[str]:
    with fresh_sqlite(tmp_path) as url:
        yield url


@pytest.fixture
def postgres_url() -> Generator[str]:
    """A PostgreSQL database with our schema and no rows. Mark the test `scaled`."""
    with fresh_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def own_redis_url() -> Generator[str]:
    with own_redis() as url:
        yield url


@pytest.fixture
def redis_url(own_redis_url: str) -> str:
    """An empty logical database of Redis. Mark the test `scaled`."""
    flush(own_redis_url)
    return own_redis_url


@pytest.fixture(scope="session")
def broker_url() -> Generator[str]:
    """A virtual host of RabbitMQ for this process; queues of earlier tests may still stand. Mark the test `scaled`."""
    with own_rabbitmq() as url:
        yield url


@pytest.fixture
def broker_prefix() -> str:
    """What the names of this test's queues and exchanges begin with."""
    return new_prefix()


@pytest.fixture
def private_postgres() -> Generator[MakePostgres]:
    """Starts PostgreSQL servers of this test's own, to stop, pause, kill and restart; gone when the test ends."""
    yield from factory(Postgres)


@pytest.fixture
def private_redis() -> Generator[MakeRedis]:
    yield from factory(Redis)


@pytest.fixture
def private_rabbitmq() -> Generator[MakeRabbitMQ]:
    yield from factory(RabbitMQ)


def factory(kind: type[S]) -> Generator[Make[S]]:
    if not installed(kind.kind):
        services.need(kind.kind)
    with ExitStack() as stack:
        place = TemporaryDirectory(prefix="pilothouse-private-", dir=quick_place(), ignore_cleanup_errors=True)
        root = Path(stack.enter_context(place))
        root.chmod(0o755)

        def make(*, start: bool = True) -> S:
            server = kind(root / uuid.uuid4().hex[:8])
            stack.callback(server.remove)
            if start:
                server.start()
            return server

        yield make
