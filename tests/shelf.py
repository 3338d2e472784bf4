"""PostgreSQL databases that tests of this process use one after another: emptied, which is quicker than made anew."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from pilothouse.base.postgres import PostgresConnection, connect, dsn_of
from tests import services
from tests.databases import apart, at_database, drop_database, make_database

# What a test might have changed besides rows.
_SHAPE = """
    select md5(string_agg(line, ',' order by line)) from (
        select concat_ws(' ', c.relname, c.relkind, c.relhastriggers, a.attname, a.atttypid, a.attnotnull) as line
        from pg_class c join pg_attribute a on a.attrelid=c.oid where c.relnamespace='public'::regnamespace
    ) lines
"""
_OTHERS = "from pg_stat_activity where datname=current_database() and pid<>pg_backend_pid()"
_TABLES = "select format('%I', tablename) from pg_tables where schemaname='public' order by tablename"


class Shelf:
    """Databases with our schema and no rows."""

    def __init__(self) -> None:
        self._server = services.need("postgres")
        self._free: list[str] = []
        self._tables: list[str] = []
        self._shape = ""

    @contextmanager
    def lend(self) -> Generator[str]:
        """One for a test. It comes back empty; one whose tables were changed does not come back."""
        name = self._free.pop() if self._free else make_database(self._server)
        url = at_database(self._server, name)
        if not self._shape:
            self._tables, self._shape = apart(_look(url))
        try:
            yield url
        finally:
            if apart(_empty(url, self._tables)) == self._shape:
                self._free.append(name)
            else:
                drop_database(self._server, name)

    def clear(self) -> None:
        for name in self._free:
            drop_database(self._server, name)


async def _look(url: str) -> tuple[list[str], str]:
    connection = await connect(dsn_of(url))
    try:
        return await _names(connection), await _shape(connection)
    finally:
        connection.terminate()


async def _empty(url: str, tables: list[str]) -> str:
    """Once nobody else is connected, leave these tables without rows and no other; answers the shape that they have."""
    connection = await connect(dsn_of(url))
    try:
        while await connection.fetch(f"select pg_terminate_backend(pid) {_OTHERS}"):
            await asyncio.sleep(0.005)
        work = ["set local session_replication_role = replica", "set local synchronous_commit = off"]
        work += [f"drop table {name} cascade" for name in await _names(connection) if name not in tables]
        work += [f"delete from {name}" for name in tables]
        await connection.execute(f"begin; {'; '.join(work)}; commit")
        return await _shape(connection)
    finally:
        connection.terminate()


async def _names(connection: PostgresConnection) -> list[str]:
    return [row[0] for row in await connection.fetch(_TABLES)]


async def _shape(connection: PostgresConnection) -> str:
    return (await connection.fetch(_SHAPE))[0][0]
