"""The unit of work: one request, job or tool call is one transaction, committed at the edge."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias, cast

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Clash, WriteSet
from pilothouse.base.committer_postgres import apply_one, lock_lanes
from pilothouse.base.committer_sqlite import apply_writes
from pilothouse.base.database import Database
from pilothouse.base.postgres import BROKEN_RULE, PostgresConnection
from pilothouse.base.statements import Params, Rows
from pilothouse.kit.clock import Clock, utc_now


@dataclass(frozen=True, slots=True)
class Read:
    """What a query may use."""

    session: AsyncSession
    actor: Actor
    now: datetime


@dataclass(frozen=True, slots=True)
class Work(Read):
    """What a command may use: a `Read` that can also change the world."""

    handlers: "Handlers" = field(default_factory=dict[type, "Sequence[Handler]"])
    after_commit: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    async def emit(self, fact: object) -> None:
        """Tell the handlers that `app` wired to this fact, inside this transaction."""
        for handle in self.handlers.get(type(fact), ()):
            await handle(self, fact)

    async def apply(self, writes: WriteSet) -> list[Any]:
        """Land a hot-path write set inside this unit (a schedule's fire starts a run).

        Raises `Refused` or `Clash`; the set has then changed nothing, and the unit may go on.
        """
        # The savepoint also opens the driver's transaction, which SQLAlchemy puts off until its own first statement.
        async with self.session.begin_nested():
            connection = await self.session.connection()
            if connection.dialect.name == "sqlite":
                return await connection.run_sync(_apply_sqlite, writes)
            raw = await connection.get_raw_connection()
            return await _apply_postgres(cast(PostgresConnection, raw.driver_connection), writes)


def _apply_sqlite(connection: Connection, writes: WriteSet) -> list[Any]:
    def execute(sql: str, params: Params) -> tuple[int, Rows]:
        result = connection.exec_driver_sql(sql, params)
        if not result.returns_rows:
            return result.rowcount, []
        rows = [tuple(row) for row in result.fetchall()]
        return len(rows), rows

    try:
        return apply_writes(execute, writes)
    except IntegrityError as error:
        raise Clash(str(error.orig)) from error


async def _apply_postgres(connection: PostgresConnection, writes: WriteSet) -> list[Any]:
    try:
        if writes.locks:
            await lock_lanes(connection, sorted(writes.locks), set())
        return await apply_one(connection, writes)
    except BROKEN_RULE as error:
        raise Clash(str(error)) from error


Handler: TypeAlias = Callable[[Work, Any], Awaitable[None]]
Handlers: TypeAlias = Mapping[type, Sequence[Handler]]


@dataclass(frozen=True, slots=True)
class Units:
    """Opens units of work. Doors hold one of these; nothing else commits."""

    database: Database
    handlers: Handlers = field(default_factory=dict[type, Sequence[Handler]])
    clock: Clock = utc_now

    @asynccontextmanager
    async def read(self, actor: Actor) -> AsyncGenerator[Read]:
        async with self.database.reading() as session:
            yield Read(session, actor, self.clock())

    @asynccontextmanager
    async def write(self, actor: Actor) -> AsyncGenerator[Work]:
        work: Work | None = None
        async with self.database.writing() as session:
            work = Work(session, actor, self.clock(), self.handlers)
            yield work
        for announce in work.after_commit:
            announce()
