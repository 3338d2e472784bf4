"""Makes a backup beside a running installation."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson
from sqlalchemy import text

from pilothouse import __version__
from pilothouse.app.backup.archive import Archive, Manifest, new_archive
from pilothouse.app.backup.dump_rows import Snapshot, postgres_snapshot, sqlite_snapshot
from pilothouse.app.backup.load_rows import table_member
from pilothouse.app.backup.sealing import gather_secrets, seal
from pilothouse.app.migrate import SchemaAhead, SchemaBehind, await_revision
from pilothouse.app.profile import Profile, profile_of
from pilothouse.app.tables import metadata
from pilothouse.base.database import Database
from pilothouse.base.keyring import open_keyring
from pilothouse.base.postgres import dsn_of
from pilothouse.base.settings import Settings
from pilothouse.kit.clock import to_micros
from pilothouse.kit.errors import PilothouseError
from pilothouse.migrations import HEAD, KNOWN

# Leases of processes that will not be there where the backup is restored.
LEFT_OUT = frozenset({"workers"})


class NothingToBackUp(PilothouseError):
    """There is no installation in this data directory."""


class BackupUnwritable(PilothouseError):
    """The backup cannot be written."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made."""

    path: Path
    made_at: datetime
    rows: int
    files: int
    size: int
    with_secrets: bool


async def make_backup(settings: Settings, target: Path | None, passphrase: str | None = None) -> Backup:
    """Everything as of the moment this begins. With a passphrase, the secrets too, sealed with it."""
    profile = profile_of(settings)
    if profile.embedded and not profile.sqlite_path.exists():
        raise NothingToBackUp(f"There is no database in {settings.data_dir}.")
    database = Database(profile.database_url, pool_size=2)
    try:
        await _require_schema(database, settings.database_connect_timeout)
        made_at = datetime.now(UTC)
        path = _path(settings, target, made_at)
        try:
            with new_archive(path) as archive:
                await _fill(archive, settings, profile, made_at, passphrase)
                members = archive.members
        except OSError as error:
            raise BackupUnwritable(f"{path}: {error.strerror}.") from error
        await _remember(database, made_at)
    finally:
        await database.close()
    rows = sum(member.rows or 0 for member in members.values())
    files = sum(name.startswith("files/") for name in members)
    return Backup(path, made_at, rows, files, path.stat().st_size, passphrase is not None)


async def _require_schema(database: Database, patience: float) -> None:
    current = await await_revision(database, patience)
    if current != HEAD:
        raise SchemaBehind(schema=current) if current in {None, *KNOWN} else SchemaAhead(schema=current)


def _path(settings: Settings, target: Path | None, made_at: datetime) -> Path:
    name = f"pilothouse-{made_at:%Y%m%d-%H%M%S}.backup.zip"
    folder = settings.data_dir / "backups"
    if target is None:
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / name
    return target / name if target.is_dir() else target


async def _fill(
    archive: Archive, settings: Settings, profile: Profile, made_at: datetime, passphrase: str | None
) -> None:
    tables = [table for table in metadata.sorted_tables if table.name not in LEFT_OUT]
    async with _snapshot(profile) as snapshot:
        for table in tables:
            await _dump(archive, snapshot, table.name, [column.name for column in table.columns])
    # After the rows: what they speak of was there before them.
    if settings.files_dir.is_dir():
        for path in sorted(settings.files_dir.rglob("*")):
            name = path.relative_to(settings.files_dir).as_posix()
            if not name.startswith("."):  # what is still coming in is no file yet
                _keep_file(archive, path, name)
    fingerprint = open_keyring(settings).fingerprint()
    if passphrase is not None:
        with archive.member("secrets") as sink:
            sink.write(seal(gather_secrets(settings), passphrase))
    names = [table.name for table in tables]
    archive.close_with(Manifest(HEAD, __version__, made_at.isoformat(), fingerprint, names, archive.members))


def _snapshot(profile: Profile) -> AbstractAsyncContextManager[Snapshot]:
    if profile.embedded:
        return sqlite_snapshot(profile.sqlite_path)
    return postgres_snapshot(dsn_of(profile.database_url))


async def _dump(archive: Archive, snapshot: Snapshot, table: str, columns: list[str]) -> None:
    with archive.member(table_member(table)) as sink:
        sink.rows = 0
        sink.write(orjson.dumps(columns) + b"\n")
        async for batch in snapshot.rows(table, columns):
            sink.rows += len(batch)
            sink.write(b"\n".join(map(orjson.dumps, batch)) + b"\n")


def _keep_file(archive: Archive, path: Path, name: str) -> None:
    if path.is_symlink() or not path.is_file():
        return
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return  # deleted since it was listed
    with file, archive.member(f"files/{name}") as sink:
        while chunk := file.read(1024 * 1024):
            sink.write(chunk)


async def _remember(database: Database, made_at: datetime) -> None:
    """For `doctor`, which tells how old the last backup is."""
    moment = to_micros(made_at)
    async with database.writing() as session:
        await session.execute(
            text(
                "insert into leases (name, owner, expires_at, last_run_at) values ('backup', '', 0, :moment)"
                " on conflict (name) do update set last_run_at=excluded.last_run_at"
            ),
            {"moment": moment},
        )
