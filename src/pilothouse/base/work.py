"""The unit of work: one request, job or tool call is one transaction, committed at the edge."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
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
