"""On what machine this was measured."""

import os
import platform
import sqlite3
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, cast

import asyncpg

from bench.report import NotMeasured
from pilothouse.base.database import SQLITE_PRAGMAS
from pilothouse.base.reader import Reader
from tests.places import disk_place, filesystem_of

SYNCHRONOUS = ("off", "normal", "full", "extra")  # what SQLite's numbers mean
CORES = os.cpu_count() or 1  # rates are per core


class NotDurable(NotMeasured):
    """A database answers before its rows are on the disk: what that takes is nothing to compare with."""

    def __init__(self, told: dict[str, str]) -> None:
        super().__init__(f"PostgreSQL does not wait for the disk: {_listed(told)}")


def tell_machine() -> None:
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    memory = next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if "MemTotal" in line)
    print(f"machine: {model}, {CORES} cores, {int(memory) // 1_048_576} GiB, Linux {platform.release()}")
    print(f"versions: Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}")
    print(f"disk: {filesystem_of(disk_place())}; SQLite: {_listed(sqlite_settings())}")
    print(f"U: {durable_commit_ms():.3f} ms  (median durable one-row commit on SQLite)", flush=True)


def sqlite_settings() -> dict[str, str]:
    """What SQLite makes of the settings under which the product opens its database."""
    with tempfile.TemporaryDirectory(dir=disk_place()) as folder:
        connection = _open(Path(folder))
        (journal,), (number,) = (
            connection.execute(f"pragma {name}").fetchone() for name in ("journal_mode", "synchronous")
        )
        connection.close()
    return {"journal_mode": journal, "synchronous": SYNCHRONOUS[number]}


async def tell_postgres(reader: Reader) -> None:
    """How this PostgreSQL commits; raises `NotDurable` when it does not wait for the disk."""
    rows = await reader.rows(
        "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by name"
    )
    told = {str(name): str(setting) for name, setting in rows}
    if told.get("fsync") != "on" or told.get("synchronous_commit") == "off":
        raise NotDurable(told)
    print(f"PostgreSQL: {_listed(told)}", flush=True)


def _listed(told: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in told.items())


async def postgres_commit_ms(dsn: str) -> float:
    """What one fsynced row costs in this PostgreSQL, asked over its socket."""
    connection = await cast(Any, asyncpg).connect(dsn)
    await connection.execute("create table if not exists bench_u (a integer)")
    times: list[float] = []
    for number in range(200):
        start = time.perf_counter()
        await connection.execute("insert into bench_u values ($1)", number)
        times.append(time.perf_counter() - start)
    await connection.close()
    return median(times) * 1000


def durable_commit_ms() -> float:
    """What one fsynced row costs here."""
    with tempfile.TemporaryDirectory(dir=disk_place()) as folder:
        connection = _open(Path(folder))
        connection.execute("create table t (a)")
        times: list[float] = []
        for number in range(200):
            start = time.perf_counter()
            connection.execute("insert into t values (?)", (number,))
            times.append(time.perf_counter() - start)
        connection.close()
    return median(times) * 1000


def _open(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "u.db", isolation_level=None)
    for pragma in SQLITE_PRAGMAS:
        connection.execute(pragma)
    return connection
