"""What is in the database, to see whether a request changed anything."""

from collections import Counter
from functools import cache
from typing import Any, TypeAlias

from pilothouse.app.tables import metadata
from pilothouse.base.reader import PostgresReader, Reader

Rows: TypeAlias = dict[str, "Counter[tuple[Any, ...]]"]

# What a mere look may leave behind: tries that were counted, and when something was last used.
COUNTS_TRIES = {"rate_windows"}
MARKS = {"api_keys": {"last_used_at"}, "login_sessions": {"seen_at", "expires_at"}}


async def snapshot(reader: Reader) -> Rows:
    """Every row of every table, but for marks of last use."""
    if isinstance(reader, PostgresReader):  # in one go, since every question takes its time
        asks = [f"select '{name}', row({columns})::text from \"{name}\"" for name, columns in _kept().items()]
        rows = await reader.rows(" union all ".join(asks))
        return {name: Counter(row[1:] for row in rows if row[0] == name) for name in _kept()}
    return {name: Counter(await reader.rows(f'select {columns} from "{name}"')) for name, columns in _kept().items()}


@cache
def _kept() -> dict[str, str]:
    """The columns to look at, by table."""
    return {
        table.name: ", ".join(
            f'"{column.name}"' for column in table.columns if column.name not in MARKS.get(table.name, ())
        )
        for table in metadata.sorted_tables
        if table.name not in COUNTS_TRIES
    }


def difference(before: Rows, after: Rows) -> list[str]:
    """What came and what went, by table."""
    told: list[str] = []
    for table in before:
        told += [f"+ {table} {row}" for row in after[table] - before[table]]
        told += [f"- {table} {row}" for row in before[table] - after[table]]
    return told
