"""Files for examples: kept for as long as the stage stands."""

from dataclasses import dataclass, field
from typing import Final

from pilothouse.blocks.context import Http
from pilothouse.blocks.fetching import fetched
from pilothouse.blocks.files import MAX_READ, FileBytes, is_address, is_data, read_data, too_large
from pilothouse.blocks.pins import BlockFailed

_TYPES: Final = {
    **{"csv": "text/csv", "json": "application/json"},
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@dataclass(slots=True)
class KeptFiles:
    """Their ids count up."""

    http: Http
    kept: dict[str, FileBytes] = field(default_factory=dict[str, FileBytes])

    async def read(self, source: str, *, limit: int = MAX_READ) -> FileBytes:
        if is_data(source):
            return read_data(source)
        if is_address(source):
            return await fetched(self.http, source, limit)
        found = self.kept.get(source.partition("#")[0])
        if found is None:
            raise BlockFailed("invalid_reference", f"'{source[:200]}' refers to no file that can be used.")
        if len(found.content) > limit:
            raise too_large(limit)
        return found

    async def keep(self, source: str) -> str:
        found = await self.read(source)
        if source.partition("#")[0] in self.kept:
            return source
        return await self.write(found.name, found.content, mime_type=found.mime_type)

    async def write(self, path: str, content: bytes, *, mime_type: str | None = None, overwrite: bool = False) -> str:
        name = path.rpartition("/")[2]
        kind = mime_type or _TYPES.get(name.rpartition(".")[2], "text/plain")
        place = f"workspace://00000000-0000-7000-8000-{101 + len(self.kept):012d}"
        self.kept[place] = FileBytes(name, kind, content)
        return f"{place}#{kind}"
