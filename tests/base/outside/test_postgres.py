"""One statement in a PostgreSQL session of its own: read-only, bounded, guarded (security:S5)."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.outside import GuardedOutside
from pilothouse.base.outside.errors import NotEncrypted, QueryRefused, QueryTooSlow, SignInRefused
from pilothouse.kit.json import Json
from pilothouse.kit.outside import DatabaseQuery, Login
from tests.base.hostile import HOSTILE_HOSTS
from tests.base.outside.certificates import Certificates
from tests.base.outside.conftest import look_up
from tests.base.outside.shop import Shop

pytestmark = pytest.mark.scaled


async def test_rows_come_with_their_columns_and_values_as_json(shop: Shop):
    found = await shop.ask(
        "select id, since, 1.5::numeric as price, 0.1::numeric(30, 20) as exact, 'NaN'::float8 as odd, "
        """'{"a": [1]}'::jsonb as doc, '\\x00ff'::bytea as raw, array[1, 2] as list, null as nothing, id """
        "from customers where id = $1",
        2,
    )
    assert found.columns[-1] == "id_2"
    assert found.rows == [
        {"id": 2, "since": "2026-01-01", "price": 1.5, "exact": 0.1, "odd": "nan", "doc": {"a": [1]}}
        | {"raw": "AP8=", "list": [1, 2], "nothing": None, "id_2": 2}
    ]
    assert (found.truncated, found.affected) == (False, None)


@pytest.mark.parametrize(
    ("cast", "value", "back"),
    [
        ("date", "2026-02-03", "2026-02-03"),
        ("timestamptz", "2026-02-03T10:00:00+01:00", "2026-02-03T09:00:00+00:00"),
        ("timestamp", "2026-02-03T10:00:00", "2026-02-03T10:00:00"),
        ("numeric", 1.25, 1.25),
        ("jsonb", {"a": [None, True]}, {"a": [None, True]}),
        ("uuid", "00000000-0000-7000-8000-0000000000c4", "00000000-0000-7000-8000-0000000000c4"),
        ("bytea", "AP8=", "AP8="),
        ("text[]", ["a", "b'; drop table customers"], ["a", "b'; drop table customers"]),
    ],
)
async def test_a_parameter_is_read_as_its_type_wants_it(shop: Shop, cast: str, value: Json, back: Json):
    assert (await shop.ask(f"select $1::{cast} as it", value)).rows == [{"it": back}]


@pytest.mark.parametrize(("cast", "value"), [("date", "soon"), ("int", "one"), ("numeric", "much"), ("bytea", "?")])
async def test_a_parameter_that_does_not_fit_is_refused(shop: Shop, cast: str, value: Json):
    with pytest.raises(QueryRefused):
        await shop.ask(f"select $1::{cast}", value)
    with pytest.raises(QueryRefused, match="2 parameters"):
        await shop.ask("select $1::int, $2::int", 1)


async def test_no_more_rows_than_wanted_leave_the_database(shop: Shop):
    found = await shop.ask("select n, repeat('x', 1000) from generate_series(1, 20000) n", max_rows=3)
    assert ([row["n"] for row in found.rows], found.truncated) == ([1, 2, 3], True)
    exact = await shop.ask("select id from customers", max_rows=5)
    assert (len(exact.rows), exact.truncated) == (5, False)


async def test_a_large_answer_is_cut_by_its_size(shop: Shop):
    found = await shop.ask("select repeat('x', 1000000) as it from generate_series(1, 50)")
    assert (len(found.rows), found.truncated) == (10, True)


WRITES = [
    "delete from customers",
    "with gone as (delete from customers returning id) select * from gone",
    "explain analyze delete from customers",
    "select set_config('transaction_read_only', 'off', true), (select count(*) from customers)",
    "create table more (id int)",
    "do $$ begin delete from customers; end $$",
    "call nothing()",
    "copy customers to program 'true'",
    "/* select */ delete from customers",
    "-- select\ndelete from customers",
    "commit",
    "set session characteristics as transaction read write",
]


@pytest.mark.parametrize("statement", WRITES)
async def test_what_only_looks_changes_nothing(shop: Shop, statement: str):
    with pytest.raises(QueryRefused):
        await shop.ask(statement)
    assert await shop.count() == 5


@pytest.mark.parametrize("read_only", [True, False])
async def test_one_statement_is_one(shop: Shop, *, read_only: bool):
    for statement in ("select 1; delete from customers", "select 1; commit; delete from customers"):
        with pytest.raises(QueryRefused, match="multiple commands"):
            await shop.ask(statement, read_only=read_only)
    assert await shop.count() == 5


async def test_with_leave_it_writes_and_says_how_much(shop: Shop):
    gone = await shop.ask("delete from customers where id > $1 returning name", 3, read_only=False, max_rows=1)
    assert (gone.rows, gone.truncated, gone.affected) == ([{"name": "c4"}], True, 2)
    added = await shop.ask("insert into customers values ($1, $2, $3)", 9, "new", "2026-01-01", read_only=False)
    assert (added.rows, added.columns, added.affected) == ([], [], 1)
    assert await shop.count() == 4
    assert (await shop.ask("create table more (id int)", read_only=False)).affected == 0


async def test_a_slow_statement_is_ended_by_the_database(shop: Shop):
    began = time.monotonic()
    with pytest.raises(QueryTooSlow):
        await shop.ask("select pg_sleep(60)", timeout=0.2)
    assert time.monotonic() - began < 30


async def test_a_wrong_password_is_said_and_not_repeated(shop: Shop):
    shop.login = replace(shop.login, username="nobody-here", password="wrong-canary")
    with pytest.raises((SignInRefused, QueryRefused)) as caught:
        await shop.ask("select 1")
    assert "canary" not in f"{caught.value}{caught.value.__cause__}"


async def test_errors_say_what_the_database_says(shop: Shop):
    with pytest.raises(QueryRefused, match=r"42P01.*nowhere"):
        await shop.ask("select * from nowhere")
    shop.database = "no_such_database"
    with pytest.raises(QueryRefused, match="no_such_database"):
        await shop.ask("select 1")


async def test_s5_no_connection_is_made_to_an_address_that_is_not_public():
    asked: list[str] = []

    async def recorded(name: str, port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"] if name == "localhost" else await look_up(name, port)

    query = DatabaseQuery("postgres", "shop", "select 1", tls="off")
    async with GuardedOutside(EgressPolicy(), resolver=recorded) as outside:
        for host in [*HOSTILE_HOSTS, "localhost", "rebound.test", "postgres://db.test"]:
            with pytest.raises(EgressDenied):
                await outside.query_database(Login(host, 5432, "me", "pass"), query)
    assert asked == ["localhost", "rebound.test"]  # once each: a second look-up could give another answer


@asynccontextmanager
async def serving(talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> AsyncGenerator[int]:
    """A server on loopback, and the end of all that it began. Gives its port."""
    talks: list[asyncio.Task[None]] = []

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            return  # the other side did not like it here
        finally:
            writer.close()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.append(asyncio.create_task(one(reader, writer)))

    async with await asyncio.start_server(begin, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.wait_for(asyncio.gather(*talks), 30)


async def test_the_certificate_must_be_for_the_name_that_was_asked_for(certificates: Certificates):
    """The server speaks as much of PostgreSQL as it takes to encrypt and to refuse."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.readexactly(8))[4:] == bytes.fromhex("04d2162f")
        writer.write(b"S")
        await writer.drain()
        await writer.start_tls(certificates.server)
        await reader.read(1000)
        told = b"SFATAL\0C28P01\0Mno\0\0"
        writer.write(b"E" + (len(told) + 4).to_bytes(4, "big") + told)
        await writer.drain()

    policy, query = EgressPolicy(["mail.test", "other.test"]), DatabaseQuery("postgres", "shop", "select 1")
    async with (
        GuardedOutside(policy, resolver=look_up, ssl_context=certificates.client) as outside,
        serving(refuse) as port,
    ):
        with pytest.raises(SignInRefused):
            await outside.query_database(Login("mail.test", port, "me", "pass"), query)
        with pytest.raises(NotEncrypted, match="certificate"):
            await outside.query_database(Login("other.test", port, "me", "pass"), query)
        with pytest.raises(SignInRefused):
            await outside.query_database(Login("other.test", port, "me", "pass"), replace(query, tls="unverified"))


async def test_nothing_is_told_to_a_server_without_tls(certificates: Certificates):
    heard: list[bytes] = []

    async def shrug(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(b"N")
        heard.append(await reader.read(1000))

    async with (
        GuardedOutside(EgressPolicy(["mail.test"]), resolver=look_up, ssl_context=certificates.client) as outside,
        serving(shrug) as port,
    ):
        query = DatabaseQuery("postgres", "shop", "select 1")
        with pytest.raises(NotEncrypted, match="no TLS"):
            await outside.query_database(Login("mail.test", port, "me", "pass"), query)
    assert heard == [b""]
