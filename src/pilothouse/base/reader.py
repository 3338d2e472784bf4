"""Point reads of the hot path, without a session: SQLite inline on a warm connection, PostgreSQL over a pool.

Statements are written once with `?1 ?2` marks, which both databases can be given.
"""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, Protocol

from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.base.committer_sqlite import is_outage
from pilothouse.base.postgres import FULL, LOST, PostgresPool, create_pool


class Reader(Protocol):
    """Reads committed rows."""

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]: ...

    async def close(self) -> None: ...


def marks(count: int, start: int = 1) -> str:
    """`?1, ?2, ...` for a list of values."""
    return ", ".join(f"?{i}" for i in range(start, start + count))


class SqliteReader:
    """Reads inline: a warm point read takes some ten microseconds, less than handing it to a thread."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
        self._connection.execute("pragma busy_timeout=2000")
        self._connection.execute("pragma query_only=on")

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, params).fetchall()
        except sqlite3.Error as error:
            if is_outage(error):
                raise DatabaseUnavailable from error
            raise

    async def close(self) -> None:
        self._connection.close()


class PostgresReader:
    """Reads over a small pool of its own."""

    def __init__(self, dsn: str, *, size: int = 6) -> None:
        self._dsn = dsn
        self._size = size
        self._pool: PostgresPool | None = None
        self._opening = asyncio.Lock()

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        try:
            pool = self._pool or await self._open()
            return [tuple(row) for row in await pool.fetch(sql.replace("?", "$"), *params)]
        except (*LOST, *FULL) as error:
            if isinstance(error, ValueError):
                raise  # a value that cannot be sent
            raise DatabaseUnavailable from error

    async def _open(self) -> PostgresPool:
        async with self._opening:
            if self._pool is None:
                self._pool = await create_pool(self._dsn, self._size)
            return self._pool

    async def close(self) -> None:
        if self._pool is not None:
            self._pool.terminate()
