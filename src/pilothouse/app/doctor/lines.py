"""Checks of what the installation talks to: database, broker, Redis, its own door."""

import asyncio
import time
from typing import Any, cast

import aio_pika
from aiormq.exceptions import AMQPError
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from pilothouse.app.doctor.finding import Finding, fail, ok, warn
from pilothouse.app.migrate import current_revision
from pilothouse.app.profile import Profile
from pilothouse.base.database import Database
from pilothouse.base.jobs.moves import DB_NOW
from pilothouse.base.settings import Settings
from pilothouse.migrations import HEAD, KNOWN

DRIFT_MICROS = 1_000_000
LARGE = 1024**3  # a file of this size cannot be read whole within a check's time


async def schema(database: Database) -> Finding:
    try:
        current = await current_revision(database)
    except (OSError, DBAPIError) as error:
        remedy = "Is it running, and is PILOTHOUSE_DATABASE_URL right?"
        return fail("database", f"It does not answer ({type(error).__name__}).", remedy)
    if current is None:
        return warn("database", "It answers and is empty.", "`pilothouse migrate` or the first start fills it.")
    if current not in KNOWN:
        return fail("database", "It was made by a newer version.", "Install that version, or restore a backup.")
    if current != HEAD:
        return fail("database", f"Its schema is {current}; this version needs {HEAD}.", "Run: pilothouse migrate")
    return ok("database", f"It answers, with schema {HEAD}.")


async def integrity(profile: Profile, database: Database) -> Finding:
    if profile.sqlite_path.stat().st_size > LARGE:
        return ok("integrity", "Not looked at: the database file is large.")
    async with database.reading() as session:
        verdict = await session.scalar(text("pragma quick_check(1)"))
    if verdict != "ok":
        return fail("integrity", f"{profile.sqlite_path} is damaged.", "Restore a backup into another directory.")
    return ok("integrity", "The database file is sound.")


async def clock(database: Database) -> Finding:
    async with database.reading() as session:
        theirs = int(await session.scalar(text(f"select {DB_NOW}")) or 0)
    drift = abs(theirs - time.time_ns() // 1000)
    if drift > DRIFT_MICROS:
        words = f"This machine and the database differ by {drift / 1_000_000:.1f} s."
        return warn("clock", words, "Let both follow a time server.")
    return ok("clock", "This machine and the database agree.")


async def broker(url: str) -> Finding:
    try:
        connection = await aio_pika.connect(url, timeout=4)
        await connection.close()
    except (AMQPError, OSError, TimeoutError, ValueError) as error:
        remedy = "Is RabbitMQ running, and is PILOTHOUSE_BROKER_URL right? Until then work starts with some delay."
        return fail("broker", f"It does not answer ({type(error).__name__}).", remedy)
    return ok("broker", "It answers.")


async def redis(url: str) -> Finding:
    try:
        client = cast(Any, Redis).from_url(url, socket_connect_timeout=4, socket_timeout=4)
    except ValueError:
        return fail("redis", "PILOTHOUSE_REDIS_URL is no address.", "It looks like redis://host:6379/0.")
    try:
        await client.execute_command("PING")
    except (RedisError, OSError, TimeoutError) as error:
        remedy = "Is Redis running, and is PILOTHOUSE_REDIS_URL right? Until then live events come with some delay."
        return fail("redis", f"It does not answer ({type(error).__name__}).", remedy)
    finally:
        await client.aclose()
    return ok("redis", "It answers.")


async def door(settings: Settings) -> Finding:
    """Whether this machine's own server says that it is ready."""
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::"} else settings.host
    where = f"{host}:{settings.port}"
    try:
        reader, writer = await asyncio.open_connection(host, settings.port)
    except OSError:
        return warn("server", f"Nothing listens on {where}.", "Start it: pilothouse serve")
    try:
        writer.write(f"GET /health/ready HTTP/1.1\r\nHost: {where}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        status = (await reader.readline()).split()
    finally:
        writer.close()
    if status[1:2] != [b"200"]:
        return fail("server", f"What listens on {where} is not ready.", "Its log says why.")
    return ok("server", f"Ready on {where}.")
