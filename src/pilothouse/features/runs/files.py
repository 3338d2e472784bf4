"""Files of the steps of a run: read from the workspace of the run's person, and written together with the step."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pilothouse.base.committer import CommitterOverloaded, Write, WriteSet
from pilothouse.base.reader import Reader
from pilothouse.blocks.context import Http
from pilothouse.blocks.fetching import fetched
from pilothouse.blocks.files import MAX_READ, FileBytes, is_address, is_data, read_data
from pilothouse.features.files import RELEASE, SHELVE, Cabinet, KeptFile, NewFile, Shelved, run_folder
from pilothouse.features.runs.journal import RunJournal
from pilothouse.features.runs.memory import RunMemories
from pilothouse.kit.ids import child_id

_OWNER: Final = "select user_id, dry_run from runs where id=?1"


class _Owner(NamedTuple):
    user_id: str
    dry_run: bool


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of the runs that this process works on."""

    cabinet: Cabinet
    reader: Reader
    memories: RunMemories

    def of_step(self, run_id: str, step_id: str, http: Http) -> "StepFiles":
        return StepFiles(self.cabinet, self.reader, self.memories.journal_of(run_id), http, run_id, step_id)


@dataclass(slots=True)
class StepFiles:
    """A step's view of them: what it writes is its own until it ends."""

    cabinet: Cabinet
    reader: Reader
    journal: RunJournal
    http: Http
    run_id: str
    step_id: str
    _puts: list[Shelved] = field(default_factory=list[Shelved])
    _written: int = 0

    async def read(self, source: str, *, limit: int = MAX_READ) -> FileBytes:
        if is_data(source):
            return read_data(source)
        if is_address(source):
            return await fetched(self.http, source, limit)
        file = await self._find(source)
        return FileBytes(file.name, file.mime_type, await self.cabinet.read(file, limit))

    async def keep(self, source: str) -> str:
        if is_data(source):
            found = read_data(source, MAX_READ)
        elif is_address(source):
            found = await fetched(self.http, source, MAX_READ)
        else:
            return (await self._find(source)).reference
        path = f"files/{self.step_id}-{self._written}/{found.name}"
        return await self.write(path, found.content, mime_type=found.mime_type)

    async def write(self, path: str, content: bytes, *, mime_type: str | None = None, overwrite: bool = False) -> str:
        owner, folder = await self._owner(), run_folder(self.run_id)
        await self._settled()
        if owner.dry_run:  # it may be looked at, and touches nothing
            path = f"dry-run/{path.lstrip('/')}"
        # The same file when the step is done again: after a crash, or from its beginning after a wait.
        file_id = child_id(self.run_id, f"file/{self.step_id}/{self._written}")
        ask = NewFile(path, "run", mime_type, overwrite, len(content), folder, file_id)
        self._written += 1
        async with self.cabinet.take_in(owner.user_id, ask, _whole(content)) as shelved:
            self._puts.append(shelved)
        return f"workspace://{shelved.file_id}#{shelved.kind.name}"

    def leave(self, *, keep: bool) -> None:
        """The step is over, or waits; `keep` what it wrote unless it failed."""
        if keep and self._puts:
            writes: list[Write] = [(SHELVE, (file,)) for file in self._puts]
            self.journal.with_next(writes)
        for file in [] if keep else self._puts:
            with suppress(CommitterOverloaded):  # the room then comes free by itself, later
                self.cabinet.committer.submit(WriteSet(((RELEASE, (file.reservation_id,)),)))
        self._puts = []

    async def _find(self, source: str) -> KeptFile:
        await self._settled()
        return await self.cabinet.resolve((await self._owner()).user_id, source)

    async def _settled(self) -> None:
        """What this run wrote before is committed first, so that it is seen."""
        await asyncio.sleep(0)  # the driver then hands the journal what it still holds of the steps before
        await self.journal.barrier()

    async def _owner(self) -> _Owner:
        ((user_id, dry_run),) = await self.reader.rows(_OWNER, self.run_id)
        return _Owner(user_id, bool(dry_run))


async def _whole(content: bytes) -> AsyncGenerator[bytes]:
    yield content
