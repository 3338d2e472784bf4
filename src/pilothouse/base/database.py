"""Tables and connections for ordinary commands, the same on SQLite and PostgreSQL."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, MetaData, String, Text, event
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.engine.url import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

from pilothouse.base.postgres import OURS
from pilothouse.kit.clock import from_micros, to_micros
from pilothouse.kit.json import Json, dumps, loads

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Row(DeclarativeBase):
    """The base of every mapped row."""

    metadata = metadata


class Moment(TypeDecorator[datetime]):
    """An aware moment, kept as microseconds since 1970 so that both databases order and compare it alike."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else to_micros(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else from_micros(value)


class JsonText(TypeDecorator[Json]):
    """A JSON value kept as text: the same bytes on both databases, and no NUL trouble."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> str | None:
        return None if value is None else dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Json:
        return None if value is None else loads(value)


Id = String(36)


def is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


class WriteTurn:
    """Whose turn it is to write to SQLite, which has one writer."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> None:
        await self._lock.acquire()
        self._owner = asyncio.current_task()

    async def __aexit__(self, *_: object) -> None:
        self._owner = None
        self._lock.release()

    def refuse_owner(self) -> None:
        """Raises for the task that has the turn: it would wait for itself for ever."""
        if self._owner is not None and self._owner is asyncio.current_task():
            raise RuntimeError("a unit of work cannot wait for the committer: use `work.apply`")


class Database:
    """The engine for units of work. Hot writes go through the committer instead."""

    def __init__(self, url: str, *, pool_size: int = 12, busy_seconds: float = 5) -> None:
        self.url = url
        self.sqlite = is_sqlite(url)
        # SQLite has one writer: a unit of work and the committer take turns, not busy loops.
        self.write_turn = WriteTurn()
        self.engine: AsyncEngine = (
            _sqlite_engine(url, pool_size, busy_seconds) if self.sqlite else _postgres_engine(url, pool_size)
        )
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncSession]:
        """A session whose transaction is always rolled back."""
        async with self._sessions() as session:
            yield session

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncSession]:
        """A session that commits when the block ends well; only `base` may open one (see `work.py`)."""
        async with self._write_turn(), self._sessions() as session, session.begin():
            await session.connection(execution_options={WRITES: True})
            yield session

    @asynccontextmanager
    async def _write_turn(self) -> AsyncGenerator[None]:
        if not self.sqlite:
            yield
            return
        async with self.write_turn:
            yield

    async def close(self) -> None:
        await self.engine.dispose()


def _sqlite_engine(url: str, pool_size: int, busy_seconds: float) -> AsyncEngine:
    engine = create_async_engine(url, pool_size=pool_size, max_overflow=0)

    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say `begin` ourselves, below
        cursor = connection.cursor()
        for pragma in SQLITE_PRAGMAS:
            cursor.execute(pragma)
        cursor.execute(f"pragma busy_timeout={int(busy_seconds * 1000)}")
        cursor.close()

    def begin(connection: Connection) -> None:
        # A writer takes the lock at once: a read that later turns into a write could only fail as busy.
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("begin immediate" if writes else "begin")

    event.listen(engine.sync_engine, "connect", prepare)
    event.listen(engine.sync_engine, "begin", begin)
    return engine


WRITES = "pilothouse_writes"


SQLITE_PRAGMAS = (
    "pragma busy_timeout=5000",  # first: the next one may have to wait, too
    "pragma journal_mode=wal",
    "pragma synchronous=full",
    "pragma foreign_keys=on",
)


def _postgres_engine(url: str, pool_size: int) -> AsyncEngine:
    async_url = make_url(url).set(drivername="postgresql+asyncpg")
    told = {"server_settings": OURS}
    return create_async_engine(async_url, pool_size=pool_size, max_overflow=0, pool_pre_ping=True, connect_args=told)
