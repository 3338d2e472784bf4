"""Makes an installation out of a backup. It is held until `pilothouse resume`."""

import asyncio
import os
import shutil
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import text

from pilothouse.app.backup.archive import BackupDamaged, Stored, open_archive
from pilothouse.app.backup.load_rows import load_postgres, load_sqlite
from pilothouse.app.backup.sealing import unseal, write_secrets
from pilothouse.app.holds import hold_statement
from pilothouse.app.migrate import await_revision, migrate
from pilothouse.app.profile import Profile, ProfileImpossible, profile_of
from pilothouse.base.database import Database
from pilothouse.base.directory_lock import hold_directory
from pilothouse.base.jobs.moves import DB_NOW
from pilothouse.base.postgres import dsn_of
from pilothouse.base.settings import Settings
from pilothouse.kit.errors import Conflict, PilothouseError
from pilothouse.migrations import HEAD, KNOWN

# May lie in the target beforehand: the operator's own, and what we leave there ourselves.
HARMLESS = frozenset({"serve.lock", "pilothouse.toml", "lost+found", "secrets", "backups"})


class BackupNewer(PilothouseError):
    """This backup was made by a newer version."""

    hint = "Install that version first."


class TargetNotEmpty(Conflict):
    """The target is not empty."""

    hint = "Choose an empty directory, or say --force: what is there is then moved aside, not deleted."


class TargetInUse(Conflict):
    """Workers run on this database."""

    hint = "Stop every process of this installation first."


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore made."""

    data_dir: Path
    made_at: str
    rows: int
    files: int
    with_secrets: bool
    moved_aside: Path | None


async def restore_backup(settings: Settings, source: Path, *, force: bool, passphrase: str | None) -> Restored:
    """Fill `settings.data_dir`, and the database of `settings`. Refuses before it changes anything."""
    profile = profile_of(settings)
    target = settings.data_dir
    if profile.embedded and profile.sqlite_path.parent != target:
        raise ProfileImpossible("PILOTHOUSE_DATABASE_URL names a SQLite file elsewhere.", hint="Leave it out.")
    with ExitStack() as stack:
        stored = stack.enter_context(open_archive(source))
        _require_known(stored)
        sealed = _secrets(stored, passphrase)
        _make_directory(target)
        stack.enter_context(hold_directory(target))
        present = _present(target, with_secrets=sealed is not None)
        if present and not force:
            raise TargetNotEmpty(f"{target} is not empty.")
        draft = target / f".restoring-{time.time_ns()}"
        draft.mkdir(mode=0o700)
        stack.callback(shutil.rmtree, draft, ignore_errors=True)
        _unpack_files(stored, draft / "files")
        if sealed is not None:
            write_secrets(draft / "secrets", sealed)
        if profile.embedded:
            await _fill_sqlite(stored, draft / profile.sqlite_path.name)
        else:
            await _fill_postgres(stored, profile, settings.database_connect_timeout, force=force)
        aside = _move_in(draft, target, present)
    manifest = stored.manifest
    rows = sum(member.rows or 0 for member in manifest.members.values())
    files = len(list(stored.names("files")))
    return Restored(target, manifest.made_at, rows, files, sealed is not None, aside)


def _make_directory(target: Path) -> None:
    target.mkdir(mode=0o700, parents=True, exist_ok=True)


def _require_known(stored: Stored) -> None:
    if stored.manifest.schema not in KNOWN:
        raise BackupNewer(f"This backup has schema {stored.manifest.schema}; this version knows up to {HEAD}.")


def _secrets(stored: Stored, passphrase: str | None) -> dict[str, str] | None:
    if passphrase is None or "secrets" not in stored.manifest.members:
        return None
    return unseal(b"".join(stored.chunks("secrets")), passphrase)


def _present(target: Path, *, with_secrets: bool) -> list[Path]:
    """What a restore would put something in the place of."""
    harmless = HARMLESS - {"secrets"} if with_secrets else HARMLESS
    return [path for path in target.iterdir() if path.name not in harmless and not path.name.startswith(".restoring-")]


def _unpack_files(stored: Stored, place: Path) -> None:
    place.mkdir(mode=0o700)
    for name in stored.names("files"):
        path = place / name.removeprefix("files/")
        if ".." in path.parts or not path.resolve().is_relative_to(place.resolve()):
            raise BackupDamaged(f"{name} points out of the directory.")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("xb") as file:
            for chunk in stored.chunks(name):
                file.write(chunk)
        path.chmod(0o600)


async def _fill_sqlite(stored: Stored, path: Path) -> None:
    profile = Profile(f"sqlite+aiosqlite:///{path}", None, None)
    await _make_schema(profile, stored.manifest.schema)
    await asyncio.to_thread(load_sqlite, path, stored, _hold())
    await _make_schema(profile, HEAD)


async def _fill_postgres(stored: Stored, profile: Profile, patience: float, *, force: bool) -> None:
    database = Database(profile.database_url, pool_size=2)
    try:
        current = await await_revision(database, patience)
        if current is not None:
            await _require_unused(database, force=force)
            if current != stored.manifest.schema:
                raise TargetNotEmpty(f"The database has schema {current}.", hint="Restore into an empty database.")
    finally:
        await database.close()
    await _make_schema(profile, stored.manifest.schema)
    await load_postgres(dsn_of(profile.database_url), stored, _hold(), replace=force)
    await _make_schema(profile, HEAD)


async def _require_unused(database: Database, *, force: bool) -> None:
    async with database.reading() as session:
        if await session.scalar(text(f"select 1 from workers where expires_at > {DB_NOW} limit 1")):
            raise TargetInUse
        taken = "select 1 where exists (select 1 from users) or exists (select 1 from runs)"
        if not force and await session.scalar(text(taken)):
            raise TargetNotEmpty("The database is not empty.", hint="Say --force to replace what is in it.")


async def _make_schema(profile: Profile, revision: str) -> None:
    database = Database(profile.database_url, pool_size=2)
    try:
        await migrate(profile, database, to=revision)
    finally:
        await database.close()


def _hold() -> str:
    return hold_statement(time.time_ns() // 1000)


def _move_in(draft: Path, target: Path, present: list[Path]) -> Path | None:
    """Put everything in its place; the database last, so that a half-moved restore is seen to be one."""
    aside = None
    if present:
        aside = target / f"backups/replaced-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        aside.mkdir(mode=0o700, parents=True)
        for path in present:
            path.rename(aside / path.name)
    os.sync()  # all of it is on disk before any of it is in place
    for path in sorted(draft.iterdir(), key=lambda each: each.name.startswith("pilothouse.db")):
        path.rename(target / path.name)
    return aside
