"""Tells a database that is away, full or busy from a bug of ours, by error codes and never by words."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

import asyncpg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from pilothouse.base.committer import DatabaseUnavailable

# PostgreSQL: connection lost, out of resources, stopped by an operator, system error, lost a race.
_OUTAGE_CLASSES = frozenset({"08", "53", "57", "58", "40"})
_BAD_TEXT_STATES = frozenset({"22021", "22P05"})  # a NUL, or text that is not UTF-8
# SQLite: what we asked was wrong, rather than the disk or the lock.
_SQLITE_BUGS = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_MISMATCH})


def is_outage(error: BaseException) -> bool:
    """Whether the database, and not our code, is why this failed; another try may succeed."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _original_is_outage(error)
    if isinstance(error, asyncpg.PostgresError):
        return _state(error)[:2] in _OUTAGE_CLASSES
    if isinstance(error, sqlite3.OperationalError):
        return _sqlite_is_outage(error)
    return isinstance(error, ConnectionError | PoolTimeout | asyncpg.InterfaceError)


@contextmanager
def told_as_away() -> Generator[None]:
    """Around work on the database and nothing else: that it is away is told as the committer tells it."""
    try:
        yield
    except (DBAPIError, PoolTimeout, asyncpg.PostgresError, asyncpg.InterfaceError, ConnectionError) as error:
        if is_outage(error):
            raise DatabaseUnavailable from error
        raise


def is_unstorable_text(error: BaseException) -> bool:
    """Whether PostgreSQL refused a text for its characters, such as a NUL."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(original, Exception) and _state(original) in _BAD_TEXT_STATES


def _original_is_outage(error: DBAPIError) -> bool:
    if isinstance(error.orig, sqlite3.Error):
        return _sqlite_is_outage(error.orig)
    if state := _state(error.orig):
        return state[:2] in _OUTAGE_CLASSES
    return isinstance(error, OperationalError | InterfaceError)


def _sqlite_is_outage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.OperationalError) and code is not None and code & 0xFF not in _SQLITE_BUGS


def _state(error: BaseException | None) -> str:
    return str(getattr(error, "sqlstate", None) or "")
