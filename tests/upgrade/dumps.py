"""How an old installation is kept: its data directory packed, its tables as lines of JSON that any database takes."""

import gzip
import json
import sqlite3
import tarfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from pilothouse.app.migrate import current_revision, migrate
from pilothouse.app.profile import Profile
from pilothouse.base.database import Database

FIXTURES = Path(__file__).parent / "fixtures"
KEPT = ("pilothouse.db", "secrets")  # of a data directory


class Table(NamedTuple):
    """A table as it was."""

    name: str
    columns: list[str]
    rows: list[list[Any]]


def pack_directory(data: Path, target: Path) -> None:
    """The data directory of a process that is gone, its write-ahead log folded in."""
    with closing(sqlite3.connect(data / "pilothouse.db")) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("pragma journal_mode=delete")
        connection.execute("vacuum")
    with tarfile.open(target, "w:gz") as archive:
        for name in KEPT:
            archive.add(data / name, name)


def unpack_directory(source: Path, data: Path) -> None:
    with tarfile.open(source) as archive:
        archive.extractall(data, filter="data")
    data.chmod(0o700)
    (data / "secrets").chmod(0o700)


async def dump_tables(database: Database) -> bytes:
    """The revision on the first line, then a line for each table; packed."""
    lines: list[Any] = [{"revision": await current_revision(database)}]
    async with database.engine.connect() as connection:
        for name in await table_names(connection):
            found = await connection.execute(text(f'select * from "{name}"'))
            rows = [list(row) for row in found.all()]
            lines.append(Table(name, list(found.keys()), rows)._asdict())
    return gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode(), mtime=0)


async def restore_tables(database: Database, source: Path) -> None:
    """Into an empty database: the schema as it was then, and its rows. Needs no program of the database's own."""
    with gzip.open(source, "rt") as lines:
        revision: str = json.loads(lines.readline())["revision"]
        tables = [Table(**json.loads(line)) for line in lines]
    await migrate(Profile(database.url, None, None), database, to=revision)
    async with database.engine.begin() as connection:
        await connection.execute(text("set session_replication_role = replica"))  # rows may come before their parents
        for table in tables:
            await insert(connection, table)
        await connection.execute(text("set session_replication_role = origin"))


async def insert(connection: AsyncConnection, table: Table) -> None:
    if not table.rows:
        return
    listed = ", ".join(f'"{name}"' for name in table.columns)
    marks = ", ".join(f":c{number}" for number in range(len(table.columns)))
    rows = [{f"c{number}": value for number, value in enumerate(row)} for row in table.rows]
    await connection.execute(text(f'insert into "{table.name}" ({listed}) values ({marks})'), rows)


async def table_names(connection: AsyncConnection) -> Sequence[str]:
    """All but Alembic's own, whose row the migration writes."""
    names = await connection.run_sync(lambda sync: sync.dialect.get_table_names(sync))
    return sorted(name for name in names if name != "alembic_version")
