"""What is asked of databases in runs: in the house's own wiring, and with leave where it changes something (W3)."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import pytest_asyncio

from pilothouse.kit.json import Json
from tests.base.outside.tool_server import tool_server
from tests.databases import fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Stand, open_installation, stamp
from tests.features.runs.test_reviews import answer_to, asked, decide

TOOL = "a0a4b1c2-d3e4-4f56-a7b8-c9d0e1f2a3b4"
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


async def test_a_tool_is_called_with_what_comes_by_its_own_pins(tmp_path: Path):
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        async with tool_server() as workshop:
            place = f"127.0.0.1:{workshop.port}"
            schema: Json = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}
            add = node(
                "add", TOOL, server_url=f"http://{place}/mcp", selected_tool="add", tool_input_schema=schema, b=2
            )
            nodes = [node("in", graphs.NUMBER, name="a"), add, node("out", graphs.OUTPUT, name="sum")]
            links = [link("in", "result", "add", "a"), link("add", "result_#_result", "out", "value")]
            async with open_installation(settings_for(tmp_path, egress_allow=place)) as opened, opened.stand() as stand:
                run = await stand.start(await stand.agent(graph("Adds", nodes, links)), a=40)
                assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"sum": [42]}


async def test_w3_a_query_that_only_looks_asks_nobody_and_one_that_writes_does(shop: Stand):
    looks = await shop.start(await agent_that_asks(shop, "select name from customers", read_only=True))
    assert (await shop.reaches(looks["id"], "completed"))["outputs"] == {"results": [[{"name": "Ann"}]]}

    writes = await shop.start(await agent_that_asks(shop, "delete from customers", read_only=False))
    (review,) = await asked(shop, writes["id"])
    assert "canary" not in str(review)
    await decide(shop, answer_to(review, True))
    ended = await shop.reaches(writes["id"], "completed")
    assert ended["outputs"] == {"results": [[]], "affected_rows": [1]}
