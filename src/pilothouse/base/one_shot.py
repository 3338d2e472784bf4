"""A group's sets of one kind as one statement on PostgreSQL, which is a transaction of its own.

The first write of the kind *opens*: it locks, decides which sets may go on (`go`), and writes its own rows; the writes
after it join `go`. So accepting, journaling or ending many runs costs one journey to the server. Where the opening does
not *fit* (a lane is full, so that places must be handed on), nothing is written and the sets go the long way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

from pilothouse.base.statements import (
    JOINS_GO,
    Params,
    PostgresFetch,
    Sql,
    Statement,
    columns_of,
    marks_in,
    renumbered,
    table_of,
)


class Opening(Protocol):
    """A statement that can open. Its SQL is a list of CTEs, among them `fits(yes)` and `go(nth)`."""

    @property
    def opening(self) -> str: ...

    def opening_arrays(self, many: Sequence[Params]) -> list[Any]: ...

    def opening_answer(self, params: Params) -> Any:
        """What a set that went on is told."""
        ...


def _opens(statement: Statement) -> TypeGuard[Opening]:
    return hasattr(statement, "opening")


@dataclass(frozen=True, slots=True)
class OneShot:
    """The statement for one kind of sets."""

    opener: Opening
    rest: tuple[Sql, ...]
    sql: str

    async def shoot(self, fetch: PostgresFetch, sets: Sequence[Sequence[Params]]) -> list[list[Any] | None] | None:
        """Each set's answers, None for one that was refused; None altogether when nothing was written."""
        columns = list(zip(*sets, strict=True))
        arrays = self.opener.opening_arrays(columns[0])
        for params in columns[1:]:
            arrays += columns_of(params)
        (row,) = await fetch(self.sql, *arrays)
        if not row[0]:
            return None
        passed = set(row[1])
        told = [1 if statement.touches is None else statement.touches for statement in self.rest]
        return [
            [self.opener.opening_answer(params), *told] if nth in passed else None
            for nth, params in enumerate(columns[0], 1)
        ]


def one_shot_of(statements: Sequence[Statement]) -> OneShot | None:
    """How sets of this kind can be landed at once, if they can."""
    opener, *others = statements
    rest = [other for other in others if isinstance(other, Sql) and JOINS_GO in other.postgres]
    tables = {table_of(other.postgres) for other in rest}
    if not _opens(opener) or len(rest) != len(others) or len(tables) != len(others):
        return None
    return OneShot(opener, tuple(rest), _compose(opener.opening, rest))


def _compose(opening: str, rest: Sequence[Sql]) -> str:
    texts = [opening.strip()]
    offset = marks_in(opening)
    counts: list[str] = []
    for nth, statement in enumerate(rest):
        joined = statement.postgres.replace(JOINS_GO, " and v.nth in (select nth from go)")
        texts.append(f"w{nth} as ({renumbered(joined, offset)})")
        offset += marks_in(joined)
        if statement.touches is not None:
            counts.append(f"(select count(*) from w{nth}) = {statement.touches} * (select count(*) from go)")
    # A write that touched too few rows must undo all: dividing by nothing does.
    whole = f"1 / (case when {' and '.join(counts)} then 1 else 0 end)" if counts else "1"
    return f"with {', '.join(texts)} select (select yes from fits), array(select nth from go), {whole}"
