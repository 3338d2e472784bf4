"""The rows of a file that comes in: room is held before the first byte, and the file appears after the last.

As scripts, for a file that a step writes must land with the step.
"""

from typing import Final, NamedTuple

from pilothouse.base.scripted import Script, Scripted
from pilothouse.features.files.media_types import MediaType
from pilothouse.features.files.paths import Place

KEPT_REVISIONS: Final = 20

_LOCK: Final = "select user_id from workspaces where user_id=?1 for update"
_OPEN: Final = "insert into workspaces (user_id, created_at) values (?1, ?2) on conflict do nothing"
_CLOSE: Final = "delete from workspaces where user_id=?1"
_AT_PATH: Final = "select id, revision, sha256 from workspace_files where user_id=?1 and path=?2 and deleted_at is null"
_HELD: Final = "select 1 from file_reservations where user_id=?1 and path=?2 and id<>?3 and expires_at>?4"
_USED: Final = (
    "select coalesce((select sum(kept_bytes) from workspace_files where user_id=?1 and deleted_at is null), 0)"
    " + coalesce((select sum(size_bytes) from file_reservations where user_id=?1 and id<>?2 and expires_at>?3), 0)"
)
_RESERVE: Final = (
    "insert into file_reservations (id, user_id, path, size_bytes, expires_at) values (?1, ?2, ?3, ?4, ?5)"
    " on conflict (id) do update set size_bytes=excluded.size_bytes, expires_at=excluded.expires_at"
)


class Reserved(NamedTuple):
    """What became of an ask for room: `file_id` is the file that it is for, if it was granted."""

    file_id: str | None = None
    taken: bool = False
    used: int | None = None  # when there is no room


class Room(NamedTuple):
    """An ask for room. Asked for again with more bytes, it grows."""

    reservation_id: str
    file_id: str  # the file's, if there is none under the path yet
    user_id: str
    path: str
    size: int
    overwrite: bool
    quota: int | None
    now: int
    expires_at: int


def _reserve(room: Room) -> Script:
    is_new = not (yield _LOCK, (room.user_id,))
    if is_new:
        yield _OPEN, (room.user_id, room.now)
        yield _LOCK, (room.user_id,)
    answer = yield from _judged(room)
    if answer.file_id is None:
        if is_new:
            yield _CLOSE, (room.user_id,)
        return answer
    yield _RESERVE, (room.reservation_id, room.user_id, room.path, room.size, room.expires_at)
    return answer


def _judged(room: Room) -> Script:
    present = yield _AT_PATH, (room.user_id, room.path)
    if not room.overwrite:
        held = yield _HELD, (room.user_id, room.path, room.reservation_id, room.now)
        if held or any(row[0] != room.file_id for row in present):
            return Reserved(taken=True)
    if room.quota is not None:
        ((used,),) = yield _USED, (room.user_id, room.reservation_id, room.now)
        if used + room.size > room.quota:
            return Reserved(used=int(used))
    return Reserved(present[0][0] if present else room.file_id)


RESERVE: Final = Scripted("reserve_room", _reserve)

_HOLD_CONTENT: Final = (
    "insert into file_contents (id, sha256, size_bytes, touched_at) values (?1, ?2, ?3, ?4)"
    " on conflict (sha256) where doomed_at is null do update set touched_at=excluded.touched_at returning id"
)
_NOTE_CONTENT: Final = "update file_reservations set content_id=?2, size_bytes=?3, expires_at=?4 where id=?1"


def _hold(reservation_id: str, content_id: str, sha256: str, size: int, now: int, until: int) -> Script:
    ((held,),) = yield _HOLD_CONTENT, (content_id, sha256, size, now)
    yield _NOTE_CONTENT, (reservation_id, held, size, until)
    return held


HOLD: Final = Scripted("hold_content", _hold)  # answers under which id these bytes are stored


class Shelved(NamedTuple):
    """A file that is to appear under its path, or to have a new revision there."""

    file_id: str  # for a step, the one that it has named already
    user_id: str
    place: Place
    spare: Place | None  # a step's: where to go when somebody else has the path by then; None: give up
    replaces: bool  # `file_id` was there before, and is to have a new revision
    origin: str
    kind: MediaType
    size: int
    sha256: str
    content_id: str
    overwrite: bool
    scan: str
    reservation_id: str
    now: int


_INSERT: Final = (
    "insert into workspace_files (id, user_id, path, folder, name, scope, scope_id, origin, mime_type, type_mismatch,"
    " size_bytes, sha256, content_id, revision, kept_bytes, scan, created_at, updated_at)"
    " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 1, ?11, ?14, ?15, ?15)"
    " on conflict do nothing returning id"
)
_REVISE: Final = (
    "update workspace_files set mime_type=?2, type_mismatch=?3, size_bytes=?4, sha256=?5, content_id=?6, revision=?7,"
    " scan=?8, updated_at=?9, kept_bytes=(select sum(size_bytes) from file_revisions where file_id=?1) where id=?1"
)
_ADD_REVISION: Final = (
    "insert into file_revisions (file_id, revision, content_id, mime_type, type_mismatch, size_bytes, sha256,"
    " created_at) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
)
_TRIM: Final = "delete from file_revisions where file_id=?1 and revision<=?2"
_RELEASE: Final = "delete from file_reservations where id=?1"


_BY_ID: Final = "select id, revision, sha256, deleted_at from workspace_files where id=?1 for update"
_TAKE_BACK: Final = (
    "update workspace_files set deleted_at=null, path=?2, folder=?3, name=?4, scope=?5, scope_id=?6 where id=?1"
)


def _shelve(file: Shelved) -> Script:
    """Answers the id under which it is there now; None: somebody else has its path.

    It must not clash: a step's entries would be lost with it.
    """
    yield _RELEASE, (file.reservation_id,)
    if (yield from _add(file, file.place)):
        return file.file_id
    present = yield f"{_AT_PATH} for update", (file.user_id, file.place.path)
    if present and present[0][0] == file.file_id:
        yield from _revise(file, present[0])
    elif file.replaces:
        yield from _follow(file, file.spare if present else file.place)
    elif present and file.overwrite:
        yield from _revise(file, present[0])
        if file.spare is None:
            return present[0][0]
        yield from _add(file, file.spare)  # it has been named: what it names must be there
    elif present and file.spare is None:
        return None
    elif present and file.spare is not None:
        yield from _add(file, file.spare)
    return file.file_id  # with the path free, its own id is taken: it was moved or thrown away since it was written


def _follow(file: Shelved, place: Place | None) -> Script:
    """What is to be replaced went elsewhere meanwhile: it is revised there, and comes out of the trash to `place`."""
    found = yield _BY_ID, (file.file_id,)
    if found:
        yield from _revise(file, found[0][:3])
    elif place is not None:
        yield from _add(file, place)
    if found and found[0][3] is not None and place is not None:
        where = (place.path, place.folder, place.name, place.scope, place.scope_id)
        yield _TAKE_BACK, (file.file_id, *where)


def _add(file: Shelved, place: Place) -> Script:
    where = (place.path, place.folder, place.name, place.scope, place.scope_id, file.origin)
    said = (*file.kind, file.size, file.sha256, file.content_id)
    if not (yield _INSERT, (file.file_id, file.user_id, *where, *said, file.scan, file.now)):
        return False
    yield _ADD_REVISION, _revision_of(file, file.file_id, 1)
    return True


def _revise(file: Shelved, present: tuple[str, int, str]) -> Script:
    """What is done again after a crash finds what it wrote, and adds nothing."""
    file_id, revision, sha256 = present
    if sha256 == file.sha256:
        return
    newest = revision + 1
    yield _ADD_REVISION, _revision_of(file, file_id, newest)
    yield _TRIM, (file_id, newest - KEPT_REVISIONS)
    said = (*file.kind, file.size, file.sha256, file.content_id)
    yield _REVISE, (file_id, *said, newest, file.scan, file.now)


def _revision_of(file: Shelved, file_id: str, revision: int) -> tuple[object, ...]:
    return (file_id, revision, file.content_id, *file.kind, file.size, file.sha256, file.now)


SHELVE: Final = Scripted("shelve_file", _shelve)


def _release(reservation_id: str) -> Script:
    yield _RELEASE, (reservation_id,)


RELEASE: Final = Scripted("release_room", _release)
