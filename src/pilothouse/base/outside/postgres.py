"""One statement in a PostgreSQL session of its own, which ends with it."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, TypeAlias, cast

import asyncpg

from pilothouse.base.leave import leave_to_send
from pilothouse.base.outside.door import CONNECT_SECONDS, GuardedDoor
from pilothouse.base.outside.errors import (
    NotEncrypted,
    QueryRefused,
    QueryTooSlow,
    QueryUncertain,
    SignInRefused,
    said,
)
from pilothouse.base.outside.statements import Gathered, is_reading, param_for
from pilothouse.kit.errors import UpstreamError, UpstreamTimeout
from pilothouse.kit.json import Json, dumps, loads
from pilothouse.kit.outside import DatabaseQuery, Login, Rows

Session: TypeAlias = Any  # the library has no types

GRACE_SECONDS: Final = 5.0  # for the database to say itself that it was too slow
_CHUNK: Final = 200


class NamedContext(ssl.SSLContext):
    """Checks the certificate for the host's name while the connection goes to an address that was checked."""

    host: str = ""

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        return super().wrap_bio(incoming, outgoing, server_side, self.host or server_hostname, session)


async def query_postgres(
    door: GuardedDoor, trust: Callable[[], ssl.SSLContext], login: Login, query: DatabaseQuery
) -> Rows:
    """Raises `EgressDenied`, `SignInRefused`, `NotEncrypted`, `QueryRefused`, `QueryTooSlow`, `QueryUncertain` or an
    `UpstreamError`.
    """
    if query.read_only and not is_reading(query.statement):
        raise QueryRefused("this statement does more than look; switch `read_only` off to run it")
    committing = asyncio.Event()
    with _as_ours(committing):
        async with (
            asyncio.timeout(CONNECT_SECONDS + query.timeout + GRACE_SECONDS),
            _session(door, trust, login, query) as session,
        ):
            await leave_to_send()
            return await (_read(session, query) if query.read_only else _write(session, query, committing))


@asynccontextmanager
async def _session(
    door: GuardedDoor, trust: Callable[[], ssl.SSLContext], login: Login, query: DatabaseQuery
) -> AsyncGenerator[Session]:
    addresses = await door.addresses(login.host, login.port)
    session: Session = await cast(Any, asyncpg).connect(
        host=addresses,
        port=[login.port] * len(addresses),
        user=login.username,
        password=login.password,
        database=query.database,
        ssl=await asyncio.to_thread(_encryption, query.tls, login.host, trust),
        timeout=CONNECT_SECONDS,
        statement_cache_size=0,
    )
    try:
        for kind in ("json", "jsonb"):
            await session.set_type_codec(kind, encoder=dumps, decoder=loads, schema="pg_catalog")
        # One transaction is all that this session has: nothing that the statement sets outlives it.
        await session.execute("BEGIN READ ONLY" if query.read_only else "BEGIN")
        await session.execute(f"SET LOCAL statement_timeout = {round(query.timeout * 1000)}")
        yield session
    finally:
        session.terminate()


def _encryption(mode: str, host: str, trust: Callable[[], ssl.SSLContext]) -> ssl.SSLContext | bool:
    if mode == "off":
        return False
    context = NamedContext(ssl.PROTOCOL_TLS_CLIENT)
    if mode == "unverified":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        context.host = host
        context.load_verify_locations(cadata=b"".join(trust().get_ca_certs(binary_form=True)))
    return context


async def _read(session: Session, query: DatabaseQuery) -> Rows:
    """No more rows than are wanted leave the database."""
    statement = await session.prepare(query.statement)
    found = Gathered([column.name for column in statement.get_attributes()], query.max_rows)
    cursor = await statement.cursor(*_params(statement, query.params))
    while chunk := await cursor.fetch(_CHUNK):
        if not all(found.take(list(row.values())) for row in chunk):
            break
    return Rows(found.columns, found.rows, found.truncated)


async def _write(session: Session, query: DatabaseQuery, committing: asyncio.Event) -> Rows:
    statement = await session.prepare(query.statement)
    found = Gathered([column.name for column in statement.get_attributes()], query.max_rows)
    params = _params(statement, query.params)
    if found.columns:
        affected = await _take_all(await statement.cursor(*params), found)
    else:
        await statement.fetch(*params)
        affected = _affected(statement.get_statusmsg())
    committing.set()
    await session.execute("COMMIT")
    return Rows(found.columns, found.rows, found.truncated, 0 if is_reading(query.statement) else affected)


async def _take_all(cursor: Session, found: Gathered) -> int:
    """How many rows came back; what is past the wanted ones is only counted."""
    count, wants_more = 0, True
    while chunk := await cursor.fetch(_CHUNK):
        count += len(chunk)
        wants_more = wants_more and all(found.take(list(row.values())) for row in chunk)
    return count


def _affected(status: str) -> int:
    """`UPDATE 3`, `INSERT 0 3`, `CREATE TABLE`."""
    number = status.rpartition(" ")[2]
    return int(number) if number.isdigit() and not status.startswith("SELECT") else 0


def _params(statement: Session, given: Sequence[Json]) -> list[object]:
    wanted = statement.get_parameters()
    if len(wanted) != len(given):
        raise QueryRefused(f"the statement has {len(wanted)} parameters ($1, $2, ...) and was given {len(given)}")
    try:
        return [param_for(kind.name, value) for kind, value in zip(wanted, given, strict=True)]
    except ValueError as cause:
        raise QueryRefused(f"a parameter does not fit its type: {said(str(cause))}") from cause


def _state(fault: asyncpg.PostgresError) -> str:
    return str(getattr(fault, "sqlstate", ""))


@contextmanager
def _as_ours(committing: asyncio.Event) -> Generator[None]:
    """What the library raises, said in our own errors."""
    try:
        yield
    except (TimeoutError, OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError) as cause:
        if committing.is_set():
            raise QueryUncertain() from cause
        raise _unreached(cause) from cause
    except (asyncpg.AdminShutdownError, asyncpg.CrashShutdownError) as cause:
        if committing.is_set():
            raise QueryUncertain() from cause
        raise UpstreamError("the database is shutting down") from cause
    except asyncpg.InvalidAuthorizationSpecificationError as cause:
        raise SignInRefused() from cause
    except asyncpg.QueryCanceledError as cause:
        raise QueryTooSlow() from cause
    except asyncpg.ReadOnlySQLTransactionError as cause:
        raise QueryRefused("this statement does more than look; switch `read_only` off to run it") from cause
    except asyncpg.PostgresError as cause:
        raise QueryRefused(f"the database answered {_state(cause)}: {said(str(cause))}") from cause


def _unreached(cause: Exception) -> Exception:
    if isinstance(cause, asyncpg.InterfaceError):
        return QueryRefused(f"the statement cannot be run like this: {said(str(cause))}")
    if isinstance(cause, asyncpg.ConnectionDoesNotExistError | asyncpg.ConnectionFailureError):
        return UpstreamError("the database broke the connection")
    if isinstance(cause, asyncpg.PostgresConnectionError):
        return QueryRefused(f"the database answered {_state(cause)}: {said(str(cause))}")
    if isinstance(cause, ssl.SSLCertVerificationError):
        told = f"the certificate of the database is not trusted: {cause.verify_message}"
        return NotEncrypted(told, hint="Set `tls` to `unverified` if you know this server.")
    if isinstance(cause, TimeoutError):
        return UpstreamTimeout("the database did not answer in time")
    if "SSL upgrade" in str(cause):
        return NotEncrypted(
            "the database offers no TLS, so it was told nothing; `tls` may be `off` in a network of your own"
        )
    return UpstreamError(f"the database could not be reached: {type(cause).__name__}")
