"""What was being kept when the database fell silent may have been kept: that is said, and not tried again by itself."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal, TypeAlias

import pytest

from pilothouse.base.loops import end_tasks
from pilothouse.base.outside import postgres
from pilothouse.base.outside.errors import QueryUncertain
from pilothouse.kit.errors import UpstreamError
from tests.base.outside.shop import Shop
from tests.base.outside.test_postgres import serving

pytestmark = pytest.mark.scaled

INSERT = "insert into customers values (9, 'new', '2026-01-01')"
RETURNING = f"{INSERT} returning name"
# What the way to the database does with the word it waits for: lose it, or hand it on and lose the answer.
Fault: TypeAlias = Literal["loses", "cuts", "is silent"]


@asynccontextmanager
async def broken_way(shop: Shop, word: bytes, fault: Fault) -> AsyncGenerator[None]:
    """Between the shop and its database, all goes through until the client says this word."""
    database = ("127.0.0.1", shop.login.port)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, ours = await asyncio.open_connection(*database)
        answers = asyncio.create_task(_pass_on(theirs, writer))
        try:
            last = await _pass_on(reader, ours, until=word)
            await end_tasks(answers)
            if last and fault != "loses":
                ours.write(last)
                await theirs.read(1)  # it has been done
            if last and fault == "is silent":
                await reader.read()  # until the client has enough
        finally:
            await end_tasks(answers)
            ours.close()

    async with serving(talk) as port:
        shop.login = replace(shop.login, port=port)
        yield


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, until: bytes | None = None) -> bytes:
    """Answers what held the word and was not passed on; nothing when whoever spoke is gone."""
    while data := await reader.read(65_536):
        if until is not None and until in data:
            return data
        writer.write(data)
        await writer.drain()
    return b""


@pytest.mark.parametrize("statement", [INSERT, RETURNING], ids=["insert", "returning"])
async def test_a_connection_that_breaks_while_it_commits_leaves_it_uncertain(shop: Shop, statement: str):
    async with broken_way(shop, b"COMMIT", "cuts"):
        with pytest.raises(QueryUncertain) as caught:
            await shop.ask(statement, read_only=False)
    assert (caught.value.code, caught.value.retryable) == ("query_uncertain", False)
    assert await shop.count() == 6  # done again, it would be done twice


async def test_a_server_that_falls_silent_while_it_commits_leaves_it_uncertain(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    for name in ("CONNECT_SECONDS", "GRACE_SECONDS"):
        monkeypatch.setattr(postgres, name, 1.0)
    async with broken_way(shop, b"COMMIT", "is silent"):
        with pytest.raises(QueryUncertain):
            await shop.ask(INSERT, read_only=False, timeout=1.0)
    assert await shop.count() == 6


async def test_a_connection_that_breaks_before_it_commits_leaves_no_doubt(shop: Shop):
    async with broken_way(shop, INSERT.encode(), "loses"):
        with pytest.raises(UpstreamError, match="broke the connection") as caught:
            await shop.ask(INSERT, read_only=False)
    assert caught.value.retryable
    assert await shop.count() == 5


@pytest.mark.parametrize(("at", "error"), [("initially deferred", QueryUncertain), ("", UpstreamError)])
async def test_a_database_that_shuts_down_may_have_kept_what_was_being_kept(
    shop: Shop, at: str, error: type[Exception]
):
    """It says so itself, in the statement or in its COMMIT, where a trigger ends the session."""
    end = "begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); return null; end"
    await shop.connection.execute(f"create or replace function ends() returns trigger language plpgsql as $${end}$$")
    await shop.connection.execute(
        f"create constraint trigger ends after insert on customers deferrable {at} for each row execute function ends()"
    )
    with pytest.raises(error) as caught:
        await shop.ask(INSERT, read_only=False)
    assert type(caught.value) is error
