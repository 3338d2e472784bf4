"""Brings the database's tables to what this version needs. Alembic is imported only when there is something to do."""

import asyncio
import importlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import aiosqlite
import structlog
from sqlalchemy import text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from pilothouse.app.profile import Profile
from pilothouse.base.database import WRITES, Database
from pilothouse.base.settings import Settings
from pilothouse.kit.errors import PilothouseError
from pilothouse.migrations import HEAD, KNOWN

log = structlog.get_logger()

_PATIENCE_MS = 3_600_000  # a large installation takes its time; on PostgreSQL the lock is waited for without end
_LOCK = 7_205_001  # any number; all of our processes ask PostgreSQL for the same one


class SchemaBehind(PilothouseError):
    """The database is older than this version."""

    hint = "Run `pilothouse migrate` first."


class SchemaAhead(PilothouseError):
    """The database was made by a newer version."""

    hint = "Install that version, or restore a backup made before the upgrade."


class DatabaseUnreachable(PilothouseError):
    """The database does not answer."""

    hint = "Is it running, and is PILOTHOUSE_DATABASE_URL right? `pilothouse doctor` looks closer."


async def ready_schema(profile: Profile, settings: Settings) -> None:
    """Migrate or check, as the settings and the profile say."""
    mode = settings.migrate or ("auto" if profile.embedded else "check")
    database = Database(profile.database_url, pool_size=2, busy_seconds=60)  # others may migrate just now
    try:
        current = await await_revision(database, settings.database_connect_timeout)
        if current == HEAD:
            return
        if current is not None and current not in KNOWN:
            raise SchemaAhead(schema=current)
        if mode == "check":
            raise SchemaBehind(schema=current)
        await migrate(profile, database)
    finally:
        await database.close()


async def migrate(profile: Profile, database: Database, *, to: str = HEAD) -> None:
    """Go up to a schema, the newest one if none is named. Safe to run from several processes at once, and again."""
    before = await current_revision(database)
    if before == to:
        return
    if profile.embedded and before is not None:
        backup = profile.sqlite_path.with_suffix(f".before-{to}.db")
        await asyncio.to_thread(_copy_sqlite, profile.sqlite_path, backup)
    # On SQLite a writer: others that start at this moment wait for the lock, then find nothing left to do.
    engine = database.engine.execution_options(**{WRITES: True})
    async with engine.connect() as connection:
        if database.sqlite:
            raw = await connection.get_raw_connection()
            await cast(aiosqlite.Connection, raw.driver_connection).execute(f"pragma busy_timeout={_PATIENCE_MS}")
        async with connection.begin():
            if not database.sqlite:
                await connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            await connection.run_sync(_upgrade, to)
    log.info("schema.migrated", before=before, after=to)


def _copy_sqlite(source: Path, target: Path) -> None:
    """By SQLite itself: the last commits may still lie in its write-ahead log."""
    with closing(sqlite3.connect(source)) as before, closing(sqlite3.connect(target)) as after:
        before.backup(after)


def _upgrade(connection: Connection, revision: str) -> None:
    command = cast(Any, importlib.import_module("alembic.command"))
    config = cast(Any, importlib.import_module("alembic.config")).Config()
    config.set_main_option("script_location", "pilothouse:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


async def current_revision(database: Database) -> str | None:
    """The schema's revision; None for an empty database."""
    async with database.engine.connect() as connection:
        if not await connection.run_sync(lambda sync: sync.dialect.has_table(sync, "alembic_version")):
            return None
        return (await connection.execute(text("select version_num from alembic_version"))).scalar_one_or_none()


async def await_revision(database: Database, seconds: float) -> str | None:
    """As `current_revision`, for a database that may still be starting. Raises `DatabaseUnreachable`."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            return await current_revision(database)
        except (OSError, DBAPIError) as error:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                raise DatabaseUnreachable from error
            log.warning("database.waiting", error=type(error).__name__)
            await asyncio.sleep(min(1.0, left))
