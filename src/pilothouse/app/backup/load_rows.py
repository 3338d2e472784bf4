"""Rows into an empty database, in one transaction."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, cast

import asyncpg

from pilothouse.app.backup.archive import BackupDamaged, Stored
from pilothouse.kit.json import loads

Batches = Iterator[list[list[Any]]]


def table_member(table: str) -> str:
    return f"tables/{table}.jsonl"


def read_table(stored: Stored, table: str) -> tuple[list[str], Batches]:
    """The columns, and the rows in batches."""
    lines = stored.lines(table_member(table))
    first = next(lines, None)
    if not first:
        raise BackupDamaged(f"The table {table} is missing in the backup.")
    columns = cast(list[str], loads(first[0]))

    def batches() -> Batches:
        for batch in chain([first[1:]], lines):
            yield [cast(list[Any], loads(line)) for line in batch]

    return columns, batches()


def load_sqlite(path: Path, stored: Stored, finish: str) -> None:
    """Fill a database that nobody else has open; `finish` is one more statement in the same transaction."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("pragma foreign_keys=off")
        connection.execute("pragma journal_mode=off")  # a failed restore is thrown away, never rolled back
        connection.execute("pragma synchronous=off")  # the caller makes it durable as a whole
        connection.execute("pragma cache_size=-131072")
        connection.execute("begin exclusive")
        for table in stored.manifest.tables:
            columns, batches = read_table(stored, table)
            marks = ", ".join("?" * len(columns))
            insert = f"insert into {_names([table])} ({_names(columns)}) values ({marks})"
            for rows in batches:
                connection.executemany(insert, rows)
        connection.execute(finish)
        connection.execute("commit")
        connection.execute("pragma journal_mode=wal")
    finally:
        connection.close()


async def load_postgres(dsn: str, stored: Stored, finish: str, *, replace: bool) -> None:
    """Fill the tables, or nothing at all. `replace`: what is there goes, in the same transaction."""
    connection = await cast(Any, asyncpg).connect(dsn, timeout=5)
    try:
        async with connection.transaction():
            if replace:
                tables = [row[0] for row in await connection.fetch(_OUR_TABLES)]
                await connection.execute(f"truncate {_names(tables)}")
            for table in stored.manifest.tables:
                columns, batches = read_table(stored, table)
                shape = await _shape(connection, table, columns)
                for rows in batches:
                    records = [[turn(value) for turn, value in zip(shape, row, strict=True)] for row in rows]
                    await connection.copy_records_to_table(table, records=records, columns=columns)
            await connection.execute(finish)
    finally:
        await connection.close()


_OUR_TABLES = (
    "select table_name from information_schema.tables"
    " where table_schema=current_schema() and table_type='BASE TABLE' and table_name <> 'alembic_version'"
)


async def _shape(connection: Any, table: str, columns: Sequence[str]) -> list[Callable[[Any], Any]]:
    """SQLite keeps a boolean as a number; all else is the same in both."""
    rows = await connection.fetch(
        "select column_name, data_type from information_schema.columns"
        " where table_schema=current_schema() and table_name=$1",
        table,
    )
    types = {row[0]: row[1] for row in rows}
    return [_truth if types.get(column) == "boolean" else _same for column in columns]


def _truth(value: Any) -> Any:
    return None if value is None else bool(value)


def _same(value: Any) -> Any:
    return value


def _names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
