"""Calling a tool of an MCP server over HTTP, in a session that ends with the call."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import httpx2

from pilothouse.base.egress import EgressDenied
from pilothouse.base.guarded_transport import GuardedTransport
from pilothouse.base.outside.errors import ToolRefused, said
from pilothouse.kit.errors import PilothouseError, UpstreamError, UpstreamTimeout
from pilothouse.kit.json import Json, loads
from pilothouse.kit.outside import ToolAnswer, ToolCall
from pilothouse.kit.upstream import is_passing, passing

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

MAX_BYTES: Final = 5_000_000  # of all that a server says in one session
CONNECT_SECONDS: Final = 10.0
KEY_FIELD: Final = "pilothouse/idempotency-key"  # in a call's `_meta`: servers that know it can tell a repeated call


class AnswerTooLarge(ToolRefused):
    """The tool server says more than is read at once."""

    wire_code = "answer_too_large"


async def call_tool(guard: GuardedTransport, call: ToolCall) -> ToolAnswer:
    """Raises `EgressDenied`, `ToolRefused` or an `UpstreamError`. The guard is closed with the call."""
    capped = CappedTransport(guard)
    with _as_ours(capped):
        async with asyncio.timeout(call.timeout), _client(capped, call) as client:
            meta = cast(Any, {KEY_FIELD: call.key}) if call.key else None
            return _answer(await client.call_tool(call.tool, call.arguments, meta=meta))


@asynccontextmanager
async def _client(capped: "CappedTransport", call: ToolCall) -> AsyncGenerator["Client"]:
    await asyncio.to_thread(import_module, "mcp.client.streamable_http")  # takes a second, the first time
    from mcp import Client  # noqa: PLC0415  most processes never call a tool
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    headers = {"Accept-Encoding": "identity", "User-Agent": "Pilothouse"}
    if call.token is not None:
        headers["Authorization"] = f"Bearer {call.token}"
    times = httpx2.Timeout(call.timeout, connect=CONNECT_SECONDS)
    async with httpx2.AsyncClient(transport=capped, headers=headers, trust_env=False, timeout=times) as http:
        transport = streamable_http_client(call.url, http_client=http, max_sse_event_size=MAX_BYTES)
        async with Client(transport, read_timeout_seconds=call.timeout) as client:
            yield client


def _answer(result: "CallToolResult") -> ToolAnswer:
    """What the tool structured itself, else its text, read as JSON where it is an object or a list."""
    if result.structured_content is not None:
        return ToolAnswer(cast(Json, result.structured_content), bool(result.is_error))
    parts: list[Json] = [_part(part.model_dump(mode="json", exclude_none=True)) for part in result.content]
    return ToolAnswer(parts[0] if len(parts) == 1 else parts, bool(result.is_error))


def _part(part: dict[str, Json]) -> Json:
    text = part.get("text")
    if part.get("type") != "text" or not isinstance(text, str):
        return part
    if text.strip()[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except ValueError:
        return text


class CappedTransport(httpx2.AsyncBaseTransport):
    """Reads no more than it may, over all answers of a session; remembers what it refused, for the library hides it."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner
        self._room = MAX_BYTES
        self.refused: PilothouseError | None = None
        self.status = 0  # of the last answer that was none
        self.headers: Mapping[str, str] = {}  # of that answer

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            answer = await self._inner.handle_async_request(request)
        except EgressDenied as denied:
            self.refused = denied
            raise
        if answer.status_code >= 400:
            self.status, self.headers = answer.status_code, answer.headers
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise httpx2.DecodingError("packed, which nobody asked for", request=request)
        stream = _Counted(self, cast(httpx2.AsyncByteStream, answer.stream))
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=stream)

    def spend(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            self.refused = AnswerTooLarge(f"the tool server says more than the {MAX_BYTES} bytes that are read at once")
            raise self.refused

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, transport: CappedTransport, inner: httpx2.AsyncByteStream) -> None:
        self._transport = transport
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            self._transport.spend(len(part))
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def _as_ours(capped: CappedTransport) -> Generator[None]:
    """What the library raises, said in our own errors. It works in task groups, so faults come in bundles."""
    try:
        yield
    except BaseExceptionGroup as bundle:
        if bundle.subgroup(asyncio.CancelledError) is not None:
            raise
        raise _said(capped, _first(bundle)) from bundle
    except Exception as fault:
        raise _said(capped, fault) from fault


def _first(bundle: BaseExceptionGroup[BaseException]) -> BaseException:
    first: BaseException = bundle.exceptions[0]
    return _first(cast(BaseExceptionGroup[BaseException], first)) if isinstance(first, BaseExceptionGroup) else first


def _said(capped: CappedTransport, fault: BaseException) -> PilothouseError:
    if capped.refused is not None:
        return capped.refused
    if isinstance(fault, PilothouseError):
        return fault
    if isinstance(fault, TimeoutError | httpx2.TimeoutException):
        return UpstreamTimeout("the tool server did not answer in time")
    if capped.status in (401, 403):
        return ToolRefused(f"the tool server wants other credentials: it answered {capped.status}")
    if is_passing(capped.status):
        told = f"the tool server did not do it: it answered {capped.status}"
        return passing(capped.status, capped.headers, told)
    if isinstance(fault, httpx2.HTTPError | OSError):
        return UpstreamError(f"the tool server could not be reached: {type(fault).__name__}")
    return ToolRefused(f"the tool server did not do it: {said(str(fault))}")
