"""Asking the outside world over HTTP."""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import Field

from pilothouse.blocks.context import HttpReply
from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
    reply,
)
from pilothouse.blocks.form_data import Part, form_data
from pilothouse.kit.json import Json, dump_bytes, dumps, loads
from pilothouse.kit.upstream import refuse_passing

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_FILES = 20
MAX_SENT = 25 * 1024 * 1024


class SendWebRequestIn(BlockInput):
    url: Annotated[str, Field(description="A public http or https address.", json_schema_extra={"address": "url"})]
    method: Annotated[
        Literal["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"], Field(description="HTTP method.")
    ] = "POST"
    headers: dict[str, str] = Field(default={}, description="Headers to send.")
    json_format: Annotated[bool, Field(description="Send the body as JSON; else as a form, or text as it is.")] = True
    body: Annotated[dict[str, AnyJson] | list[AnyJson] | str | None, Field(description="What to send.")] = None
    files_name: Annotated[str, Field(description="Form field of the files.")] = "file"
    files: list[str] = Field(default=[], description="Files to send as a form.")


class SendWebRequestOut(BlockOutput):
    response: AnyJson = None
    client_error: AnyJson = None
    server_error: AnyJson = None


def effects_of(ask: SendWebRequestIn) -> Effects:
    """Looking is not changing."""
    return Effects.READS if ask.method in SAFE else Effects.WRITES


@block(
    id="6595ae1f-b924-42cb-9a41-551a0611c4b4",
    name="Send web request",
    categories={Category.OUTPUT, Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    effects_of=effects_of,
    happy_pins=("response",),
    examples=[
        Example(
            ask={"url": "https://api.example.com/things", "body": {"a": 1}},
            http=[reply(201, {"id": 7})],
            fires=[("response", {"id": 7})],
        ),
        Example(
            ask={"url": "https://example.com", "method": "GET"},
            http=[reply(200, "<p>Hi</p>", content_type="text/html")],
            fires=[("response", "<p>Hi</p>")],
        ),
        Example(ask={"url": "https://example.com", "method": "DELETE"}, http=[reply(204)], fires=[("response", None)]),
        Example(
            ask={"url": "https://example.com", "method": "GET"},
            http=[reply(404, {"why": "gone"})],
            fires=[("client_error", {"why": "gone"})],
        ),
        Example(
            ask={"url": "https://example.com", "json_format": False, "body": {"a": "b c"}},
            http=[reply(503, "busy", content_type="text/plain")],
            fires=[("server_error", "busy")],
        ),
        Example(
            ask={"url": "https://example.com", "files": ["data:text/plain,hi"], "body": {"a": "b"}},
            http=[reply(200, {"ok": True})],
            fires=[("response", {"ok": True})],
        ),
        Example(ask={"url": "https://example.com", "files": ["workspace://a"]}, fails="invalid_reference"),
        Example(ask={"url": "https://example.com", "method": "BREW"}, fails="invalid_input"),
    ],
)
async def send_web_request(ask: SendWebRequestIn, ctx: BlockContext) -> SendWebRequestOut:
    """Send an HTTP request, for example to an API, and hand on the answer."""
    return await send(ask, ctx)


async def send(ask: SendWebRequestIn, ctx: BlockContext, private: Mapping[str, str] | None = None) -> SendWebRequestOut:
    """With `private` headers that no other origin gets. An answer has its pin once the step's policy gives up."""
    headers, content = await multipart_body(ask, ctx) if ask.files else request_body(ask)
    if ask.method not in SAFE and "idempotency-key" not in {name.lower() for name in headers}:
        headers["Idempotency-Key"] = ctx.idempotency_key()
    answer = await ctx.http.request(ask.method, ask.url, headers=headers, private=private, content=content)
    if not ctx.is_last_attempt:
        refuse_passing(answer.status, answer.headers, f"the address answered with status {answer.status}")
    value = body_of(answer)
    if 200 <= answer.status < 300:
        return SendWebRequestOut(response=value)
    if 400 <= answer.status < 500:
        return SendWebRequestOut(client_error=value)
    return SendWebRequestOut(server_error=value)


async def multipart_body(ask: SendWebRequestIn, ctx: BlockContext) -> tuple[dict[str, str], bytes]:
    """The files, and the body's fields, as a form; it alone can say what its parts are divided by."""
    parts = [Part(ask.files_name, *await ctx.files.read(source, limit=MAX_SENT)) for source in ask.files[:MAX_FILES]]
    if len(ask.files) > MAX_FILES or sum(len(part.content) for part in parts) > MAX_SENT:
        raise BlockFailed("files_too_large", f"At most {MAX_FILES} files and {MAX_SENT} bytes are sent at once.")
    kind, content = form_data(ask.body if isinstance(ask.body, dict) else {}, parts, ctx.idempotency_key("parts"))
    return {**{name: told for name, told in ask.headers.items() if name.lower() != "content-type"}, **kind}, content


def request_body(ask: SendWebRequestIn) -> tuple[dict[str, str], bytes | None]:
    """Headers and bytes to send; a content type that was given stays."""
    if ask.body is None:
        return dict(ask.headers), None
    if ask.json_format:
        return with_type(ask.headers, "application/json"), dump_bytes(parsed(ask.body))
    if isinstance(ask.body, dict):
        return with_type(ask.headers, "application/x-www-form-urlencoded"), form(ask.body)
    text = ask.body if isinstance(ask.body, str) else dumps(ask.body)
    return with_type(ask.headers, "text/plain; charset=utf-8"), text.encode()


def parsed(body: Json) -> Json:
    """Text that is a JSON object or list is sent as that, so that it is not quoted twice."""
    if not isinstance(body, str) or body.strip()[:1] not in ("{", "["):
        return body
    try:
        return loads(body)
    except ValueError:
        return body


def form(body: dict[str, Json]) -> bytes:
    pairs = [
        (name, item if isinstance(item, str) else dumps(item))
        for name, value in body.items()
        for item in (value if isinstance(value, list) else [value])
        if item is not None
    ]
    return urlencode(pairs).encode()


def with_type(headers: Mapping[str, str], content_type: str) -> dict[str, str]:
    if "content-type" in {name.lower() for name in headers}:
        return dict(headers)
    return {**headers, "Content-Type": content_type}


def body_of(answer: HttpReply) -> Json:
    """JSON by content type, else text; nothing at all is null."""
    if answer.status == 204 or not answer.content:
        return None
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        try:
            return answer.json()
        except ValueError:
            return answer.text
    return answer.text
