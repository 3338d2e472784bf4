"""`@@file:` in the arguments of AutoPilot's tools: the server puts the file's content there, once, and nowhere else."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pilothouse.base.actor import Actor
from pilothouse.features.files.cabinet import Cabinet, KeptFile
from pilothouse.features.files.errors import FileTooLarge, PathInvalid, ReferenceInvalid, StoredFileNotFound
from pilothouse.features.files.parsing import NotParsable, Wanted, parsed
from pilothouse.features.files.paths import checked_place, session_folder
from pilothouse.features.files.references import SCHEME, unusable
from pilothouse.graph.json_schema import as_list, as_object, resolve
from pilothouse.kit.json import Json, JsonObject

MARK: Final = "@@file:"
MAX_BYTES: Final = 1024 * 1024
MAX_REFERENCES: Final = 20
_ASKED: Final = re.compile(r"@@file:(?P<name>.+?)(?:\[(?P<first>\d{1,9})-(?P<last>\d{1,9})\])?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileExpander:
    """One per process."""

    cabinet: Cabinet

    def refers(self, arguments: Mapping[str, Json]) -> bool:
        """Whether any value names a file."""
        return any(_names_file(value) for value in arguments.values())

    async def expand(
        self, actor: Actor, session_id: str, schema: JsonObject, arguments: Mapping[str, Json]
    ) -> JsonObject:
        """The arguments, with files where they name them. Raises `ReferenceInvalid`, which names the reference."""
        call = _Call(self.cabinet, actor.user_id, session_folder(session_id), schema)
        given: Json = dict(arguments)
        found = await call.expand(given, schema)
        return found if isinstance(found, dict) else dict(arguments)


@dataclass(slots=True)
class _Call:
    cabinet: Cabinet
    user_id: str
    folder: str
    root: JsonObject
    count: int = field(default=0)

    async def expand(self, value: Json, schema: JsonObject) -> Json:
        """What a file holds is not looked through again."""
        if isinstance(value, str):
            return await self._put(value, schema) if value.startswith(MARK) else value
        if isinstance(value, dict):
            shape = self._one("object", schema)
            known, rest = as_object(shape.get("properties")), as_object(shape.get("additionalProperties"))
            return {name: await self.expand(item, as_object(known.get(name, rest))) for name, item in value.items()}
        if isinstance(value, list):
            shape = self._one("array", schema)
            return [await self.expand(item, as_object(shape.get("items"))) for item in value]
        return value

    def _one(self, kind: str, schema: JsonObject) -> JsonObject:
        """Of the schemas that may fit, the one for values of this kind."""
        shapes = _shapes(schema, self.root)
        return next((shape for shape in shapes if shape.get("type") == kind), shapes[0])

    async def _put(self, text: str, schema: JsonObject) -> Json:
        asked = _ASKED.fullmatch(text)
        if asked is None:
            raise unusable(text)
        shapes = _shapes(schema, self.root)
        if any(shape.get("format") == "file" for shape in shapes):
            name = asked["name"]
            return name if name.startswith((SCHEME, "https://", "http://")) else (await self._find(name)).reference
        self.count += 1
        if self.count > MAX_REFERENCES:
            raise ReferenceInvalid(f"A call may name {MAX_REFERENCES} files; '{text[:200]}' is one more.")
        file = await self._find(asked["name"])
        content = _lines(await self._read(file, text), asked["first"], asked["last"])
        wanted = _wanted(shapes, self.root)
        if wanted == "text":
            return content
        try:
            return await asyncio.to_thread(parsed, content, file.name, file.mime_type, wanted)  # YAML takes seconds
        except NotParsable as fault:
            raise ReferenceInvalid(f"'{text[:200]}' cannot be used here: {fault}.", reference=text[:200]) from fault

    async def _find(self, name: str) -> KeptFile:
        if name.startswith(SCHEME):
            return await self.cabinet.resolve(self.user_id, name)
        try:
            return await self.cabinet.find_at(self.user_id, checked_place(name, self.folder))
        except (PathInvalid, StoredFileNotFound):
            raise unusable(name) from None

    async def _read(self, file: KeptFile, text: str) -> str:
        try:
            return (await self.cabinet.read(file, MAX_BYTES)).decode("utf-8-sig")
        except FileTooLarge:
            told = f"'{text[:200]}' is larger than {MAX_BYTES} bytes."
            raise ReferenceInvalid(told, reference=text[:200]) from None
        except UnicodeDecodeError:
            raise ReferenceInvalid(f"'{text[:200]}' holds no text.", reference=text[:200]) from None


def _names_file(value: Json) -> bool:
    if isinstance(value, str):
        return value.startswith(MARK)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_names_file(item) for item in items)


def _lines(content: str, first: str | None, last: str | None) -> str:
    """From the first to the last line, both included; lines count from 1."""
    if first is None or last is None:
        return content
    return "".join(content.splitlines(keepends=True)[max(0, int(first) - 1) : int(last)])


def _shapes(schema: JsonObject, root: JsonObject) -> list[JsonObject]:
    """The schemas of which one must fit."""
    shape = as_object(resolve(schema, root))
    many = [as_object(each) for word in ("anyOf", "oneOf") for each in as_list(shape.get(word))]
    return [shape, *(found for each in many for found in _shapes(each, root))]


def _wanted(shapes: list[JsonObject], root: JsonObject) -> Wanted:
    """Text wherever text is taken, or where nothing is said."""
    kinds = {kind for shape in shapes if isinstance(kind := shape.get("type"), str)}
    if "string" in kinds or not kinds & {"object", "array"}:
        return "text"
    if "object" in kinds:
        return "object"
    items = [as_object(shape.get("items")) for shape in shapes if shape.get("type") == "array"]
    rows = any(each.get("type") == "array" for item in items for each in _shapes(item, root))
    return "rows" if rows else "list"
