"""Files that are there: moved, thrown away, taken back. Every door calls these."""

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from pilothouse.base.work import Work
from pilothouse.features.files import queries
from pilothouse.features.files.cabinet import Limits
from pilothouse.features.files.errors import PathTaken, QuotaExceeded
from pilothouse.features.files.models import StoredFile, Workspace, put_at
from pilothouse.features.files.paths import Place, checked_place


async def move_file(work: Work, file_id: str, path: str) -> StoredFile:
    """Give a file another path; its id, and so every reference to it, stays."""
    place = checked_place(path)
    await lock_workspace(work)
    file = await queries.get_file(work, file_id, lock=True)
    if place.path != file.path:
        await _require_free(work, place)
        put_at(file, place)
        file.updated_at = work.now
        await _settle(work, place)
    return file


async def delete_file(work: Work, file_id: str) -> None:
    """Into the trash, from where it can be taken back for 30 days."""
    file = await queries.get_file(work, file_id, lock=True)
    file.deleted_at = work.now


async def restore_file(work: Work, file_id: str, limits: Limits) -> StoredFile:
    """Out of the trash, to where it was; one that is not in it stays. Raises `PathTaken` and `QuotaExceeded`."""
    await lock_workspace(work)
    file = await queries.get_file(work, file_id, deleted=None, lock=True)
    if file.deleted_at is None:
        return file
    place = checked_place(file.path)
    await _require_free(work, place)
    used = (await queries.get_usage(work)).used_bytes + await queries.reserved_bytes(work)
    if limits.quota_bytes is not None and used + file.kept_bytes > limits.quota_bytes:
        raise QuotaExceeded(used_bytes=used, limit_bytes=limits.quota_bytes)
    file.deleted_at = None
    await _settle(work, place)
    return file


async def lock_workspace(work: Work) -> None:
    """Whoever puts something under a path goes through here, one after another."""
    query = select(Workspace).where(Workspace.user_id == work.actor.user_id)
    await work.session.scalar(query.with_for_update())


async def _settle(work: Work, place: Place) -> None:
    """A file that was coming in may have the path by now."""
    try:
        await work.session.flush()
    except IntegrityError:
        raise PathTaken(path=place.path) from None


async def _require_free(work: Work, place: Place) -> None:
    if await queries.has_path(work, place.path):
        raise PathTaken(path=place.path)
