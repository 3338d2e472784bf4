"""Folders: a folder is there while files lie below it. Renamed, moved and thrown away with all that they hold."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy.exc import IntegrityError

from pilothouse.base.work import Read, Work
from pilothouse.features.files import queries
from pilothouse.features.files.errors import (
    DeletionUnconfirmed,
    FolderCycle,
    FolderNotFound,
    PathInvalid,
    PathTaken,
    StoredFileNotFound,
    TooManyFiles,
)
from pilothouse.features.files.models import StoredFile, put_at
from pilothouse.features.files.paths import Place, checked_parts, checked_place
from pilothouse.features.files.service import lock_workspace

MAX_AT_ONCE: Final = 10_000


class Folder(NamedTuple):
    """A folder, and what lies directly in it."""

    path: str
    name: str
    files: int
    size_bytes: int


async def list_folders(read: Read) -> list[Folder]:
    """The whole tree, each folder before those in it."""
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for path, count, size in await queries.count_by_folder(read):
        files[path], sizes[path] = count, size
        for parent in _parents(path):
            files[parent] += 0
    return [Folder(path, path.rpartition("/")[2], files[path], sizes[path]) for path in sorted(files) if path != "/"]


async def move_folder(work: Work, path: str, to: str) -> int:
    """Give a folder another path, with all that lies below; answers how many files that were.

    Raises `FolderNotFound`, `FolderCycle`, `PathTaken` and `PathInvalid`, and then nothing was moved.
    """
    old, new = _folder(path), _folder(to)
    if new == old:
        return len(await _below(work, old))
    if f"{new}/".startswith(f"{old}/"):
        raise FolderCycle
    await lock_workspace(work)
    files = await _below(work, old)
    await _move(work, [(file, checked_place(new + file.path[len(old) :])) for file in files])
    return len(files)


async def move_files(work: Work, file_ids: Sequence[str], to: str) -> list[StoredFile]:
    """Put files into a folder under the names that they have: all of them, or none."""
    folder = "" if to == "/" else _folder(to)
    await lock_workspace(work)
    files = await queries.files_by_id(work, file_ids)
    if len(files) != len(set(file_ids)):
        raise StoredFileNotFound
    await _move(work, [(file, checked_place(f"{folder}/{file.name}")) for file in files])
    return files


async def delete_folder(work: Work, path: str, *, confirm: bool) -> int:
    """Its files into the trash; answers how many. Raises `DeletionUnconfirmed`, which says what would be deleted."""
    await lock_workspace(work)
    files = await _below(work, _folder(path))
    if not confirm:
        raise DeletionUnconfirmed(files=len(files), size_bytes=sum(file.size_bytes for file in files))
    for file in files:
        file.deleted_at = work.now
    return len(files)


async def _move(work: Work, moves: Iterable[tuple[StoredFile, Place]]) -> None:
    """One after another, those with the shortest way first: what a folder moves up to may lie below it now."""
    ordered = sorted((move for move in moves if move[0].path != move[1].path), key=lambda move: len(move[1].path))
    leaving = {file.path for file, _ in ordered}
    places = [place.path for _, place in ordered]
    taken = [path for path in await queries.taken_paths(work, places) if path not in leaving]
    twice = [path for path, count in Counter(places).items() if count > 1]
    if taken or twice:
        raise PathTaken(path=min(taken or twice))
    overlapping = not leaving.isdisjoint(places)
    try:
        for file, place in ordered:
            put_at(file, place)
            file.updated_at = work.now
            if overlapping:
                await work.session.flush()
        await work.session.flush()
    except IntegrityError:  # a file that was coming in has the path by now
        raise PathTaken from None


async def _below(work: Work, folder: str) -> list[StoredFile]:
    files = await queries.files_below(work, folder, MAX_AT_ONCE + 1)
    if not files:
        raise FolderNotFound
    if len(files) > MAX_AT_ONCE:
        raise TooManyFiles(limit=MAX_AT_ONCE)
    return files


def _folder(text: str) -> str:
    """Spelled in one way only. The root is no folder that can be moved or deleted."""
    parts = checked_parts(text.rstrip("/") or "/")
    if not parts:
        raise PathInvalid("This is the workspace itself.")
    return "/" + "/".join(parts)


def _parents(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(2, len(parts)))
