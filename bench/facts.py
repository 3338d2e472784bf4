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

from tests.places import disk_place, filesystem_of


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
    print(f"machine: {model}, {os.cpu_count()} cores, {int(memory) // 1_048_576} GiB, Linux {platform.release()}")
    print(f"versions: Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}")
    print(f"disk: {filesystem_of(disk_place())}, fsync on")
    print(f"U: {durable_commit_ms():.3f} ms  (median durable one-row commit on SQLite)", flush=True)


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
        connection = sqlite3.connect(Path(folder) / "u.db", isolation_level=None)
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma synchronous=full")
        connection.execute("create table t (a)")
        times: list[float] = []
        for number in range(200):
            start = time.perf_counter()
            connection.execute("insert into t values (?)", (number,))
            times.append(time.perf_counter() - start)
        connection.close()
    return median(times) * 1000
