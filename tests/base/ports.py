"""Opens the ports of `base` on a test's database, whichever it is."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from sqlalchemy.engine.url import make_url

from pilothouse.base.committer_postgres import PostgresCommitter
from pilothouse.base.committer_sqlite import SqliteCommitter
from pilothouse.base.database import WriteTurn, is_sqlite
from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader, Reader, SqliteReader

AnyCommitter: TypeAlias = SqliteCommitter | PostgresCommitter


def path_of(url: str) -> Path:
    """The file of a SQLite database."""
    return Path(make_url(url).database or "")


@asynccontextmanager
async def committing(url: str, turn: WriteTurn | None = None) -> AsyncGenerator[AnyCommitter]:
    """A committer that runs for as long as the block does. `turn` is that of the process's `Database`."""
    committer = SqliteCommitter(path_of(url), turn or WriteTurn()) if is_sqlite(url) else PostgresCommitter(dsn_of(url))
    await committer.start()
    try:
        yield committer
    finally:
        await committer.close()


@asynccontextmanager
async def reading(url: str) -> AsyncGenerator[Reader]:
    reader: Reader = SqliteReader(path_of(url)) if is_sqlite(url) else PostgresReader(dsn_of(url))
    try:
        yield reader
    finally:
        await reader.close()
