"""Tools of an MCP server, called by the official client through the guard (security:S5)."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.outside import GuardedOutside
from pilothouse.base.outside.errors import ToolRefused
from pilothouse.base.outside.tools import AnswerTooLarge
from pilothouse.kit.errors import UpstreamError, UpstreamTimeout
from pilothouse.kit.outside import ToolAnswer, ToolCall
from tests.base.hostile import HOSTILE_HOSTS, NOT_HTTP
from tests.base.outside.conftest import look_up
from tests.base.outside.tool_server import Workshop, tool_server


@pytest.fixture
async def workshop() -> AsyncGenerator[Workshop]:
    async with tool_server() as served:
        yield served


async def ask(outside: GuardedOutside, workshop: Workshop, tool: str, **arguments: Any) -> ToolAnswer:
    return await outside.call_tool(ToolCall(workshop.url, tool, arguments, timeout=30.0))


async def test_a_tool_answers(outside: GuardedOutside, workshop: Workshop):
    assert await ask(outside, workshop, "add", a=1, b=2) == ToolAnswer({"result": 3})
    assert await ask(outside, workshop, "greet", name="Ann") == ToolAnswer("Hello Ann")


async def test_what_a_tool_says_of_its_failure_is_an_answer(outside: GuardedOutside, workshop: Workshop):
    assert (await ask(outside, workshop, "fail")).failed
    assert (await ask(outside, workshop, "add", a=1)).failed
    unknown = await ask(outside, workshop, "nothing")
    assert unknown.failed
    assert "nothing" in str(unknown.value)


async def test_the_token_goes_along_and_is_in_no_error(outside: GuardedOutside, workshop: Workshop):
    workshop.only = "token-canary"
    call = ToolCall(workshop.url, "add", {"a": 1, "b": 2}, token="token-canary", timeout=30.0)
    assert (await outside.call_tool(call)).value == {"result": 3}
    assert workshop.tokens == {"Bearer token-canary"}
    for token in ("wrong-canary", None):
        with pytest.raises(ToolRefused, match="401") as caught:
            await outside.call_tool(replace(call, token=token))
        assert "canary" not in str(caught.value)


async def test_a_token_goes_over_https_only_but_where_the_operator_lists_the_host():
    closed = GuardedOutside(EgressPolicy(["10.0.0.1"]), resolver=look_up)
    call = ToolCall("http://tools.example.com/mcp", "add", {}, token="token-canary", timeout=5.0)
    with pytest.raises(EgressDenied, match="https only"):
        await closed.call_tool(call)
    policy = EgressPolicy(["127.0.0.1:8080", "tools.lan"])
    for url, listed in (
        ("http://127.0.0.1:8080/mcp", True),
        ("http://localhost:8080/mcp", True),
        ("http://localhost:8081/mcp", False),
        ("http://tools.lan/mcp", True),
        ("http://tools.example.com/mcp", False),
    ):
        assert policy.is_listed(policy.target_of(url)) is listed, url


async def test_a_flood_is_cut(outside: GuardedOutside, workshop: Workshop):
    assert len(str((await ask(outside, workshop, "flood", size=100_000)).value)) == 100_000
    with pytest.raises(AnswerTooLarge):
        await ask(outside, workshop, "flood", size=6_000_000)


async def test_a_slow_tool_is_left(outside: GuardedOutside, workshop: Workshop):
    with pytest.raises(UpstreamTimeout):
        await outside.call_tool(ToolCall(workshop.url, "sleep", {}, timeout=1.0))


async def test_another_origin_is_not_followed(outside: GuardedOutside, workshop: Workshop):
    workshop.moves_to = f"http://other.test:{workshop.port}/mcp"
    with pytest.raises((ToolRefused, UpstreamError)):
        await outside.call_tool(ToolCall(workshop.url, "add", {}, token="token-canary", timeout=30.0))


async def test_a_server_that_is_not_there_may_be_asked_again(outside: GuardedOutside, workshop: Workshop):
    with pytest.raises(UpstreamError) as caught:
        await outside.call_tool(ToolCall("https://nowhere.test/mcp", "add", {}, timeout=30.0))
    assert caught.value.retryable


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_may_be_asked_again_after_the_rest_that_it_wants(
    outside: GuardedOutside, workshop: Workshop, status: int
):
    """engine:T1"""
    workshop.busy = status
    with pytest.raises(UpstreamError, match=str(status)) as caught:
        await ask(outside, workshop, "add", a=1, b=2)
    assert (caught.value.retryable, caught.value.facts["retry_after"]) == (True, 30.0)


async def test_s5_no_connection_is_made_to_an_address_that_is_not_public(workshop: Workshop):
    async with GuardedOutside(EgressPolicy(), resolver=look_up) as outside:
        hosts = [*HOSTILE_HOSTS, "mail.test", "rebound.test", "me:secret@mail.test"]
        for url in [
            *(f"{kind}://{host}:{workshop.port}/mcp" for host in hosts for kind in ("http", "https")),
            *NOT_HTTP,
        ]:
            with pytest.raises(EgressDenied):
                await outside.call_tool(ToolCall(url, "add", {"a": 1, "b": 2}, timeout=30.0))
    assert workshop.connections == 0
