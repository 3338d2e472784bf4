"""The committer on SQLite: one writer thread, one durable transaction per group."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import structlog

from pilothouse.base.committer import Clash, DatabaseUnavailable, Pending, Refused, WaitingSets, WriteSet, settle_future
from pilothouse.base.database import SQLITE_PRAGMAS, WriteTurn
from pilothouse.base.statements import REFUSED, Params, Rows, SqliteExecute, Torn
from pilothouse.base.telemetry import COMMIT_GROUPS, COMMIT_OUTAGES, COMMIT_SETS

log = structlog.get_logger()

SLOW_LOCK_SECONDS = 0.1


class SqliteCommitter:
    """Lands groups in its own thread; `turn` keeps units of work of this process out meanwhile."""

    def __init__(self, path: Path, turn: WriteTurn) -> None:
        self._path = path
        self._turn = turn
        self._waiting = WaitingSets()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="committer")
        self._connection: sqlite3.Connection | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="committer")

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[Any]]":
        return self._waiting.put(writes)

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[Any]:
        self._turn.refuse_owner()
        return await self._waiting.put(writes, urgent=urgent)

    async def close(self) -> None:
        """Land what waits, then stop."""
        await self._waiting.drained()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            group = await self._waiting.take()
            waited_from = time.monotonic()
            async with self._turn:
                if (waited := time.monotonic() - waited_from) > SLOW_LOCK_SECONDS:
                    log.warning("committer.lock_slow", seconds=round(waited, 3))
                if len(group) < 64:
                    group += self._waiting.take_now()  # those that came while the lock was held
                answers = await loop.run_in_executor(self._thread, self._land, group)
            COMMIT_GROUPS.inc()
            COMMIT_SETS.inc(len(group))
            for pending, answer in zip(group, answers, strict=True):
                settle_future(pending, answer)
            self._waiting.done(len(group))

    def _land(self, group: list[Pending]) -> list[list[Any] | Exception]:
        """In the writer thread: one transaction for the group; optimistic first, then set by set."""
        try:
            connection = self._connect()
            try:
                return _in_transaction(connection, lambda: _apply_all(connection, group))
            except Torn:
                return _in_transaction(connection, lambda: _apply_apart(connection, group))
        except Exception as error:  # the thread's door: whatever went wrong, the next group must land
            self._disconnect()
            COMMIT_OUTAGES.inc()
            log.warning("committer.unavailable", sets=len(group), exc_info=not is_outage(error), reason=str(error))
            return [DatabaseUnavailable() for _ in group]

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._path, isolation_level=None, check_same_thread=False, cached_statements=256
            )
            for pragma in SQLITE_PRAGMAS:
                self._connection.execute(pragma)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


# What the machine does to us; every other error is the fault of one set, and only that set may suffer.
_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


def is_outage(error: Exception) -> bool:
    """Whether the database cannot be used now, as opposed to a statement that is wrong."""
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", -1) & 0xFF in _OUTAGES


def _in_transaction(
    connection: sqlite3.Connection, apply: Callable[[], list[list[Any] | Exception]]
) -> list[list[Any] | Exception]:
    connection.execute("begin immediate")
    try:
        answers = apply()
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    return answers


def _apply_all(connection: sqlite3.Connection, group: list[Pending]) -> list[list[Any] | Exception]:
    """Without savepoints: a set refused by its first guard has changed nothing, so the others stand."""
    execute = _executor(connection)
    answers: list[list[Any] | Exception] = []
    for pending in group:
        untouched = connection.total_changes
        try:
            answers.append(apply_writes(execute, pending.writes))
        except Refused as error:
            if connection.total_changes != untouched:
                raise Torn from error
            answers.append(error)
        except Exception as error:
            if is_outage(error):
                raise
            raise Torn from error
    return answers


def _apply_apart(connection: sqlite3.Connection, group: list[Pending]) -> list[list[Any] | Exception]:
    """Each set in a savepoint of its own, so that only the bad one is undone."""
    execute = _executor(connection)
    answers: list[list[Any] | Exception] = []
    for pending in group:
        connection.execute("savepoint one_set")
        try:
            answers.append(apply_writes(execute, pending.writes))
        except Refused as error:
            connection.execute("rollback to one_set")
            answers.append(error)
        except sqlite3.IntegrityError as error:
            connection.execute("rollback to one_set")
            answers.append(Clash(str(error)))
        except Exception as error:
            if is_outage(error):
                raise
            log.warning("committer.fault", exc_info=True)
            connection.execute("rollback to one_set")
            answers.append(error)
        connection.execute("release one_set")
    return answers


def _has_landed(execute: SqliteExecute, writes: WriteSet) -> bool:
    if not writes.doubtful or writes.proof is None:
        return False
    statement, params = writes.proof
    return statement.on_sqlite(execute, params) is not REFUSED


def apply_writes(execute: SqliteExecute, writes: WriteSet) -> list[Any]:
    """Apply a set inside the caller's transaction."""
    results: list[Any] = []
    if _has_landed(execute, writes):
        return results
    for statement, params in writes.writes:
        result = statement.on_sqlite(execute, params)
        if result is REFUSED:
            raise Refused(statement.name)
        results.append(result)
    return results


def _executor(connection: sqlite3.Connection) -> SqliteExecute:
    cursor = connection.cursor()

    def execute(sql: str, params: Params) -> tuple[int, Rows]:
        cursor.execute(sql, params)
        if cursor.description is None:
            return cursor.rowcount, []
        rows = cursor.fetchall()
        return len(rows), rows

    return execute
