"""The cabinet: what every part of the product stores files in and reads them from."""

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.files import FileNotFound, FileStore
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader, marks
from pilothouse.base.scripted import Scripted
from pilothouse.features.files.arrival import Arrival
from pilothouse.features.files.errors import (
    DiskNearlyFull,
    FileCorrupt,
    FileTooLarge,
    PathTaken,
    QuotaExceeded,
    RevisionNotFound,
    StoredFileNotFound,
)
from pilothouse.features.files.media_types import media_type
from pilothouse.features.files.paths import Place, checked_place, spare_place
from pilothouse.features.files.references import read_reference, unusable
from pilothouse.features.files.writes import HOLD, RELEASE, RESERVE, SHELVE, Reserved, Room, Shelved
from pilothouse.kit.ids import derived_id, new_id

MEGABYTE: Final = 1024 * 1024
LEAST_FREE: Final = 512 * MEGABYTE
ARRIVAL_MICROS: Final = 600 * 1_000_000  # how long room is held for bytes that come in, counted from the last ones
HELD_MICROS: Final = 24 * 3600 * 1_000_000  # and for a file that is whole, until it appears
NOT_SCANNED: Final = "not_scanned"

Origin: TypeAlias = Literal["upload", "run", "session"]

_COLUMNS: Final = "id, user_id, path, name, mime_type, type_mismatch, size_bytes, sha256, content_id, revision, scope"

_REVISION: Final = (
    "select mime_type, type_mismatch, size_bytes, sha256, content_id from file_revisions"
    " where file_id=?1 and revision=?2"
)


class KeptFile(NamedTuple):
    """A file of somebody's, as its newest revision is."""

    id: str
    user_id: str
    path: str
    name: str
    mime_type: str
    type_mismatch: bool
    size_bytes: int
    sha256: str
    content_id: str
    revision: int
    scope: str

    @property
    def reference(self) -> str:
        """How values name it."""
        return f"workspace://{self.id}#{self.mime_type}"


class NewFile(NamedTuple):
    """A file that is to be stored. `size` is what its sender says."""

    path: str
    origin: Origin = "upload"
    mime_type: str | None = None
    overwrite: bool = False
    size: int | None = None
    within: str | None = None  # the folder that a relative path is in, where such a path is taken
    file_id: str | None = None  # for work that may be done twice; else a new one


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be stored."""

    max_file_bytes: int = 100 * MEGABYTE
    quota_bytes: int | None = None  # of one person
    least_free: int = LEAST_FREE
    zip_file_bytes: int = 50 * MEGABYTE  # of one file in a zip
    zip_total_bytes: int = 200 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Cabinet:
    """One per process. What it is asked for is always somebody's: another's file is as if it were not there."""

    store: FileStore
    committer: Committer
    reader: Reader
    limits: Limits

    async def find(self, user_id: str, file_id: str) -> KeptFile:
        """Raises `StoredFileNotFound`: unknown, deleted and another's are alike."""
        found = await self.find_many(user_id, [file_id])
        if not found:
            raise StoredFileNotFound
        return found[0]

    async def find_revision(self, user_id: str, file_id: str, revision: int) -> KeptFile:
        """A file as it was at some time. Raises `StoredFileNotFound` and `RevisionNotFound`."""
        file = await self.find(user_id, file_id)
        rows = await self.reader.rows(_REVISION, file_id, revision)
        if not rows:
            raise RevisionNotFound
        mime_type, mismatch, size, sum, content_id = rows[0]
        return file._replace(
            mime_type=mime_type,
            type_mismatch=bool(mismatch),
            size_bytes=size,
            sha256=sum,
            content_id=content_id,
            revision=revision,
        )

    async def restore_revision(self, user_id: str, file_id: str, revision: int) -> None:
        """Make the file what it was: as a new revision, so that nothing is lost."""
        old = await self.find_revision(user_id, file_id, revision)
        kind = None if old.type_mismatch else old.mime_type
        ask = NewFile(old.path, "upload", kind, True, old.size_bytes)
        async with self.take_in(user_id, ask, self.chunks(old)) as shelved:
            await self._land(SHELVE, shelved._replace(file_id=file_id, replaces=True))

    async def find_many(self, user_id: str, ids: Sequence[str]) -> list[KeptFile]:
        """Those that are there, in the order asked for."""
        if not ids:
            return []
        which = f"user_id=?1 and deleted_at is null and id in ({marks(len(ids), 2)})"
        rows = await self.reader.rows(f"select {_COLUMNS} from workspace_files where {which}", user_id, *ids)
        by_id = {row[0]: _kept(row) for row in rows}
        return [by_id[file_id] for file_id in dict.fromkeys(ids) if file_id in by_id]

    async def find_at(self, user_id: str, place: Place) -> KeptFile:
        """Raises `StoredFileNotFound`."""
        which = "user_id=?1 and deleted_at is null and path=?2"
        rows = await self.reader.rows(f"select {_COLUMNS} from workspace_files where {which}", user_id, place.path)
        if not rows:
            raise StoredFileNotFound
        return _kept(rows[0])

    async def resolve(self, user_id: str, reference: str) -> KeptFile:
        """What a `workspace://` reference names. Raises `ReferenceInvalid`, which names it."""
        named = read_reference(reference)
        try:
            return await (self.find(user_id, named) if isinstance(named, str) else self.find_at(user_id, named))
        except StoredFileNotFound:
            raise unusable(reference) from None

    async def read(self, file: KeptFile, limit: int) -> bytes:
        """All of it. Raises `FileTooLarge` past `limit` bytes, and `FileCorrupt`."""
        if file.size_bytes > limit:
            raise FileTooLarge(f"'{file.name}' is larger than {limit} bytes.", limit_bytes=limit)
        return b"".join([chunk async for chunk in self.chunks(file)])

    async def chunks(self, file: KeptFile, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        """Its bytes, or a range of them. A whole read raises `FileCorrupt` before its last piece is given."""
        sum, size, last = sha256(), 0, b""
        try:
            async for chunk in self.store.chunks(content_key(file.content_id), start, end):
                if last:
                    yield last
                sum.update(chunk)
                size += len(chunk)
                last = chunk
        except FileNotFound as error:
            raise FileCorrupt from error
        is_whole = start == 0 and (end is None or end >= file.size_bytes)
        if (is_whole and sum.hexdigest() != file.sha256) or (not is_whole and size != (end or file.size_bytes) - start):
            raise FileCorrupt
        if last:
            yield last

    async def put(self, user_id: str, ask: NewFile, chunks: AsyncIterable[bytes]) -> str:
        """Store a file; answers its id. It is there with all its bytes, or not at all.

        Raises `PathInvalid`, `PathTaken`, `FileTooLarge`, `QuotaExceeded` and `DiskNearlyFull`.
        """
        async with self.take_in(user_id, ask, chunks) as shelved:
            file_id = await self._land(SHELVE, shelved)
            if file_id is None:
                raise PathTaken(path=shelved.place.path)
            return str(file_id)

    @asynccontextmanager
    async def take_in(self, user_id: str, ask: NewFile, chunks: AsyncIterable[bytes]) -> AsyncGenerator[Shelved]:
        """As `put`, but what makes it appear is left to the caller: `SHELVE`, with other writes perhaps.

        Left with an exception, nothing stays of it.
        """
        place = checked_place(ask.path, ask.within)
        await self._check_room(ask)
        own_id = ask.file_id or new_id()
        room_id = derived_id(own_id, "room")  # the same one when a step is done again
        came_in = False
        try:
            room = await self._reserve(user_id, place, ask, own_id, room_id)
            shelved = await self._receive(user_id, place, ask, room, chunks)
            # A step names its file before that is there, so that must be the one that it replaces.
            by_step = ask.origin == "run"
            replaces = by_step and room.file_id != own_id
            yield shelved._replace(file_id=room.file_id if by_step else own_id, replaces=replaces)
            came_in = True
        finally:
            if not came_in:
                await self._land(RELEASE, room_id)

    async def _receive(
        self, user_id: str, place: Place, ask: NewFile, room: Room, chunks: AsyncIterable[bytes]
    ) -> Shelved:
        async def grow(size: int) -> None:
            nonlocal room
            asked = room._replace(size=size, now=micros(), expires_at=micros() + ARRIVAL_MICROS)
            await self._ask_room(asked)
            room = asked

        incoming = await self.store.receive()
        try:
            arrival = Arrival(incoming, self.limits.max_file_bytes, grow, room.size)
            async for chunk in chunks:
                await arrival.take(chunk)
                if room.expires_at - micros() < ARRIVAL_MICROS // 2:
                    await grow(max(room.size, arrival.size))
            sum, now = await arrival.end(), micros()
            whole = (room.reservation_id, new_id(), sum, arrival.size, now, now + HELD_MICROS)
            content_id = str(await self._land(HOLD, *whole))
            await incoming.keep(content_key(content_id))
        finally:
            await incoming.drop()
        kind = media_type(arrival.head, place.name, ask.mime_type)
        spare = spare_place(place, room.file_id) if ask.origin == "run" else None
        return Shelved(
            file_id=room.file_id,
            user_id=user_id,
            place=place,
            spare=spare,
            replaces=False,
            origin=ask.origin,
            kind=kind,
            size=arrival.size,
            sha256=sum,
            content_id=content_id,
            overwrite=ask.overwrite,
            scan=NOT_SCANNED,
            reservation_id=room.reservation_id,
            now=now,
        )

    async def _check_room(self, ask: NewFile) -> None:
        if ask.size is not None and ask.size > self.limits.max_file_bytes:
            raise FileTooLarge(limit_bytes=self.limits.max_file_bytes)
        free = await self.store.free_bytes()
        if free is not None and free - (ask.size or 0) < self.limits.least_free:
            raise DiskNearlyFull

    async def _reserve(self, user_id: str, place: Place, ask: NewFile, file_id: str, room_id: str) -> Room:
        now = micros()
        room = Room(
            *(room_id, file_id, user_id, place.path, ask.size or 0, ask.overwrite),
            *(self.limits.quota_bytes, now, now + ARRIVAL_MICROS),
        )
        granted = await self._ask_room(room)
        return room._replace(file_id=granted)

    async def _ask_room(self, room: Room) -> str:
        answer = cast(Reserved, await self._land(RESERVE, room))
        if answer.taken:
            raise PathTaken(path=room.path)
        if answer.file_id is None:
            raise QuotaExceeded(used_bytes=answer.used, limit_bytes=room.quota)
        return answer.file_id

    async def _land(self, statement: Scripted, *params: object) -> object:
        return (await self.committer.land(WriteSet(((statement, params),))))[0]


def content_key(content_id: str) -> str:
    """Where the store has it. The last digits of an id are chance, so folders fill evenly."""
    return f"contents/{content_id[-2:]}/{content_id}"


def _kept(row: tuple[Any, ...]) -> KeptFile:
    return KeptFile(*row)._replace(type_mismatch=bool(row[5]))
