"""What is asked of databases in runs: in the house's own wiring, and with leave where it changes something (W3)."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import pytest_asyncio

from tests.databases import fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.conftest import settings_for
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.stand import Stand, open_installation, stamp
from tests.features.runs.test_reviews import answer_to, asked, decide

QUERY = "4dc35c0f-4fd8-465e-9616-5a216f1ba2bc"
ACCOUNT = {"type": "user_password", "provider": "database", "title": "Shop"}
SECRET = {"username": "ann", "password": "pass-canary"}


@pytest_asyncio.fixture(loop_scope="session")
async def shop(tmp_path: Path) -> AsyncGenerator[Stand]:
    """An installation whose operator has opened a folder with one database."""
    (tmp_path / "open").mkdir()
    with closing(sqlite3.connect(tmp_path / "open" / "shop.db")) as made, made:
        made.execute("create table customers (name text)")
        made.execute("insert into customers values ('Ann')")
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        settings = settings_for(tmp_path, sqlite_dir=tmp_path / "open")
        async with open_installation(settings) as opened, opened.stand() as stand:
            yield stand


async def agent_that_asks(stand: Stand, query: str, *, read_only: bool) -> str:
    made = await stand.ann.browser.post("/api/credentials", json={**ACCOUNT, **SECRET})
    ask = node(
        *("ask", QUERY),
        database_type="sqlite",
        host="",
        database="shop.db",
        query=query,
        read_only=read_only,
        credentials={"id": made.json()["id"], **ACCOUNT},
    )
    outs = [node(name, graphs.OUTPUT, name=name) for name in ("results", "affected_rows", "error")]
    links = [link("ask", name, name, "value") for name in ("results", "affected_rows", "error")]
    agent = await stand.agent(graph("Asks", [ask, *outs], links))
    await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_sensitive": True})
    return agent


async def test_w3_a_query_that_only_looks_asks_nobody_and_one_that_writes_does(shop: Stand):
    looks = await shop.start(await agent_that_asks(shop, "select name from customers", read_only=True))
    assert (await shop.reaches(looks["id"], "completed"))["outputs"] == {"results": [[{"name": "Ann"}]]}

    writes = await shop.start(await agent_that_asks(shop, "delete from customers", read_only=False))
    (review,) = await asked(shop, writes["id"])
    assert "canary" not in str(review)
    await decide(shop, answer_to(review, True))
    ended = await shop.reaches(writes["id"], "completed")
    assert ended["outputs"] == {"results": [[]], "affected_rows": [1]}
