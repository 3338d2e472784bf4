"""Which checks there are, and how each is kept from hanging or failing the others."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from sqlalchemy.exc import DBAPIError

from pilothouse.app.doctor import lines, machine, work
from pilothouse.app.doctor.finding import Finding, fail, ok
from pilothouse.app.doctor.walls import sandbox
from pilothouse.app.profile import Profile, ProfileImpossible, profile_of
from pilothouse.base.database import Database
from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader, Reader, SqliteReader
from pilothouse.base.settings import Settings
from pilothouse.base.settings_sources import Reading
from pilothouse.kit.errors import PilothouseError

SECONDS_PER_CHECK = 5.0

Check: TypeAlias = tuple[str, Callable[[], Awaitable[Finding]]]


async def examine(reading: Reading) -> list[Finding]:
    """Everything, in an order in which a later check may rest on earlier ones. Changes nothing."""
    settings = reading.settings
    findings = [machine.versions(), machine.settings_names(reading), machine.production(settings)]
    findings += [machine.data_directory(settings), machine.secrets(settings), machine.disk(settings)]
    findings += [machine.file_store(settings), await _in_time(("sandbox", lambda: sandbox(settings)))]
    try:
        profile = profile_of(settings)
    except ProfileImpossible as error:
        return [*findings, fail("profile", error.message, error.advice or "")]
    findings.append(ok("profile", "Embedded: SQLite." if profile.embedded else "PostgreSQL."))
    findings += await _examine_lines(settings, profile)
    if not profile.embedded or profile.sqlite_path.exists():
        findings += await _examine_database(settings, profile)
    return findings


async def _examine_lines(settings: Settings, profile: Profile) -> list[Finding]:
    checks: list[Check] = [("server", lambda: lines.door(settings))]
    if (broker := profile.broker_url) is not None:
        checks.append(("broker", lambda: lines.broker(broker)))
    if (redis := profile.redis_url) is not None:
        checks.append(("redis", lambda: lines.redis(redis)))
    return list(await asyncio.gather(*(_in_time(check) for check in checks)))


async def _examine_database(settings: Settings, profile: Profile) -> list[Finding]:
    database = Database(profile.database_url, pool_size=2)
    try:
        schema = await _in_time(("database", lambda: lines.schema(database)))
        if schema.level != "ok":
            return [schema]
        reader = _reader(profile)
        try:
            checks = _database_checks(settings, profile, database, reader)
            return [schema, *[await _in_time(check) for check in checks]]
        finally:
            await reader.close()
    finally:
        await database.close()


def _database_checks(settings: Settings, profile: Profile, database: Database, reader: Reader) -> list[Check]:
    own: Check = ("clock", lambda: lines.clock(database))
    if profile.embedded:
        own = ("integrity", lambda: lines.integrity(profile, database))
    return [
        own,
        ("owner", lambda: work.owner(reader)),
        ("workers", lambda: work.workers(settings, profile, reader)),
        ("held", lambda: work.held(reader)),
        ("stuck jobs", lambda: work.stuck(reader)),
        ("repeated jobs", lambda: work.repeated(reader)),
        ("backup", lambda: work.backups(reader)),
    ]


def _reader(profile: Profile) -> Reader:
    if profile.embedded:
        return SqliteReader(profile.sqlite_path)
    return PostgresReader(dsn_of(profile.database_url), size=1)


async def _in_time(check: Check) -> Finding:
    name, look = check
    began = time.monotonic()
    try:
        async with asyncio.timeout(SECONDS_PER_CHECK):
            return await look()
    except TimeoutError:
        return fail(name, f"No answer in {time.monotonic() - began:.0f} s.", "Is it overloaded or out of reach?")
    except (PilothouseError, OSError, DBAPIError) as error:
        return fail(name, f"It could not be looked at ({type(error).__name__}).", "The other findings may say why.")
