"""Reads what a worker needs to go on with runs, many at once."""

import asyncio
from typing import Any, NamedTuple

from pilothouse.base.logs import numbered
from pilothouse.base.reader import Reader, marks
from pilothouse.engine.entries import Entry
from pilothouse.kit.json import JsonObject, loads

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


class Loader:
    """Gathers the runs asked for in one turn of the loop into one query."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._asked: dict[str, asyncio.Future[Stored]] = {}
        self._task: asyncio.Task[None] | None = None

    async def load(self, run_id: str) -> Stored:
        """Raises `KeyError` when there is no such run."""
        future = self._asked.setdefault(run_id, asyncio.get_running_loop().create_future())
        if self._task is None:
            self._task = asyncio.create_task(self._read())
        return await future

    async def load_row(self, run_id: str) -> Stored:
        """The run without what happened in it: for one whose log cannot be read."""
        rows = await self._reader.rows(f"select {_COLUMNS} from runs r where r.id=?1", run_id)
        return _stored((run_id, 0, None, 0, "", *rows[0]))

    async def _read(self) -> None:
        self._task, asked, self._asked = None, self._asked, {}
        try:
            found = await read_runs(self._reader, list(asked))
        except Exception as error:  # noqa: BLE001  handed to everyone who asked
            for future in asked.values():
                if not future.done():
                    future.set_exception(error)
            return
        for run_id, future in asked.items():
            if future.done():
                continue
            if run_id in found:
                future.set_result(found[run_id])
            else:
                future.set_exception(KeyError(run_id))


async def read_runs(reader: Reader, ids: list[str]) -> dict[str, Stored]:
    """The runs with their snapshots and the entries after them."""
    rows = await reader.rows(
        "select r.id, n.seq, n.body, s.first, s.body, "
        + _COLUMNS
        + " from runs r left join snapshots n on n.log_id=r.id"
        " join segments s on s.log_id=r.id and s.last > coalesce(n.seq, 0)"
        f" where r.id in ({marks(len(ids))}) order by r.id, s.first",
        *ids,
    )
    found = {row[0]: _stored(row) for row in rows}
    for row in rows:
        stored = found[row[0]]
        after = row[1] or 0
        stored.entries.extend(_entry(item) for seq, item in numbered(row[3], row[4]) if seq > after)
    missing = [run_id for run_id in ids if run_id not in found]
    return found | await _read_at_snapshot(reader, missing)


async def _read_at_snapshot(reader: Reader, ids: list[str]) -> dict[str, Stored]:
    """Runs whose snapshot is as new as their log."""
    if not ids:
        return {}
    rows = await reader.rows(
        "select r.id, n.seq, n.body, 0, '', "
        + _COLUMNS
        + f" from runs r join snapshots n on n.log_id=r.id where r.id in ({marks(len(ids))})",
        *ids,
    )
    return {row[0]: _stored(row) for row in rows}


def _stored(row: tuple[Any, ...]) -> Stored:
    snapshot = loads(row[2]) if row[2] is not None else None
    agent_id, version, trigger, dry_run, head, created_at, started_at = row[5:]
    kept = snapshot if isinstance(snapshot, dict) else None
    return Stored(agent_id, version, trigger, bool(dry_run), head, created_at, started_at, kept, [])


def _entry(item: object) -> Entry:
    if not isinstance(item, list):
        raise ValueError("a journal entry is not a list")
    return item  # pyright: ignore[reportUnknownVariableType]  entries are ours
