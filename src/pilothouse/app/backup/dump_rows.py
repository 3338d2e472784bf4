"""Rows out of a database, all as of one instant, while others go on writing."""

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import asyncpg

from pilothouse.base.database import SQLITE_PRAGMAS

BATCH = 2_000


class Snapshot(Protocol):
    """One instant of a database."""

    def rows(self, table: str, columns: Sequence[str]) -> AsyncGenerator[Sequence[Sequence[Any]]]: ...


class SqliteSnapshot:
    """A read transaction: in WAL mode it sees what was committed when it began, and hinders no writer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def rows(self, table: str, columns: Sequence[str]) -> AsyncGenerator[Sequence[Sequence[Any]]]:
        cursor = self._connection.execute(f"select {_names(columns)} from {_names([table])} order by rowid")
        while batch := cursor.fetchmany(BATCH):
            yield batch


class PostgresSnapshot:
    """A read-only transaction that sees one instant throughout."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def rows(self, table: str, columns: Sequence[str]) -> AsyncGenerator[Sequence[Sequence[Any]]]:
        cursor = await self._connection.cursor(f"select {_names(columns)} from {_names([table])}")
        while batch := await cursor.fetch(BATCH):
            yield [tuple(row) for row in batch]


@asynccontextmanager
async def sqlite_snapshot(path: Path) -> AsyncGenerator[Snapshot]:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for pragma in (*SQLITE_PRAGMAS, "pragma query_only=on"):
            connection.execute(pragma)
        connection.execute("begin")
        connection.execute("select 1 from alembic_version").fetchone()  # a transaction begins with its first read
        yield SqliteSnapshot(connection)
    finally:
        connection.close()


@asynccontextmanager
async def postgres_snapshot(dsn: str) -> AsyncGenerator[Snapshot]:
    connection = await cast(Any, asyncpg).connect(dsn, timeout=5)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute("select 1 from alembic_version")
            yield PostgresSnapshot(connection)
    finally:
        await connection.close()


def _names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
