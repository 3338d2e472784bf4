"""The migrations give the tables that the code declares, on both databases, however many start at once."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
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
from sqlalchemy import MetaData, inspect, text
from sqlalchemy.engine import Connection

from pilothouse.app import migrate as migrating
from pilothouse.app.cli.desk import open_reader
from pilothouse.app.migrate import SchemaAhead, SchemaBehind, current_revision, migrate, ready_schema
from pilothouse.app.profile import Profile
from pilothouse.app.tables import metadata
from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
from pilothouse.base.settings import Settings
from pilothouse.features.chat import Draft, events
from pilothouse.features.chat.events import entry_text
from pilothouse.features.chat.queries import ListAsk, list_sessions
from pilothouse.kit.ids import UserId
from pilothouse.kit.json import JsonObject
from pilothouse.migrations import HEAD, KNOWN
from tests.databases import empty_postgres, sqlite_url

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.scaled)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A database without tables, on each dialect in turn."""
    if request.param == "sqlite":
        yield sqlite_url(tmp_path / "pilothouse.db")
        return
    with empty_postgres() as url:
        yield url


@pytest.fixture
async def database(empty_url: str) -> AsyncGenerator[Database]:
    made = Database(empty_url, pool_size=2)
    yield made
    await made.close()


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


NEW_SESSION = (
    "insert into chat_sessions (id, user_id, title, title_source, pinned, origin, created_at, updated_at, head,"
    " metadata, state, seen, ended, needs_user, prompt_tokens, completion_tokens)"
    " values (:id, 'ann', :title, 'auto', false, 'web', 1, 1, 0, '{}', '{}', 0, 0, false, 0, 0)"
)
NEW_MESSAGE = (
    "insert into chat_messages (session_id, message_id, user_id, digest, excerpt, created_at)"
    " values (:id, :message_id, 'ann', '', :excerpt, 1)"
)


async def test_sessions_stay_found_by_their_titles_and_messages(database: Database):
    """autopilot:1.7: those from before texts were folded, more of them than are folded at once."""
    profile = Profile(database.url, None, None)
    await migrate(profile, database, to="0017")
    titles = {"named": "Große PLÄNE", "bare": None, "said": "x"}
    messages = [{"id": "said", "message_id": f"{n:04}", "excerpt": f"ÄRGER {n}"} for n in range(2_100)]
    async with database.engine.begin() as connection:
        await connection.execute(text(NEW_SESSION), [{"id": id, "title": title} for id, title in titles.items()])
        await connection.execute(text(NEW_MESSAGE), messages)
    await migrate(profile, database)
    reader = open_reader(profile)
    for q, wanted in {"pläne": "named", "GROSSE": "named", "Ärger 0": "said", "ärger 2099": "said"}.items():
        found, total = await list_sessions(reader, Actor(UserId("ann")), ListAsk(q=q))
        assert ([view.id for view in found], total) == ([wanted], 1), q
    await reader.close()


NEW_TURN = (
    "insert into chat_turns (id, session_id, user_id, origin, arrival_at, message_event, first_event, last_event,"
    " created_at, ended_at, status, fence, flushes) values (:id, :session_id, 'ann', 'web', 1, :first, :first, :last,"
    " 1, :ended_at, :status, 1, 1)"
)
NEW_SEGMENT = "insert into segments (log_id, first, last, fence, body) values (:session_id, :first, :last, 1, :body)"


def turn_of(session_id: str, first: int, *drafts: Draft | None, ended: bool = True) -> tuple[JsonObject, JsonObject]:
    """The rows of a turn and of its log; None: an event that was trimmed."""
    turn_id, last = f"{session_id}-{first}", first + len(drafts) - 1
    texts = ["null" if draft is None else entry_text(draft, turn_id, 1) for draft in drafts]
    span: JsonObject = {"session_id": session_id, "first": first, "last": last}
    end: JsonObject = (
        {"status": "completed", "ended_at": 1} if ended else {"status": None, "ended_at": None, "last": None}
    )
    return {"id": turn_id, **span, **end}, {**span, "body": f"[{','.join(texts)}]"}


async def test_sessions_are_found_by_what_autopilot_said_before(database: Database):
    """autopilot:1.7: in turns that ended before their words were kept, more of them than are read at once."""
    profile = Profile(database.url, None, None)
    await migrate(profile, database, to="0018")
    half = (events.text_end("a", "taken BACK"), events.step_reset(["a"]))
    turns = [
        turn_of("old", 1, None, *half, events.text_end("b", "Viel ÄRGER"), events.text_end("c", "und \x00Mühe")),
        turn_of("old", 6, events.reasoning_end("d", "thought")),
        turn_of("open", 1, events.text_end("e", "not yet"), ended=False),
        *(turn_of("long", n, events.text_end("f", f"number {n}.")) for n in range(1, 1_100)),
    ]
    async with database.engine.begin() as connection:
        await connection.execute(text(NEW_SESSION), [{"id": id, "title": "x"} for id in ("old", "open", "long")])
        await connection.execute(text(NEW_TURN), [turn for turn, _ in turns])
        await connection.execute(text(NEW_SEGMENT), [segment for _, segment in turns])
    await migrate(profile, database)
    reader = open_reader(profile)
    wanted = {"ärger\nund mühe": ["old"], "number 1099.": ["long"], "back": [], "thought": [], "not yet": []}
    for q, ids in wanted.items():
        found, _ = await list_sessions(reader, Actor(UserId("ann")), ListAsk(q=q))
        assert [view.id for view in found] == ids, q
    assert await reader.rows("select id from chat_turns where said is null") == [("open-1",)]
    await reader.close()


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
