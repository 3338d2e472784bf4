"""What goes by itself: files too long in the trash, room that nobody came back for, bytes that no file holds."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.files import FileStore
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.base.scripted import Script, Scripted
from pilothouse.features.files.cabinet import content_key

TRASH: Final = timedelta(days=30)
ABANDONED: Final = timedelta(hours=12)  # after so long, nobody is still writing it
PAGE: Final = 200

_OLD_TRASH: Final = "select id from workspace_files where deleted_at<?1 order by deleted_at limit ?2"
_PURGE: Final = "delete from workspace_files where id=?1 and deleted_at is not null"
# Per person: what lies in the trash, newest first, summed up; what is past one quota goes.
_CROWDED: Final = (
    "select id from (select id, sum(kept_bytes) over (partition by user_id order by deleted_at desc, id desc) as total"
    " from workspace_files where deleted_at is not null) as t where total>?1 limit ?2"
)
_LOOSE: Final = (
    "select c.id from file_contents c where (c.doomed_at is not null or (c.touched_at<?1"
    " and not exists (select 1 from file_revisions r where r.content_id=c.id)"
    " and not exists (select 1 from file_reservations v where v.content_id=c.id))) limit ?2"
)
_DOOM: Final = (
    "update file_contents set doomed_at=?2 where id=?1 and (doomed_at is not null or (touched_at<?3"
    " and not exists (select 1 from file_revisions r where r.content_id=?1)"
    " and not exists (select 1 from file_reservations v where v.content_id=?1))) returning id"
)


def _purge(file_id: str) -> Script:
    yield _PURGE, (file_id,)


def _doom(content_id: str, now: int, before: int) -> Script:
    return bool((yield _DOOM, (content_id, now, before)))


def _forget(content_id: str) -> Script:
    yield "delete from file_contents where id=?1 and doomed_at is not null", (content_id,)


def _expire(now: int) -> Script:
    yield "delete from file_reservations where expires_at<?1", (now,)


_PURGE_FILE: Final = Scripted("purge_file", _purge)
_DOOM_CONTENT: Final = Scripted("doom_content", _doom)
_FORGET_CONTENT: Final = Scripted("forget_content", _forget)
_EXPIRE: Final = Scripted("expire_reservations", _expire)


@dataclass(frozen=True, slots=True)
class FileUpkeep:
    """Safe to do twice, and to break off anywhere."""

    store: FileStore
    committer: Committer
    reader: Reader
    trash_bytes: int | None = None  # one quota; None: no limit

    async def tidy_files(self) -> None:
        now = micros()
        await self._land(_EXPIRE, now)
        await self._purge(_OLD_TRASH, now - _micros(TRASH))
        if self.trash_bytes is not None:
            await self._purge(_CROWDED, self.trash_bytes)
        await self._remove_loose(now - _micros(ABANDONED))
        await self.store.drop_abandoned(ABANDONED)

    async def _purge(self, which: str, bound: int) -> None:
        while rows := await self.reader.rows(which, bound, PAGE):
            for (file_id,) in rows:
                await self._land(_PURGE_FILE, file_id)

    async def _remove_loose(self, before: int) -> None:
        """First it is said that nobody may take these bytes up any more, then they go, then the word of them."""
        while rows := await self.reader.rows(_LOOSE, before, PAGE):
            for (content_id,) in rows:
                if await self._land(_DOOM_CONTENT, content_id, micros(), before):
                    await self.store.delete(content_key(content_id))
                    await self._land(_FORGET_CONTENT, content_id)

    async def _land(self, statement: Scripted, *params: object) -> object:
        return (await self.committer.land(WriteSet(((statement, params),))))[0]


def _micros(span: timedelta) -> int:
    return int(span.total_seconds() * 1_000_000)
