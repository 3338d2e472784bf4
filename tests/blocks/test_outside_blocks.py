"""Asking databases and calling tools, as blocks (blocks:Q6, blocks:Q8)."""

import re
from pathlib import Path
from typing import Any

import pytest

from pilothouse.blocks.contract import BlockFailed
from pilothouse.blocks.credentials import ApiKey, Credential, UserPassword
from pilothouse.blocks.example import Said
from pilothouse.blocks.rehearsal import PreparedOutside, Rehearsal
from pilothouse.graph.catalogue import Effects
from pilothouse.kit.json import JsonObject, loads
from pilothouse.kit.outside import DatabaseQuery, Rows, ToolAnswer, ToolCall
from tests.blocks.playing import BY_NAME, REGISTRY, error_of, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "ask-databases-and-tools.md"
REF = {"id": "00000000-0000-7000-8000-0000000000c2", "provider": "database", "type": "user_password", "title": "Shop"}
SQL: dict[str, Any] = {"host": "db.test", "database": "shop", "query": "select 1", "credentials": REF}
TOOL: dict[str, Any] = {"server_url": "https://tools.test/mcp", "selected_tool": "add"}
SCHEMA: JsonObject = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}


def stage(*said: Said, opened: Credential | None = None) -> Rehearsal:
    account = opened or UserPassword(REF["id"], "database", "ann", "pass-canary-99")
    return Rehearsal(outside=PreparedOutside(said), credentials={"credentials": account})


async def query_of(**more: Any) -> tuple[DatabaseQuery, Rehearsal]:
    ctx = stage(Rows(["a"], [{"a": 1}]))
    fired = await run("SQL query", ctx, **{**SQL, **more})
    assert fired[:3] == [("results", [{"a": 1}]), ("columns", ["a"]), ("row_count", 1)]
    (query,) = ctx.outside.asked
    assert isinstance(query, DatabaseQuery)
    return query, ctx


async def test_a_query_only_looks_and_is_bounded_unless_told_otherwise():
    query, ctx = await query_of()
    assert (query.read_only, query.timeout, query.max_rows, query.tls) == (True, 30.0, 1000, "verify")
    assert (ctx.outside.logins[0].host, ctx.outside.logins[0].port) == ("db.test", 5432)
    query, ctx = await query_of(port=6543, read_only=False, timeout=120, max_rows=10_000, params=["x", None], tls="off")
    assert (query.read_only, query.timeout, query.max_rows, query.params) == (False, 120.0, 10_000, ["x", None])
    assert ctx.outside.logins[0].port == 6543
    assert "canary" not in repr(ctx.outside.logins)


@pytest.mark.parametrize("more", [{"timeout": 121}, {"timeout": 0}, {"max_rows": 10_001}, {"database_type": "oracle"}])
async def test_no_query_is_without_bounds(more: dict[str, Any]):
    with pytest.raises(BlockFailed, match=next(iter(more))):
        await run("SQL query", stage(), **{**SQL, **more})


@pytest.mark.parametrize("kind", ["mysql", "mssql"])
async def test_what_there_is_no_driver_for_is_said(kind: str):
    assert f"{kind} cannot be asked: there is no driver" in await error_of(
        "SQL query", stage(), **SQL, database_type=kind
    )


def test_q7_a_query_is_sensitive_and_writes_only_when_it_may():
    block = REGISTRY.runnable(BY_NAME["SQL query"])
    assert block.effects_of(SQL) is Effects.READS
    assert block.effects_of({**SQL, "read_only": False}) is Effects.WRITES
    assert block.spec.sensitive


async def call_of(*, opened: Credential | None = None, **more: Any) -> ToolCall:
    ctx = Rehearsal(
        outside=PreparedOutside([ToolAnswer(3)]), credentials={} if opened is None else {"credentials": opened}
    )
    assert await run("MCP tool", ctx, **{**TOOL, **more}) == [("result", 3)]
    (call,) = ctx.outside.asked
    assert isinstance(call, ToolCall)
    assert call.key == ctx.idempotency_key()
    return call


async def test_the_fields_of_a_tool_are_pins_too():
    assert (await call_of(tool_arguments={"a": 1, "b": 2}, b=5)).arguments == {"a": 1, "b": 5}
    assert (await call_of(tool_input_schema=SCHEMA, a=1, other=2)).arguments == {"a": 1}
    assert "needs a value for a" in await error_of("MCP tool", stage(), **TOOL, tool_input_schema=SCHEMA, b=1)


@pytest.mark.parametrize("none", [{}, None])
async def test_a_token_goes_as_bearer_and_need_not_be(none: object):
    ref = {"id": REF["id"], "provider": "mcp", "type": "api_key", "title": "Mine"}
    call = await call_of(opened=ApiKey(REF["id"], "mcp", "token-canary"), credentials=ref)
    assert call.token == "token-canary"
    assert "canary" not in repr(call)
    assert (await call_of(credentials=none)).token is None


async def test_what_a_tool_says_of_its_failure_is_the_error():
    ctx = stage(ToolAnswer({"why": "x" * 9000}, failed=True))
    assert (await error_of("MCP tool", ctx, **TOOL)).startswith('the tool failed: {"why":"xxx')


async def test_the_examples_of_the_page_can_be_asked():
    told = re.findall(r"```json (\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    asks: dict[str, Any] = {name: loads(text) for name, text in told}
    assert dict(await run("SQL query", stage(Rows([], [])), **asks["query"], credentials=REF))["results"] == []
    assert await run("MCP tool", stage(ToolAnswer(3)), **asks["tool"]) == [("result", 3)]
