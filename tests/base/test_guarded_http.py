"""The guarded client: what it refuses, what it follows, what it caps (security:S5)."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from ipaddress import ip_address

import httpcore2
import httpx2
import pytest

from pilothouse.base.egress import EgressPolicy, is_public
from pilothouse.base.guarded_http import (
    AnswerTooLarge,
    EgressDenied,
    GuardedHttp,
    GuardedTransport,
    TooManyRedirects,
)
from pilothouse.base.leave import speaking_with
from pilothouse.kit.errors import Invalid, UpstreamError, UpstreamRefused, UpstreamTimeout
from tests.base.hostile import HOSTILE_HOSTS, NOT_HTTP, Listener, http

pytestmark = pytest.mark.security


@pytest.fixture
async def listener() -> AsyncIterator[Listener]:
    made = Listener()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made


@pytest.fixture
async def clients() -> AsyncIterator[Callable[..., Awaitable[GuardedHttp]]]:
    async with AsyncExitStack() as stack:

        async def make(*allow: str, names: dict[str, list[str]] | None = None) -> GuardedHttp:
            async def look_up(host: str, port: int) -> list[str]:
                if names is None or host not in names:
                    raise OSError(f"no such name: {host}")
                return names[host]

            transport = GuardedTransport(EgressPolicy(allow), resolver=look_up)
            return await stack.enter_async_context(GuardedHttp(transport))

        yield make


MakeClient = Callable[..., Awaitable[GuardedHttp]]


@pytest.mark.parametrize("host", HOSTILE_HOSTS)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_no_connection_is_made_to_an_address_that_is_not_public(
    host: str, scheme: str, listener: Listener, clients: MakeClient
):
    client = await clients()

    with pytest.raises(EgressDenied):
        await client.request("GET", f"{scheme}://{host}:{listener.port}/")

    assert listener.connections == 0


@pytest.mark.parametrize("url", NOT_HTTP)
async def test_only_http_urls_are_urls(url: str, clients: MakeClient):
    client = await clients()
    with pytest.raises(EgressDenied) as caught:
        await client.request("GET", url)
    assert caught.value.code == "egress_denied"


PRIVATE_ANSWERS = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1%1", "64:ff9b::a00:1"]


@pytest.mark.parametrize("address", PRIVATE_ANSWERS)
async def test_a_public_name_with_a_private_address_is_refused(address: str, listener: Listener, clients: MakeClient):
    client = await clients(names={"evil.example": ["93.184.216.34", address]})

    with pytest.raises(EgressDenied):
        await client.request("GET", f"http://evil.example:{listener.port}/")

    assert listener.connections == 0


class Recorder(httpcore2.AsyncNetworkBackend):
    """Writes down where a connection would go, and refuses it."""

    def __init__(self) -> None:
        self.hosts: list[str] = []

    async def connect_tcp(self, host: str, port: int, *args: object, **kwargs: object) -> httpcore2.AsyncNetworkStream:
        self.hosts.append(host)
        raise httpcore2.ConnectError("not in this test")


async def test_a_name_that_changes_its_answer_is_asked_once_and_the_checked_address_is_used():
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])
    network = Recorder()

    async def rebinding(host: str, port: int) -> list[str]:
        return next(answers)

    async with GuardedHttp(GuardedTransport(EgressPolicy(), resolver=rebinding, network=network)) as client:
        with pytest.raises(UpstreamError):
            await client.request("GET", "http://rebind.example/")
        with pytest.raises(EgressDenied):
            await client.request("GET", "http://rebind.example/")

    assert network.hosts == ["93.184.216.34"]


async def test_the_host_header_keeps_the_name_while_the_connection_goes_to_the_checked_address(
    listener: Listener, clients: MakeClient
):
    client = await clients("127.0.0.1", names={"inside.example": ["127.0.0.1"]})

    reply = await client.request("GET", f"http://inside.example:{listener.port}/a?b=1", headers={"Host": "other"})

    assert (reply.status, reply.text) == (200, "ok")
    assert listener.asked[0][0] == "GET /a?b=1"
    assert listener.asked[0][1]["host"] == f"inside.example:{listener.port}"


@pytest.mark.parametrize(
    "line", ["127.0.0.1", "127.0.0.0/8", "127.0.0.1:{port}", "inside.example", "INSIDE.example:{port}"]
)
async def test_the_operator_can_permit_private_targets(line: str, listener: Listener, clients: MakeClient):
    client = await clients(line.format(port=listener.port), names={"inside.example": ["127.0.0.1"]})
    reply = await client.request("GET", f"http://inside.example:{listener.port}/")
    assert reply.status == 200


@pytest.mark.parametrize("line", ["127.0.0.1:1", "10.0.0.0/8", "other.example", "example", "[::1]:{port}", " "])
async def test_a_permit_covers_no_more_than_it_says(line: str, listener: Listener, clients: MakeClient):
    client = await clients(line.format(port=listener.port), names={"inside.example": ["127.0.0.1"]})
    with pytest.raises(EgressDenied):
        await client.request("GET", f"http://inside.example:{listener.port}/")
    assert listener.connections == 0


async def test_a_redirect_to_a_private_address_is_refused(listener: Listener, clients: MakeClient):
    client = await clients(f"127.0.0.1:{listener.port}")
    for target in ("http://169.254.169.254/latest", "http://10.0.0.1/", "file:///etc/passwd", "http://[::1]/"):
        listener.answer = lambda path, headers, to=target: http(302, Location=to)
        with pytest.raises(EgressDenied):
            await client.request("GET", f"http://127.0.0.1:{listener.port}/")
    assert listener.connections == 4


async def test_a_redirect_to_another_origin_carries_no_secrets(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1", names={"a.example": ["127.0.0.1"], "b.example": ["127.0.0.1"]})
    listener.answer = lambda path, headers: (
        http(307, Location=f"http://b.example:{listener.port}/two") if path == "/one" else http(200, b"done")
    )
    secrets = {"Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k", "Idempotency-Key": "i", "X-Plain": "p"}

    reply = await client.request("POST", f"http://a.example:{listener.port}/one", headers=secrets, json={"a": 1})

    first, second = (headers for _, headers in listener.asked)
    assert {"authorization", "cookie", "x-api-key"} <= set(first)
    assert not {"authorization", "cookie", "x-api-key"} & set(second)
    assert (second["idempotency-key"], second["x-plain"]) == ("i", "p")
    assert reply.url == f"http://b.example:{listener.port}/two"
    assert [line for line, _ in listener.asked] == ["POST /one", "POST /two"]


async def test_a_redirect_within_the_origin_keeps_secrets_and_303_becomes_get(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(303, Location="/two") if path == "/one" else http(200)

    await client.request(
        "POST", f"http://127.0.0.1:{listener.port}/one", headers={"Authorization": "x"}, content=b"body"
    )

    line, headers = listener.asked[1]
    assert line == "GET /two"
    assert headers["authorization"] == "x"
    assert "content-length" not in headers


async def test_redirects_end(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(302, Location="/again")
    with pytest.raises(TooManyRedirects):
        await client.request("GET", f"http://127.0.0.1:{listener.port}/")
    assert listener.connections == 6


async def test_a_body_over_the_cap_is_dropped(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(200, b"x" * 5000)
    with pytest.raises(AnswerTooLarge):
        await client.request("GET", f"http://127.0.0.1:{listener.port}/", max_bytes=4999)
    reply = await client.request("GET", f"http://127.0.0.1:{listener.port}/", max_bytes=5000)
    assert len(reply.content) == 5000


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"\0" * 50_000_000)),
        ("deflate", zlib.compress(b"\0" * 50_000_000)),
    ],
)
async def test_a_packed_bomb_is_dropped_when_it_passes_the_cap(
    encoding: str, packed: bytes, listener: Listener, clients: MakeClient
):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(200, packed, Content_Encoding=encoding)
    with pytest.raises(AnswerTooLarge):
        await client.request("GET", f"http://127.0.0.1:{listener.port}/")


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 50_000)),
        ("deflate", zlib.compress(b"hello" * 50_000)),
        ("deflate", zlib.compress(b"hello" * 50_000)[2:-4]),
        ("identity", b"hello" * 50_000),
    ],
)
async def test_packed_answers_are_unpacked(encoding: str, packed: bytes, listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(200, packed, Content_Encoding=encoding)
    reply = await client.request("GET", f"http://127.0.0.1:{listener.port}/")
    assert reply.content == b"hello" * 50_000


@pytest.mark.parametrize(("encoding", "body"), [("br", b"x"), ("gzip, gzip", b"x"), ("gzip", b"not gzip at all")])
async def test_an_answer_packed_otherwise_is_refused(
    encoding: str, body: bytes, listener: Listener, clients: MakeClient
):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(200, body, Content_Encoding=encoding)
    with pytest.raises(UpstreamRefused):
        await client.request("GET", f"http://127.0.0.1:{listener.port}/")


async def test_an_answer_that_never_comes_is_a_timeout(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")

    async def never() -> bytes:
        await asyncio.sleep(5)
        return b""

    listener.answer = lambda path, headers: never()
    with pytest.raises(UpstreamTimeout) as caught:
        await client.request("GET", f"http://127.0.0.1:{listener.port}/", timeout=0.1)
    assert caught.value.retryable


async def test_a_broken_answer_and_an_unknown_name_are_faults_of_the_other_side(
    listener: Listener, clients: MakeClient
):
    client = await clients("127.0.0.1", names={})
    listener.answer = lambda path, headers: b"SMTP hello\r\n\r\n"
    for url in (f"http://127.0.0.1:{listener.port}/", "http://nowhere.example/"):
        with pytest.raises(UpstreamError) as caught:
            await client.request("GET", url)
        assert caught.value.code == "upstream_failed"


async def test_a_header_cannot_smuggle_a_second_request(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")
    with pytest.raises(Invalid):
        await client.request("GET", f"http://127.0.0.1:{listener.port}/", headers={"X": "a\r\nGET /evil HTTP/1.1"})
    assert listener.asked == []


async def test_the_transport_serves_other_httpx_clients_under_the_same_guard(listener: Listener):
    transport = GuardedTransport(EgressPolicy([f"127.0.0.1:{listener.port}"]))
    async with httpx2.AsyncClient(transport=transport, follow_redirects=True) as client:
        assert (await client.get(f"http://127.0.0.1:{listener.port}/")).text == "ok"
        listener.answer = lambda path, headers: http(302, Location="http://127.0.0.1:1/")
        with pytest.raises(EgressDenied):
            await client.get(f"http://127.0.0.1:{listener.port}/")


async def test_text_is_read_in_the_charset_it_names(listener: Listener, clients: MakeClient):
    client = await clients("127.0.0.1")
    listener.answer = lambda path, headers: http(200, "é".encode("latin-1"), Content_Type="text/plain; charset=latin-1")
    assert (await client.request("GET", f"http://127.0.0.1:{listener.port}/")).text == "é"


def test_ordinary_addresses_are_public():
    from_text = EgressPolicy().target_of
    assert from_text("https://example.com/").port == 443
    assert from_text("http://93.184.216.34:8080/").port == 8080
    assert from_text("https://[2606:4700::1111]/").host == "2606:4700::1111"
    assert from_text("https://bücher.example/").host == "xn--bcher-kva.example"
    assert is_public(ip_address("8.8.8.8"))


async def test_nothing_is_sent_while_the_lease_gives_no_leave(listener: Listener, clients: MakeClient):
    client = await clients(f"127.0.0.1:{listener.port}")
    leave = False
    with speaking_with(lambda: leave):
        asking = asyncio.create_task(client.request("POST", f"http://127.0.0.1:{listener.port}/"))
    await asyncio.sleep(0.2)
    assert (listener.connections, listener.asked) == (1, [])

    leave = True
    assert (await asking).status == 200
