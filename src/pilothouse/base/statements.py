"""Prepared statements of the hot path: one description, executed row by row on SQLite and by arrays on PostgreSQL."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from sqlalchemy import BigInteger, Boolean, Integer, Table
from sqlalchemy.types import TypeDecorator, TypeEngine

Params: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = list[tuple[Any, ...]]

# Runs one statement and answers (rows touched, rows returned). SQLite's is called in the writer thread.
SqliteExecute: TypeAlias = Callable[[str, Params], tuple[int, Rows]]
PostgresFetch: TypeAlias = Callable[..., Awaitable[Sequence[Sequence[Any]]]]


LockedLanes: TypeAlias = dict[str, tuple[int, int]]  # (cap, used) by key


class GroupFetch:
    """A group's transaction on PostgreSQL: it fetches, and knows the lanes that were locked, as they are by now."""

    __slots__ = ("_fetch", "lanes")

    def __init__(self, fetch: PostgresFetch, lanes: LockedLanes) -> None:
        self._fetch = fetch
        self.lanes = lanes

    def __call__(self, sql: str, *args: Any) -> Awaitable[Sequence[Sequence[Any]]]:
        return self._fetch(sql, *args)


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


@dataclass(frozen=True, slots=True, eq=False)
class Sql:
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
        postgres=f"insert into {table.name} ({listed}) select {chosen} from {unnest(table, names)}",
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
        f" where {array_where} returning v.nth",
        touches=touches,
    )


def delete_by(table: Table, keys: Sequence[str], *, touches: int | None = None) -> Sql:
    """Delete the rows whose `keys` match."""
    where = " and ".join(f"{_quoted(name)}=?{i}" for i, name in enumerate(keys, 1))
    array_where = " and ".join(f"t.{_quoted(name)}=v.{_quoted(name)}" for name in keys)
    return Sql(
        name=f"delete_{table.name}",
        sqlite=f"delete from {table.name} where {where}",
        postgres=f"delete from {table.name} t using {unnest(table, keys)} where {array_where} returning v.nth",
        touches=touches,
    )


def _quoted(name: str) -> str:
    return f'"{name}"'
