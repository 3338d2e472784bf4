"""What short commands work with: the database, in short transactions beside whatever else runs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pilothouse.app.migrate import ready_schema
from pilothouse.app.profile import Profile, profile_of
from pilothouse.base.actor import SYSTEM, Actor
from pilothouse.base.database import Database
from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader, Reader, SqliteReader
from pilothouse.base.settings import Settings
from pilothouse.base.work import Units
from pilothouse.features.accounts import find_actor


@dataclass(frozen=True, slots=True)
class Desk:
    """No broker, no worker, no lock."""

    settings: Settings
    profile: Profile
    units: Units
    reader: Reader

    async def actor(self, email: str | None) -> Actor:
        """On whose behalf the command works: the user named, else the owner."""
        async with self.units.read(SYSTEM) as read:
            return await find_actor(read, email)


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncGenerator[Desk]:
    """Raises `DatabaseUnreachable` and the like. A first command on an empty directory makes the database."""
    profile = profile_of(settings)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    await ready_schema(profile, settings)
    database = Database(profile.database_url, pool_size=2)
    reader = open_reader(profile)
    try:
        yield Desk(settings, profile, Units(database), reader)
    finally:
        await reader.close()
        await database.close()


def open_reader(profile: Profile) -> Reader:
    if profile.embedded:
        return SqliteReader(profile.sqlite_path)
    return PostgresReader(dsn_of(profile.database_url), size=2)
