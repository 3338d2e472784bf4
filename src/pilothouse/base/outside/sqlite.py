"""One statement on a SQLite file of the one folder that the operator has opened to agents."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from pilothouse.base.leave import leave_to_send
from pilothouse.base.outside.errors import QueryRefused, QueryTooSlow, said
from pilothouse.base.outside.statements import MAX_BYTES, Gathered, is_reading
from pilothouse.kit.errors import Forbidden, NotFound
from pilothouse.kit.json import Json, dumps
from pilothouse.kit.outside import DatabaseQuery, Rows

_LOOKS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
# What reaches past the file, or past the one statement.
_NEVER: Final = frozenset(
    {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_TRANSACTION}
    | {sqlite3.SQLITE_SAVEPOINT, sqlite3.SQLITE_CREATE_VTABLE, sqlite3.SQLITE_DROP_VTABLE}
)
_NEVER_CALLED: Final = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
_STEPS: Final = 2_000  # of SQLite's machine between two looks at the clock


class SqliteOff(Forbidden):
    """Agents may query no SQLite file here: the operator opens a folder to them by `sqlite_dir`."""


class DatabaseNotFound(NotFound):
    """There is no such SQLite file in the folder that the operator has opened."""

    wire_code = "database_not_found"


async def query_sqlite(folder: Path | None, threads: Executor, query: DatabaseQuery) -> Rows:
    """Raises `SqliteOff`, `DatabaseNotFound`, `QueryRefused` or `QueryTooSlow`."""
    if query.read_only and not is_reading(query.statement):
        raise QueryRefused("this statement does more than look; switch `read_only` off to run it")
    stop = threading.Event()
    await leave_to_send()
    doing = asyncio.get_running_loop().run_in_executor(threads, _query, folder, query, stop)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        stop.set()
        doing.add_done_callback(lambda done: None if done.cancelled() else done.exception())  # heard, not told
        raise


def _query(folder: Path | None, query: DatabaseQuery, stop: threading.Event) -> Rows:
    place = f"{_file(folder, query.database).as_uri()}?mode={'ro' if query.read_only else 'rw'}"
    deadline = time.monotonic() + query.timeout
    with _as_ours(), closing(sqlite3.connect(place, uri=True, timeout=5.0, isolation_level=None)) as session:
        session.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        session.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        session.set_progress_handler(lambda: stop.is_set() or time.monotonic() > deadline, _STEPS)
        session.execute("BEGIN" if query.read_only else "BEGIN IMMEDIATE")
        before = session.total_changes
        session.set_authorizer(_may_look if query.read_only else _may_write)
        found = _gather(session.execute(query.statement, [_param(value) for value in query.params]), query.max_rows)
        session.set_authorizer(None)
        session.execute("ROLLBACK" if query.read_only else "COMMIT")
        affected = None if query.read_only else session.total_changes - before
    return Rows(found.columns, found.rows, found.truncated, affected)


def _file(folder: Path | None, name: str) -> Path:
    """The file of this name, wherever links lead, if it lies in the folder."""
    if folder is None:
        raise SqliteOff()
    try:
        file = (folder / name).resolve(strict=True)
    except (OSError, ValueError) as cause:
        raise DatabaseNotFound() from cause
    if not file.is_file() or not file.is_relative_to(folder.resolve()):
        raise DatabaseNotFound()
    return file


def _gather(cursor: sqlite3.Cursor, most: int) -> Gathered:
    """What a statement writes it has written before it gives its first row."""
    with closing(cursor):
        found = Gathered([str(column[0]) for column in cursor.description or ()], most)
        for row in cursor:
            if not found.take(row):
                break
    return found


def _may_look(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    may = action in _LOOKS and not (action == sqlite3.SQLITE_FUNCTION and second in _NEVER_CALLED)
    return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY


def _may_write(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    refused = action in _NEVER or (action == sqlite3.SQLITE_FUNCTION and second in _NEVER_CALLED)
    return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK


def _param(value: Json) -> str | int | float | None:
    return dumps(value) if isinstance(value, list | dict) else value


@contextmanager
def _as_ours() -> Generator[None]:
    """What the library raises, said in our own errors."""
    try:
        yield
    except sqlite3.Error as cause:
        if str(cause) == "interrupted":
            raise QueryTooSlow() from cause
        raise QueryRefused(f"the database answered: {said(str(cause))}") from cause
    except sqlite3.Warning as cause:  # so Python 3.11 says that there is more than one statement
        raise QueryRefused(f"the database answered: {said(str(cause))}") from cause
