"""Every select of files, scoped to the actor."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from sqlalchemy import ColumnElement, Select, case, func, select

from pilothouse.base.work import Read
from pilothouse.features.files.errors import StoredFileNotFound
from pilothouse.features.files.models import FileReservation, FileRevision, StoredFile

_AT_ONCE: Final = 500


class FileFilter(NamedTuple):
    """Which files to list; what is None does not matter."""

    folder: str | None = None
    below: str | None = None  # a folder, with all that lies in it
    origin: Literal["upload", "run", "session"] | None = None
    type: str | None = None  # `image/png`, or `image` for all images
    text: str | None = None  # in the name, in capitals or not
    deleted: bool = False
    session_id: str | None = None  # what this session sees: its own, and the person's


class Usage(NamedTuple):
    """What a workspace holds."""

    files: int
    used_bytes: int
    trash_files: int
    trash_bytes: int


def _mine(read: Read, *, deleted: bool | None = False) -> Select[StoredFile]:
    """`deleted` None: in the trash or not."""
    query = select(StoredFile).where(StoredFile.user_id == read.actor.user_id)
    if deleted is None:
        return query
    return query.where(StoredFile.deleted_at.is_not(None) if deleted else StoredFile.deleted_at.is_(None))


async def get_file(read: Read, file_id: str, *, deleted: bool | None = False, lock: bool = False) -> StoredFile:
    """Raises `StoredFileNotFound` for an unknown one, another's, and one in the trash, unless that may be asked for."""
    query = _mine(read, deleted=deleted).where(StoredFile.id == file_id)
    found = await read.session.scalar(query.with_for_update() if lock else query)
    if found is None:
        raise StoredFileNotFound
    return found


async def has_path(read: Read, path: str) -> bool:
    return await read.session.scalar(_mine(read).where(StoredFile.path == path)) is not None


async def page_of_files(read: Read, which: FileFilter, limit: int, before: str | None) -> Sequence[StoredFile]:
    """Newest first."""
    query = _mine(read, deleted=which.deleted)
    if which.folder is not None:
        query = query.where(StoredFile.folder == which.folder)
    if which.below is not None:
        query = query.where(_is_below(which.below.rstrip("/")))
    if which.origin is not None:
        query = query.where(StoredFile.origin == which.origin)
    if which.type is not None:
        whole = "/" in which.type
        kind = StoredFile.mime_type
        query = query.where(kind == which.type if whole else kind.startswith(f"{which.type}/", autoescape=True))
    if which.text is not None:
        query = query.where(StoredFile.name.icontains(which.text, autoescape=True))
    if which.session_id is not None:
        own = (StoredFile.scope == "session") & (StoredFile.scope_id == which.session_id)
        query = query.where((StoredFile.scope == "user") | own)
    if before is not None:
        query = query.where(StoredFile.id < before)
    return (await read.session.scalars(query.order_by(StoredFile.id.desc()).limit(limit))).all()


async def files_below(read: Read, folder: str, limit: int) -> list[StoredFile]:
    """All in a folder and in those in it, locked."""
    query = _mine(read).where(_is_below(folder)).order_by(StoredFile.id).limit(limit).with_for_update()
    return list((await read.session.scalars(query)).all())


def _is_below(folder: str) -> ColumnElement[bool]:
    """By comparison, for SQLite's `like` takes capitals and small letters for the same."""
    prefix = f"{folder}/"
    return func.substr(StoredFile.path, 1, len(prefix)) == prefix


async def files_by_id(read: Read, file_ids: Sequence[str]) -> list[StoredFile]:
    """Those that are there, locked."""
    query = _mine(read).where(StoredFile.id.in_(file_ids)).order_by(StoredFile.id).with_for_update()
    return list((await read.session.scalars(query)).all())


async def taken_paths(read: Read, paths: Sequence[str]) -> list[str]:
    """Those of these paths under which files lie."""
    found: list[str] = []
    for start in range(0, len(paths), _AT_ONCE):
        asked = StoredFile.path.in_(paths[start : start + _AT_ONCE])
        mine = _mine(read).where(asked).with_only_columns(StoredFile.path)
        found += (await read.session.scalars(mine)).all()
    return found


async def count_by_folder(read: Read) -> list[tuple[str, int, int]]:
    """Each folder in which a file lies: how many, and how large they are."""
    size = func.sum(StoredFile.size_bytes)
    mine = _mine(read).with_only_columns(StoredFile.folder, func.count(), size).group_by(StoredFile.folder)
    return [(folder, int(count), int(total)) for folder, count, total in await read.session.execute(mine)]


async def list_revisions(read: Read, file_id: str) -> Sequence[FileRevision]:
    """Newest first."""
    query = select(FileRevision).where(FileRevision.file_id == file_id).order_by(FileRevision.revision.desc())
    return (await read.session.scalars(query)).all()


async def reserved_bytes(read: Read) -> int:
    """Room that is held for files that are coming in."""
    held = (FileReservation.user_id == read.actor.user_id) & (FileReservation.expires_at > read.now)
    return int(await read.session.scalar(select(func.sum(FileReservation.size_bytes)).where(held)) or 0)


async def get_usage(read: Read) -> Usage:
    live = StoredFile.deleted_at.is_(None)
    size = StoredFile.kept_bytes
    columns = (
        func.coalesce(func.sum(case((live, 1), else_=0)), 0),
        func.coalesce(func.sum(case((live, size), else_=0)), 0),
        func.coalesce(func.sum(case((live, 0), else_=1)), 0),
        func.coalesce(func.sum(case((live, 0), else_=size)), 0),
    )
    row = (await read.session.execute(select(*columns).where(StoredFile.user_id == read.actor.user_id))).one()
    return Usage(*map(int, row))
