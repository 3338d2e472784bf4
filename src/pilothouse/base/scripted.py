"""Statements with decisions in them, written once for both databases.

A script is a generator: it yields a question and is sent the rows. What it asks is SQL with `?1 ?2` marks, or another
statement of the hot path. `for update` locks a row where there are many writers; SQLite has one, and is not told.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from pilothouse.base.statements import (
    REFUSED,
    GroupFetch,
    Params,
    PostgresFetch,
    SqliteExecute,
    Statement,
    Torn,
)

Ask: TypeAlias = tuple[str | Statement, Params]
Script: TypeAlias = Generator[Ask, Any, Any]  # returns what its caller wants to know, or `REFUSED`

_LOCK = " for update"


@dataclass(frozen=True, slots=True, eq=False)
class Scripted:
    """Runs a script as one step of a write set; the step's parameters are the script's arguments."""

    name: str
    script: Callable[..., Script]

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        script = self.script(*params)
        answer: Any = None
        while True:
            try:
                asked, given = script.send(answer)
            except StopIteration as done:
                return done.value
            if isinstance(asked, str):
                answer = execute(asked.removesuffix(_LOCK), given)[1]
            else:
                answer = asked.on_sqlite(execute, given)

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [await self._one(fetch, params) for params in many]

    async def _one(self, fetch: PostgresFetch, params: Params) -> Any:
        script = self.script(*params)
        answer: Any = None
        wrote = False
        while True:
            try:
                asked, given = script.send(answer)
            except StopIteration as done:
                if done.value is REFUSED and wrote and isinstance(fetch, GroupFetch):
                    raise Torn from None  # alone, what it wrote is rolled back with it
                return done.value
            if isinstance(asked, str):
                answer = await fetch(_dollars(asked), *given)
            else:
                answer = (await asked.on_postgres(fetch, [given]))[0]
            wrote = wrote or not isinstance(asked, str) or not asked.startswith("select")


@cache
def _dollars(sql: str) -> str:
    return sql.replace("?", "$")
