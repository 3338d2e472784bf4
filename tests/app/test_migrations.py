"""The migrations give the tables that the code declares, on both databases, however many start at once."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, cast

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, inspect
from sqlalchemy.engine import Connection

from pilothouse.app import migrate as migrating
from pilothouse.app.migrate import SchemaAhead, SchemaBehind, current_revision, migrate, ready_schema
from pilothouse.app.profile import Profile
from pilothouse.app.tables import metadata
from pilothouse.base.database import Database
from pilothouse.base.settings import Settings
from pilothouse.migrations import HEAD, KNOWN
from tests.databases import sqlite_url

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


@cache
def declared() -> MetaData:
    """Our tables alone: tests declare some of their own beside them."""
    listed = "from pilothouse.app.tables import metadata; print(*metadata.tables)"
    said = subprocess.run([sys.executable, "-c", listed], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    ours = MetaData(naming_convention=metadata.naming_convention)
    for name in said.stdout.split():
        metadata.tables[name].to_metadata(ours)
    return ours


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", "pilothouse:migrations")
    return ScriptDirectory.from_config(config)


def test_the_known_revisions_are_the_scripts_in_order():
    found = [script.revision for script in scripts().walk_revisions()][::-1]
    assert tuple(found) == KNOWN
    assert scripts().get_current_head() == HEAD


def differences(connection: Connection) -> list[Any]:
    return cast(list[Any], compare_metadata(MigrationContext.configure(connection), declared()))


def described(connection: Connection) -> dict[str, Any]:
    """Everything that the database itself says of our tables."""
    looked = inspect(connection)
    return {
        name: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in looked.get_columns(name)
            },
            "primary key": looked.get_pk_constraint(name)["constrained_columns"],
            "unique": sorted(str(found["column_names"]) for found in looked.get_unique_constraints(name)),
            "foreign keys": sorted(
                f"{found['constrained_columns']} {found['referred_table']} {found.get('options')}"
                for found in looked.get_foreign_keys(name)
            ),
            "indexes": sorted(
                f"{found['name']} {found['column_names']} {found['unique']} {where_of(found)}"
                for found in looked.get_indexes(name)
            ),
        }
        for name in looked.get_table_names()
        if name != "alembic_version"
    }


def where_of(index: Any) -> str:
    options = index.get("dialect_options", {})
    return str(options.get("sqlite_where", options.get("postgresql_where")))


async def test_migrating_gives_the_tables_that_the_code_declares(database: Database):
    await migrate(Profile(database.url, None, None), database)
    async with database.engine.connect() as connection:
        assert await connection.run_sync(differences) == []
        migrated = await connection.run_sync(described)
    async with database.engine.begin() as connection:
        await connection.run_sync(declared().drop_all)
        await connection.run_sync(declared().create_all)
        assert await connection.run_sync(described) == migrated


STARTER = """
import asyncio, os, sys
from pilothouse.app.migrate import migrate
from pilothouse.app.profile import Profile
from pilothouse.base.database import Database

async def main():
    database = Database(sys.argv[1], pool_size=2)
    await migrate(Profile(sys.argv[1], None, None), database)
    await database.close()

def start():
    if pid := os.fork():
        return pid
    asyncio.run(main())
    os._exit(0)

started = [start() for _ in range(3)]
print(*(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in started))
"""


async def test_processes_that_migrate_at_once_agree(database: Database):
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STARTER, database.url, env=ENVIRONMENT, stdout=pipe, stderr=pipe
    )
    out, problems = await process.communicate()
    assert out.split()[-3:] == [b"0"] * 3, problems.decode()
    assert await current_revision(database) == HEAD


class Hasty(Database):
    """Waits a tenth as long for a writer as it was told to."""

    def __init__(self, url: str, *, pool_size: int = 12, busy_seconds: float = 5) -> None:
        super().__init__(url, pool_size=pool_size, busy_seconds=busy_seconds / 10)


async def test_a_process_that_starts_waits_for_another_that_migrates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Longer than any other writer would wait, which is five seconds, here half of one."""
    assert signature(Database).parameters["busy_seconds"].default == 5
    monkeypatch.setattr(migrating, "Database", Hasty)
    path = tmp_path / "pilothouse.db"
    database = Database(sqlite_url(path), pool_size=2)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("pragma journal_mode=wal")
        other.execute("begin immediate")
        settings = Settings.model_validate({"data_dir": tmp_path})
        waiting = asyncio.create_task(ready_schema(Profile(database.url, None, None), settings))
        await asyncio.sleep(1.0)
        assert not waiting.done()
        other.execute("rollback")
        await waiting
    assert await current_revision(database) == HEAD
    await database.close()


async def test_a_schema_that_is_not_ours_to_change_stops_the_start(database: Database, tmp_path: Path):
    settings = Settings.model_validate({"data_dir": tmp_path, "migrate": "check"})
    profile = Profile(database.url, None, None)
    with pytest.raises(SchemaBehind):
        await ready_schema(profile, settings)
    await migrate(profile, database)
    await ready_schema(profile, settings)
    async with database.engine.begin() as connection:
        await connection.exec_driver_sql("update alembic_version set version_num='9999'")
    with pytest.raises(SchemaAhead):
        await ready_schema(profile, settings)
