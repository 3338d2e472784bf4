"""Reads what a worker needs to go on with runs, many at once."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pilothouse.base.logs import numbered, read_after, read_values
from pilothouse.base.reader import Reader, marks
from pilothouse.engine.entries import Entry
from pilothouse.engine.large import references, unpack
from pilothouse.features.runs.children import Parent
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import Json, JsonObject, loads

MAX_FORESEEN = 1_024
_COLUMNS = "r.agent_id, r.version, r.trigger, r.dry_run, r.head, r.created_at, r.started_at"


class Stored(NamedTuple):
    """A run as the tables have it."""

    agent_id: str
    version: int
    trigger: str
    dry_run: bool
    head: int
    created_at: int
    started_at: int | None
    snapshot: JsonObject | None
    entries: list[Entry]  # after the snapshot
    snapshot_size: int
    log_size: int  # of the segments after the snapshot

    @property
    def accepted(self) -> JsonObject:
        """The facts with which the run was accepted."""
        if self.snapshot is not None:
            return as_object(self.snapshot["facts"])
        return as_object(self.entries[0][2]) if self.entries else {}


class Loader:
    """Gathers the runs asked for in one turn of the loop into one query."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._asked: dict[str, asyncio.Future[Stored]] = {}
        self._task: asyncio.Task[None] | None = None
        self._foreseen: dict[str, asyncio.Future[Stored]] = {}

    def foresee(self, ids: Sequence[str]) -> None:
        """Begin to read runs that this process is about to claim: while the claim commits, the log is on its way."""
        for run_id in ids:
            self._foreseen[run_id] = self._ask(run_id)
        while len(self._foreseen) > MAX_FORESEEN:  # others claimed them
            del self._foreseen[next(iter(self._foreseen))]

    async def load(self, run_id: str, *, untouched: bool = False) -> Stored:
        """Raises `KeyError` when there is no such run. `untouched`: nobody has written to it since it was accepted."""
        foreseen = self._foreseen.pop(run_id, None)
        if untouched and foreseen is not None:
            with suppress(Exception):  # a read that failed is tried once more, by whoever needs it
                return await foreseen
        return await self._ask(run_id)

    def _ask(self, run_id: str) -> asyncio.Future[Stored]:
        future = self._asked.setdefault(run_id, asyncio.get_running_loop().create_future())
        if self._task is None:
            self._task = asyncio.create_task(self._read())
        return future

    async def load_row(self, run_id: str) -> Stored:
        """The run without what happened in it: for one whose log cannot be read."""
        rows = await self._reader.rows(f"select {_COLUMNS} from runs r where r.id=?1", run_id)
        return await _whole(self._reader, run_id, _Raw((run_id, 0, None, 0, "", *rows[0])))

    async def parent_of(self, run_id: str) -> Parent | None:
        """The step that started it, by its row."""
        rows = await self._reader.rows("select parent_id, parent_step from runs where id=?1", run_id)
        return None if not rows or rows[0][0] is None else Parent(*rows[0], depth=1)

    async def _read(self) -> None:
        self._task, asked, self._asked = None, self._asked, {}
        try:
            found = await read_runs(self._reader, list(asked))
        except Exception as error:  # noqa: BLE001  handed to everyone who asked
            for future in asked.values():
                if not future.done():
                    _fail(future, error)
            return
        for run_id, future in asked.items():
            if future.done():
                continue
            if run_id in found:
                future.set_result(found[run_id])
            else:
                _fail(future, KeyError(run_id))


def _fail(future: asyncio.Future[Stored], error: Exception) -> None:
    future.set_exception(error)
    future.exception()  # nobody may ever ask for what was only foreseen


async def read_runs(reader: Reader, ids: list[str]) -> dict[str, Stored]:
    """The runs with their snapshots and the entries after them."""
    rows = await reader.rows(
        "select r.id, n.seq, n.body, s.first, s.body, "
        + _COLUMNS
        + " from runs r left join snapshots n on n.log_id=r.id"
        " left join segments s on s.log_id=r.id and s.last > coalesce(n.seq, 0)"
        f" where r.id in ({marks(len(ids))}) and (n.seq is not null or s.first is not null) order by r.id, s.first",
        *ids,
    )
    raw: dict[str, _Raw] = {}
    for row in rows:
        after = row[1] or 0
        kept = raw.get(row[0]) or raw.setdefault(row[0], _Raw(row))
        if row[3] is None:
            continue  # its snapshot is as new as its log
        kept.log_size += len(row[4])
        kept.entries += [item for seq, item in numbered(row[3], row[4]) if seq > after]
    return {run_id: await _whole(reader, run_id, kept) for run_id, kept in raw.items()}


class _Raw:
    """A run as it is stored, its large values apart."""

    __slots__ = ("entries", "log_size", "row", "snapshot")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.row = row
        self.snapshot: Json = loads(row[2]) if row[2] is not None else None
        self.entries: list[Json] = []
        self.log_size = 0


async def read_entries(reader: Reader, run_id: str, after: int, limit: int) -> list[tuple[int, Entry]]:
    """Committed entries after an event, with their large values where they belong."""
    found = await read_after(reader, run_id, after, limit=limit)
    lacking = {key for _, stored in found for key in references(stored)}
    texts = await read_values(reader, run_id, sorted(lacking)) if lacking else {}
    values = {key: loads(text) for key, text in texts.items()}
    return [(seq, _entry(unpack(stored, values))) for seq, stored in found]


async def _whole(reader: Reader, run_id: str, raw: _Raw) -> Stored:
    """The run with its large values where they belong."""
    lacking = {key for stored in (raw.snapshot, *raw.entries) for key in references(stored)}
    texts = await read_values(reader, run_id, sorted(lacking)) if lacking else {}
    values = {key: loads(text) for key, text in texts.items()}
    agent_id, version, trigger, dry_run, head, created_at, started_at = raw.row[5:]
    snapshot = unpack(raw.snapshot, values)
    return Stored(
        *(agent_id, version, trigger, bool(dry_run), head, created_at, started_at),
        snapshot=snapshot if isinstance(snapshot, dict) else None,
        entries=[_entry(unpack(item, values)) for item in raw.entries],
        snapshot_size=len(raw.row[2] or ""),
        log_size=raw.log_size,
    )


def _entry(item: object) -> Entry:
    if not isinstance(item, list):
        raise ValueError("a journal entry is not a list")
    return item  # pyright: ignore[reportUnknownVariableType]  entries are ours
