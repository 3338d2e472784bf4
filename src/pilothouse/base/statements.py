"""Prepared statements of the hot path: one description, executed row by row on SQLite and by arrays on PostgreSQL."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias

from sqlalchemy import BigInteger, Boolean, Integer, Table
from sqlalchemy.types import TypeDecorator, TypeEngine

# Where a statement over arrays (`v`, numbered by `nth`) can be told which of them go on: `base/one_shot.py`.
JOINS_GO: Final = "/*go*/"

Params: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = list[tuple[Any, ...]]

# Runs one statement and answers (rows touched, rows returned). SQLite's is called in the writer thread.
SqliteExecute: TypeAlias = Callable[[str, Params], tuple[int, Rows]]
PostgresFetch: TypeAlias = Callable[..., Awaitable[Sequence[Sequence[Any]]]]


LockedLanes: TypeAlias = dict[str, tuple[int, int]]  # (cap, used) by key


class GroupFetch:
    """A group's transaction on PostgreSQL: it fetches, and knows the lanes that were locked, as they are by now.

    Writes that nobody waits for an answer from can be put off: they are sent as one statement, before the next
    fetch or at the end. So a run's three rows cost one journey to the server.
    """

    __slots__ = ("_fetch", "_put_off", "guarding", "lanes")

    def __init__(self, fetch: PostgresFetch, lanes: LockedLanes) -> None:
        self._fetch = fetch
        self._put_off: list[tuple[str, list[list[Any]], int | None]] = []
        self.lanes = lanes
        self.guarding = False  # the next answer decides which sets go on: it cannot wait

    async def __call__(self, sql: str, *args: Any) -> Sequence[Sequence[Any]]:
        if self._put_off:
            await self.flush()
        return await self._fetch(sql, *args)

    async def later(self, sql: str, arrays: list[list[Any]], touches: int | None = None) -> None:
        """Put a write off; it must touch so many rows, if given."""
        if table_of(sql) in {table_of(other) for other, _, _ in self._put_off}:
            await self.flush()  # in one statement, neither would see what the other did
        self._put_off.append((sql, arrays, touches))

    async def flush(self) -> None:
        """Raises `Torn` when one of the writes touched another number of rows than it must."""
        put_off, self._put_off = self._put_off, []
        if not put_off:
            return
        joined = _join(tuple((sql, touches is not None) for sql, _, touches in put_off))
        rows = await self._fetch(joined, *(array for _, arrays, _ in put_off for array in arrays))
        wanted = [touches for _, _, touches in put_off if touches is not None]
        if wanted and list(rows[0]) != wanted:
            raise Torn


async def write_later(fetch: PostgresFetch, sql: str, arrays: list[list[Any]]) -> None:
    """Put a write off where that can be done."""
    if isinstance(fetch, GroupFetch):
        await fetch.later(sql, arrays)
    else:
        await fetch(sql, *arrays)


@lru_cache(maxsize=256)
def _join(parts: tuple[tuple[str, bool], ...]) -> str:
    """Several writes as one statement that answers, in one row, how many rows each counted one touched."""
    texts: list[str] = []
    offset = 0
    for nth, (sql, _) in enumerate(parts):
        texts.append(f"w{nth} as ({renumbered(sql, offset)})")
        offset += marks_in(sql)
    counts = [f"(select count(*) from w{nth})" for nth, (_, counted) in enumerate(parts) if counted]
    return f"with {', '.join(texts)} select {', '.join(counts) or '1'}"


_MARK = re.compile(r"\$(\d+)")
_TABLE = re.compile(r"\s*(?:insert into|update|delete from) (\w+)")


@lru_cache(maxsize=256)
def table_of(sql: str) -> str:
    """The table that a write changes."""
    found = _TABLE.match(sql)
    if found is None:
        raise ValueError(f"not a plain write: {sql}")
    return found[1]


def marks_in(sql: str) -> int:
    """How many parameters a statement has."""
    return max(int(mark) for mark in _MARK.findall(sql))


def renumbered(sql: str, offset: int) -> str:
    """The same with its parameters counted from further on, to stand behind others."""
    return _MARK.sub(lambda mark: f"${int(mark[1]) + offset}", sql)


class _Refused:
    """The guard of a write matched no row."""

    def __repr__(self) -> str:
        return "REFUSED"


REFUSED: Final = _Refused()


class Torn(Exception):
    """A set of a group changed something before its guard refused it: the group must be landed set by set."""


class Statement(Protocol):
    """One step of a write set. It answers REFUSED, or whatever its caller wants to know."""

    @property
    def name(self) -> str: ...

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any: ...

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]: ...


class OneStatement:
    """Mark of a statement that, for a single set, is exactly one statement on PostgreSQL too."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sql(OneStatement):
    """A statement that is plain SQL in both dialects. `touches` rows must be hit by each set, unless None."""

    name: str
    sqlite: str
    postgres: (
        str  # reads `$1 ... $k` as arrays; returns the ordinal of each row that it touched, unless `touches` is None
    )
    touches: int | None = 1

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        count, _ = execute(self.sqlite, params)
        return REFUSED if self.touches is not None and count != self.touches else count

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        if isinstance(fetch, GroupFetch) and not fetch.guarding:
            touches = None if self.touches is None else self.touches * len(many)
            await fetch.later(self.postgres, columns_of(many), touches)
            return [1 if self.touches is None else self.touches] * len(many)
        returned = await fetch(self.postgres, *columns_of(many))
        if self.touches is None:
            return [1] * len(many)
        counts = [0] * len(many)
        for row in returned:
            counts[row[0] - 1] += 1
        if len(many) > 1 and any(count != self.touches for count in counts):
            await self._look_again(fetch, many, counts)
        return [REFUSED if count != self.touches else count for count in counts]

    async def _look_again(self, fetch: PostgresFetch, many: Sequence[Params], counts: list[int]) -> None:
        """When sets of one group aim at the same row, a statement changes it for one of them only."""
        for index, count in enumerate(counts):
            if count == 0:
                count = counts[index] = len(await fetch(self.postgres, *columns_of([many[index]])))
            if count not in (0, self.touches):
                raise Torn


def columns_of(many: Sequence[Params]) -> list[list[Any]]:
    """Turn rows into one list per parameter, the form that `unnest` reads."""
    return [list(column) for column in zip(*many, strict=True)]


def array_type(kind: TypeEngine[Any]) -> str:
    """The PostgreSQL array that carries values of a column."""
    bare = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
    match bare:
        case BigInteger():
            return "bigint[]"
        case Boolean():
            return "boolean[]"
        case Integer():
            return "integer[]"
        case _:
            return "text[]"


def unnest(table: Table, names: Sequence[str]) -> str:
    """`unnest($1::text[], ...) with ordinality as v(a, ..., nth)` for these columns."""
    arrays = ", ".join(f"${i}::{array_type(table.c[name].type)}" for i, name in enumerate(names, 1))
    return f"unnest({arrays}) with ordinality as v({', '.join(_quoted(name) for name in names)}, nth)"


def insert_into(table: Table, *names: str) -> Sql:
    """Insert one row per set. A row that exists already fails the set with the database's own error."""
    listed = ", ".join(_quoted(name) for name in names)
    marks = ", ".join("?" * len(names))
    chosen = ", ".join(f"v.{_quoted(name)}" for name in names)
    return Sql(
        name=f"insert_{table.name}",
        sqlite=f"insert into {table.name} ({listed}) values ({marks})",
        postgres=f"insert into {table.name} ({listed}) select {chosen} from {unnest(table, names)}"
        f" where true{JOINS_GO}",
        touches=None,
    )


def update_by(table: Table, keys: Sequence[str], changes: Sequence[str], *, touches: int | None = 1) -> Sql:
    """Set `changes` where `keys` match; parameters come in that order: keys, then changes."""
    sets = ", ".join(f"{_quoted(name)}=?{len(keys) + i}" for i, name in enumerate(changes, 1))
    where = " and ".join(f"{_quoted(name)}=?{i}" for i, name in enumerate(keys, 1))
    array_sets = ", ".join(f"{_quoted(name)}=v.{_quoted(name)}" for name in changes)
    array_where = " and ".join(f"t.{_quoted(name)}=v.{_quoted(name)}" for name in keys)
    return Sql(
        name=f"update_{table.name}",
        sqlite=f"update {table.name} set {sets} where {where}",
        postgres=f"update {table.name} t set {array_sets} from {unnest(table, [*keys, *changes])}"
        f" where {array_where}{JOINS_GO} returning v.nth",
        touches=touches,
    )


def delete_by(table: Table, keys: Sequence[str], *, touches: int | None = None) -> Sql:
    """Delete the rows whose `keys` match."""
    where = " and ".join(f"{_quoted(name)}=?{i}" for i, name in enumerate(keys, 1))
    array_where = " and ".join(f"t.{_quoted(name)}=v.{_quoted(name)}" for name in keys)
    return Sql(
        name=f"delete_{table.name}",
        sqlite=f"delete from {table.name} where {where}",
        postgres=f"delete from {table.name} t using {unnest(table, keys)}"
        f" where {array_where}{JOINS_GO} returning v.nth",
        touches=touches,
    )


def _quoted(name: str) -> str:
    return f'"{name}"'
