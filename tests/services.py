"""The services of one test run, shared by all its processes: found or started when the first test asks.

What is started is recorded in a folder of this run, so that whichever process ends last can end it too.
"""

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripts import services
from scripts.programs import ServerMissing, installed

STATE_VARIABLE = "PILOTHOUSE_TEST_STATE"


class ServiceMissing(Exception):
    """A service that this test needs is not here."""


def open_run(root: Path) -> Path:
    """Called once, by the process that leads the test run; the others inherit the folder by its variable."""
    folder = Path(tempfile.mkdtemp(prefix="pilothouse-tests-", dir=root))
    folder.chmod(0o755)  # PostgreSQL's account must be able to enter
    os.environ[STATE_VARIABLE] = str(folder)
    return folder


def close_run(folder: Path) -> None:
    """End what this run started and nothing else."""
    for record in folder.glob("*.json"):
        services.end(json.loads(record.read_text())["pids"])
    shutil.rmtree(folder, ignore_errors=True)
    os.environ.pop(STATE_VARIABLE, None)


def run_folder() -> Path:
    return Path(os.environ[STATE_VARIABLE])


def run_name() -> str:
    """A short word that tells this run from others on the same servers."""
    return run_folder().name.removeprefix("pilothouse-tests-").lower()


def worker_name() -> str:
    """`gw0`, `gw1`, ... under xdist, else `main`."""
    return os.environ.get("PYTEST_XDIST_WORKER", "main")


@contextmanager
def only_one(name: str) -> Generator[Path]:
    """Hold a lock that all processes of this run share; gives the path of the note to leave for the others."""
    with (run_folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield run_folder() / name


def url_of(kind: str) -> str:
    """The URL of a service; raises `ServiceMissing` on a user's machine that has none."""
    with only_one(f"{kind}.url") as note:
        if note.exists():
            return note.read_text()
        url = _own(kind) or services.find(kind) or start_for_run(kind)
        note.write_text(url)
        return url


def _own(kind: str) -> str | None:
    """A PostgreSQL of this run's own where one can be started: a usual one takes 100 connections, and we need more."""
    named = os.environ.get(services.VARIABLES[kind])
    return start_for_run(kind) if kind == "postgres" and not named and installed(kind) else None


def start_for_run(kind: str) -> str:
    if not installed(kind):
        if os.environ.get("CI") != "true":
            raise ServiceMissing(f"{kind} not found: {services.HOW_TO_GET}")
        services.install(kind)
    server = services.start(kind, run_folder() / kind)
    record = {"url": server.url, "pids": services.pids_of(server)}
    services.let_go(server)
    (run_folder() / f"{kind}.json").write_text(json.dumps(record))
    return server.url


def pid_of(kind: str) -> int | None:
    """The first process of a service that this run started; None for one that was there."""
    record = run_folder() / f"{kind}.json"
    return int(json.loads(record.read_text())["pids"][0]) if record.exists() else None


def need(kind: str) -> str:
    """The URL of a service, or a skip that says how to get it. On CI a missing service is a failure."""
    try:
        return url_of(kind)
    except ServiceMissing as lack:
        pytest.skip(str(lack))
    except ServerMissing as lack:
        pytest.fail(str(lack))
