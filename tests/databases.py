"""A fresh database for one test, copied from a template that is made once per run."""

import asyncio
import shutil
import uuid
from collections.abc import Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from sqlalchemy import NullPool, text
from sqlalchemy.engine.url import make_url
from sqlalchemy.ext.asyncio import create_async_engine

import pilothouse
from pilothouse.base.database import Database, metadata
from tests import services

T = TypeVar("T")


async def prepare(url: str) -> None:
    """Make the schema in an empty database."""
    for module in walk_packages(pilothouse.__path__, "pilothouse."):
        if module.name.rsplit(".", 1)[-1] in {"models", "tables"}:
            import_module(module.name)
    database = Database(url, pool_size=2)
    async with database.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    await database.close()


@contextmanager
def fresh_sqlite(folder: Path) -> Generator[str]:
    """A SQLite file of this test's own."""
    with services.only_one("sqlite.template") as template:
        if not template.exists():
            making = template.with_suffix(".making")
            apart(prepare(sqlite_url(making)))
            making.rename(template)
    path = folder / "pilothouse.db"
    shutil.copy(template, path)
    yield sqlite_url(path)


@contextmanager
def fresh_postgres() -> Generator[str]:
    """A PostgreSQL database of this test's own; dropped afterwards, whoever is still connected."""
    server = services.need("postgres")
    with _postgres_from(server, postgres_template(server)) as url:
        yield url


@contextmanager
def empty_postgres() -> Generator[str]:
    """As `fresh_postgres`, without our tables."""
    with _postgres_from(services.need("postgres"), "template0") as url:
        yield url


@contextmanager
def _postgres_from(server: str, template: str) -> Generator[str]:
    name = f"ph_test_{services.worker_name()}_{uuid.uuid4().hex[:12]}"
    apart(tell(server, f'create database "{name}" template "{template}" encoding utf8'))
    try:
        yield at_database(server, name)
    finally:
        apart(tell(server, f'drop database if exists "{name}" with (force)'))


def postgres_template(server: str) -> str:
    """The name of the template of this run, made by the first that asks."""
    name = f"ph_template_{services.run_name()}"
    with services.only_one("postgres.template") as note:
        if not note.exists():
            apart(tell(server, f'create database "{name}" template template0 encoding utf8'))
            apart(prepare(at_database(server, name)))
            note.write_text(name)
    return name


def drop_template() -> None:
    """Called once, when the run ends."""
    note = services.run_folder() / "postgres.template"
    if note.exists():
        apart(tell(services.url_of("postgres"), f'drop database if exists "{note.read_text()}" with (force)'))


async def tell(server: str, statement: str) -> None:
    """Run one statement outside a transaction, as making and dropping databases asks for."""
    url = make_url(server).set(drivername="postgresql+asyncpg")
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()


def at_database(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def sqlite_url(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def apart(doing: Coroutine[Any, Any, T]) -> T:
    """Run to its end in a thread with a loop of its own, so that the loop of the test is left alone."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, doing).result()
