"""A database of somebody else's, with five customers in it, and a way to ask it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import asyncpg
from sqlalchemy.engine.url import make_url

from pilothouse.base.egress import EgressPolicy
from pilothouse.base.outside import GuardedOutside
from pilothouse.base.postgres import dsn_of
from pilothouse.kit.json import Json
from pilothouse.kit.outside import DatabaseQuery, Login, Rows


class Shop:
    def __init__(self, outside: GuardedOutside, login: Login, database: str, connection: Any) -> None:
        self.outside, self.login, self.database, self.connection = outside, login, database, connection

    async def ask(self, statement: str, *params: Json, **more: Any) -> Rows:
        query = replace(DatabaseQuery("postgres", self.database, statement, params, tls="off"), **more)
        return await self.outside.query_database(self.login, query)

    async def count(self) -> int:
        return await self.connection.fetchval("select count(*) from customers")


@asynccontextmanager
async def open_shop(server: str) -> AsyncGenerator[Shop]:
    url = make_url(server)
    login = Login(url.host or "", url.port or 5432, url.username or "", url.password or "")
    connection = await cast(Any, asyncpg).connect(dsn_of(server))
    try:
        await connection.execute("drop table if exists customers, more")
        await connection.execute("create table customers (id int primary key, name text, since date)")
        await connection.execute("insert into customers select n, 'c' || n, '2026-01-01' from generate_series(1, 5) n")
        async with GuardedOutside(EgressPolicy([login.host]), resolver=_machine) as outside:
            yield Shop(outside, login, url.database or "", connection)
    finally:
        await connection.close()


async def _machine(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]
