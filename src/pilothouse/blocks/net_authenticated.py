"""Asking the outside world over HTTP, as somebody."""

from pilothouse.blocks.contract import BlockContext, Category, Effects, Example, block, reply
from pilothouse.blocks.credentials import CredentialRef, HostScoped, credentials_field
from pilothouse.blocks.net import SendWebRequestIn, SendWebRequestOut, effects_of, send

_REF = {"id": "00000000-0000-7000-8000-0000000000c1", "provider": "http", "type": "host_scoped", "title": "Example"}
_OPENED = {"credentials": HostScoped(_REF["id"], "http", "api.example.com", {"Authorization": "Bearer example"})}


class SendAuthenticatedWebRequestIn(SendWebRequestIn):
    credentials: CredentialRef = credentials_field("http", types=("host_scoped",), description="Headers for this host.")


@block(
    id="fff86bcd-e001-4bad-a7f6-2eae4720c8dc",
    name="Send authenticated web request",
    categories={Category.OUTPUT, Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    effects_of=effects_of,
    happy_pins=("response",),
    examples=[
        Example(
            ask={"url": "https://api.example.com/things", "body": {"a": 1}, "credentials": {**_REF}},
            credentials=_OPENED,
            http=[reply(201, {"id": 7})],
            fires=[("response", {"id": 7})],
        ),
        Example(
            ask={"url": "https://api.example.com/me", "method": "GET", "credentials": {**_REF}},
            credentials=_OPENED,
            http=[reply(401, {"why": "expired"})],
            fires=[("client_error", {"why": "expired"})],
        ),
        Example(
            ask={"url": "https://evil.example.org/", "credentials": {**_REF}},
            credentials=_OPENED,
            fires=[("error", "these credentials are for api.example.com, and are sent nowhere else")],
        ),
        Example(ask={"url": "https://api.example.com/"}, fails="invalid_input"),
    ],
)
async def send_authenticated_web_request(ask: SendAuthenticatedWebRequestIn, ctx: BlockContext) -> SendWebRequestOut:
    """Send an HTTP request with the headers that were stored for its host, and hand on the answer."""
    opened = ctx.credentials.get("credentials")
    if not isinstance(opened, HostScoped):
        return SendWebRequestOut(error="these credentials are not headers for a host")
    if not opened.covers(ask.url):
        return SendWebRequestOut(error=f"these credentials are for {opened.host}, and are sent nowhere else")
    return await send(ask, ctx, opened.headers)
