"""What a dry run remembers and writes: kept among the run's own values, and forgotten with it."""

from base64 import b64decode, b64encode
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, cast

from pilothouse.blocks.context import Scope
from pilothouse.blocks.files import MAX_INLINE, MAX_READ, FileBytes, is_address, is_data, read_data, too_large
from pilothouse.blocks.pins import BlockFailed
from pilothouse.features.runs.files import StepFiles
from pilothouse.features.runs.memory import MAX_KEY, StepMemory
from pilothouse.kit.ids import derived_id
from pilothouse.kit.json import Json

MAX_FILE: Final = MAX_INLINE * 2 // 3  # bytes that fit among the values of a run
_RUN_ID: Final = "00000000-0000-7000-8000-000000000001"  # of every dry run, as far as blocks can see


class ThrowAwayMemory:
    """Starts empty, whatever was remembered."""

    def __init__(self, memory: StepMemory) -> None:
        self._memory = memory

    async def get(self, key: str, scope: Scope, default: Json = None) -> Json:
        return await self._memory.get(_inside(key, scope), "run", default)

    def put(self, key: str, value: Json, scope: Scope) -> None:
        self._memory.put(_inside(key, scope), value, "run")

    def alone(self) -> AbstractAsyncContextManager[None]:
        return self._memory.alone()


def _inside(key: str, scope: Scope) -> str:
    """Where a value of any scope is kept among the run's own; a key that is no key stays none."""
    if not key or len(key) > MAX_KEY:
        return key
    name = f"{scope[0]}:{key}"
    return name if len(name) <= MAX_KEY else f"{scope[0]}#{sha256(key.encode()).hexdigest()}"


@dataclass(slots=True)
class ThrowAwayFiles:
    """Reads what is there, and what this run wrote; what it writes nobody else ever sees."""

    files: StepFiles
    memory: StepMemory
    step_id: int
    _written: int = field(default=0)

    async def read(self, source: str, *, limit: int = MAX_READ) -> FileBytes:
        if is_data(source):
            return read_data(source)
        if is_address(source):
            raise BlockFailed("dry_run", "Nothing can be reached in a dry run.")
        told = await self.memory.get(_place(source), "run")
        if told is None:
            return await self.files.read(source, limit=limit)
        name, kind, text = cast(list[str], told)
        found = FileBytes(name, kind, b64decode(text))
        if len(found.content) > limit:
            raise too_large(limit)
        return found

    async def keep(self, source: str) -> str:
        found = await self.read(source)
        if not is_data(source):
            return source
        return await self.write(found.name, found.content, mime_type=found.mime_type)

    async def write(self, path: str, content: bytes, *, mime_type: str | None = None, overwrite: bool = False) -> str:
        if len(content) > MAX_FILE:
            raise too_large(MAX_FILE)
        file_id = derived_id(_RUN_ID, f"file/{self.step_id}/{self._written}")
        self._written += 1
        kind, reference = mime_type or "text/plain", f"workspace://{file_id}"
        text = b64encode(content).decode()
        self.memory.put(_place(reference), [path.rpartition("/")[2], kind, text], "run")
        return f"{reference}#{kind}"


def _place(reference: str) -> str:
    return f"f:{sha256(reference.partition('#')[0].encode()).hexdigest()}"
