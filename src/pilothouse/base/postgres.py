"""A typed view of the parts of asyncpg that the hot path uses; asyncpg ships no types."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, cast

import asyncpg
from sqlalchemy.engine.url import make_url

COMMAND_TIMEOUT = 15.0
# Sessions that write: by this name those of a stopped process are found (`base/jobs/stopped.py`).
OURS = {"application_name": "pilothouse"}
# A process that is stopped in the middle of a transaction holds its locks; others must not wait for it for ever.
IDLE_IN_TRANSACTION = {"idle_in_transaction_session_timeout": "2s"}
# The few statements of the committer touch rows by their keys. Planned anew for each set, as the server does with
# arrays of known length, they cost it a fifth more; planned once, maybe on empty tables, they must not scan.
PLANNED_ONCE = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}

# What breaks a connection or asks for another try; everything else is a fault of ours and must be seen.
LOST: tuple[type[Exception], ...] = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.OperatorInterventionError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.ReadOnlySQLTransactionError,  # after a failover: another connection leads to the server that writes
    asyncpg.InternalClientError,  # the server has hung up in the very moment of asking
)
AGAIN: tuple[type[Exception], ...] = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
FULL: tuple[type[Exception], ...] = (asyncpg.InsufficientResourcesError,)
UNDONE: tuple[type[Exception], ...] = (asyncpg.PostgresError, ValueError)  # the server's no, or a value it cannot take
BROKEN_RULE: type[Exception] = asyncpg.IntegrityConstraintViolationError


def is_lost(error: Exception) -> bool:
    """Whether the connection is gone. A value that cannot be sent is an `InterfaceError` too, but no loss."""
    return isinstance(error, LOST) and not isinstance(error, ValueError)


class PostgresConnection(Protocol):
    """One connection."""

    async def fetch(self, query: str, *args: Any) -> Sequence[Sequence[Any]]: ...

    async def execute(self, query: str, *args: Any) -> str: ...

    def transaction(self) -> AbstractAsyncContextManager[Any]: ...

    def is_closed(self) -> bool: ...

    def terminate(self) -> None: ...


class PostgresPool(Protocol):
    """Some connections."""

    async def fetch(self, query: str, *args: Any) -> Sequence[Sequence[Any]]: ...

    def terminate(self) -> None: ...


def dsn_of(url: str) -> str:
    """What asyncpg takes, from what SQLAlchemy takes."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


async def connect(dsn: str) -> PostgresConnection:
    """To write on: the server ends a transaction in which nothing is said for two seconds.

    Raises `OSError` when the server cannot be reached or does not let us in.
    """
    told = OURS | IDLE_IN_TRANSACTION | PLANNED_ONCE
    options = {"command_timeout": COMMAND_TIMEOUT, "timeout": 5, "server_settings": told}
    try:
        return cast(PostgresConnection, await cast(Any, asyncpg).connect(dsn, **options))
    except asyncpg.PostgresError as error:
        raise ConnectionError(str(error)) from error


async def _leave_as_is(connection: object) -> None:
    """What only reads, outside transactions, leaves nothing to reset: a journey to the server saved per read."""


async def create_pool(dsn: str, size: int) -> PostgresPool:
    """Raises `OSError` when the server cannot be reached or does not let us in."""
    untyped = cast(Any, asyncpg)
    try:
        pool = await untyped.create_pool(
            dsn, min_size=1, max_size=size, command_timeout=10, timeout=5, reset=_leave_as_is
        )
    except asyncpg.PostgresError as error:
        raise ConnectionError(str(error)) from error
    return cast(PostgresPool, pool)
