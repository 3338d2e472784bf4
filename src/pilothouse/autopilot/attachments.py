"""Files that come with a message: those that the user has are named to the model; of the others it is said how many."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, cast

import structlog

from pilothouse.base.tools import ToolContext
from pilothouse.features.chat import Draft, Event, events
from pilothouse.features.files import Cabinet, FileCorrupt, StoredFileNotFound
from pilothouse.kit.json import Json, JsonObject

log = structlog.get_logger()


class FileFacts(NamedTuple):
    """A file of the user's."""

    id: str
    name: str
    type: str
    size: int


class FileIndex(Protocol):
    """Knows the files of people. Unknown, deleted and foreign ids are alike: they are not found."""

    async def find_files(self, user_id: str, ids: Sequence[str]) -> Sequence[FileFacts]: ...

    async def read_file(self, user_id: str, file_id: str) -> bytes | None: ...


class CabinetIndex:
    """The files of the installation's cabinet."""

    def __init__(self, cabinet: Cabinet) -> None:
        self._cabinet = cabinet

    async def find_files(self, user_id: str, ids: Sequence[str]) -> list[FileFacts]:
        found = await self._cabinet.find_many(user_id, ids)
        return [FileFacts(one.id, one.name, one.mime_type, one.size_bytes) for one in found]

    async def read_file(self, user_id: str, file_id: str) -> bytes | None:
        try:
            found = await self._cabinet.find(user_id, file_id)
            return await self._cabinet.read(found, found.size_bytes)
        except (StoredFileNotFound, FileCorrupt) as error:  # the conversation goes on without it
            log.warning("turn.file_unreadable", file_id=file_id, error=type(error).__name__)
            return None


class Attachments:
    """The part that tools and turns ask for files; an installation without a store of files has none."""

    def __init__(self, index: FileIndex) -> None:
        self.index = index


async def look_at_files(ctx: ToolContext, ids: Sequence[str]) -> tuple[list[JsonObject], list[Draft]]:
    """Context blocks that name what there is, and the notice about what there is not."""
    if not ids:
        return [], []
    store = cast(Attachments | None, ctx.parts.get(Attachments))
    found: Sequence[FileFacts] = [] if store is None else await store.index.find_files(ctx.actor.user_id, ids)
    lines = [f"{one.id}: {one.name}, {one.type}, {one.size} bytes" for one in found]
    blocks: list[JsonObject] = [{"kind": "env_context", "text": "\n".join(["Attached files", *lines])}] if lines else []
    return blocks, dropped(len(ids) - len(found))


def dropped(count: int) -> list[Draft]:
    if not count:
        return []
    told = "1 file was not found and is left out." if count == 1 else f"{count} files were not found and are left out."
    return [events.notice("files_dropped", told, level="warning")]


def unnamed_files(own: Sequence[Event]) -> list[str]:
    """The ids that came with messages of a turn since it last told the model what there is."""
    told = max((place for place, event in enumerate(own) if event.type == events.CONTEXT), default=-1)
    return file_ids(own[told + 1 :])


def file_ids(said: Iterable[Event]) -> list[str]:
    """The ids that came with messages, each once."""
    many: list[Json] = []
    for event in said:
        if event.type == events.USER_MESSAGE:
            many += cast(list[Json], event.data.get("file_ids") or [])
        elif event.type == events.FOLLOW_UP:
            many += [one for each in cast(list[list[Json]], event.data.get("file_ids") or []) for one in each]
    return list(dict.fromkeys(str(one) for one in many))
