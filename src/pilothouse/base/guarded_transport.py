"""The guard itself: resolve a name once, check every address, and connect to what was checked."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TypeAlias, cast

import httpcore2
import httpx2

from pilothouse.base.egress import Address, EgressDenied, EgressPolicy, Target
from pilothouse.base.leave import LeaveStream

Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]


async def resolve(host: str, port: int) -> list[str]:
    """Ask the system's resolver, once."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class _PinnedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to addresses that were checked, never to a name: a second look-up could give another answer."""

    def __init__(self, policy: EgressPolicy, resolver: Resolver, network: httpcore2.AsyncNetworkBackend) -> None:
        self._policy = policy
        self._resolver = resolver
        self._network = network

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await self._addresses(host, port, timeout)
        last: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in addresses:
            try:
                where = (str(address), port, timeout, local_address, socket_options)
                return LeaveStream(await self._network.connect_tcp(*where))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as cause:
                last = cause
        raise last or httpcore2.ConnectError(f"{host} has no address")

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        raise EgressDenied("only http and https addresses may be reached")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)

    async def _addresses(self, host: str, port: int, timeout: float | None) -> list[Address]:
        """Every address of the name, all of them allowed: one bad apple and none is used."""
        target = Target("", host.lower().strip("[]").rstrip("."), port)
        try:
            addresses = [ip_address(target.host)]
        except ValueError:
            addresses = [ip_address(text) for text in await self._look_up(target, timeout)]
        for address in addresses:
            self._policy.admit(target, address)
        return addresses

    async def _look_up(self, target: Target, timeout: float | None) -> list[str]:
        try:
            async with asyncio.timeout(timeout):
                return await self._resolver(target.host, target.port)
        except TimeoutError as cause:
            raise httpcore2.ConnectTimeout(f"{target.host} could not be resolved in time") from cause
        except (OSError, UnicodeError) as cause:
            raise httpcore2.ConnectError(f"{target.host} could not be resolved") from cause


def _system_network() -> httpcore2.AsyncNetworkBackend:
    return cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())


class GuardedTransport(httpx2.AsyncBaseTransport):
    """The guard as an httpx2 transport, for clients that bring their own manners (model providers)."""

    def __init__(
        self,
        policy: EgressPolicy,
        *,
        resolver: Resolver = resolve,
        network: httpcore2.AsyncNetworkBackend | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._network = _PinnedNetwork(policy, resolver, network or _system_network())
        self._ssl_context = ssl_context
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._policy.target_of(request.url)
        url = request.url
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=cast(httpx2.AsyncByteStream, request.stream),
            extensions=request.extensions,
        )
        with _as_httpx():
            answer = await self._connections().handle_async_request(asked)
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_AnswerStream(cast(httpx2.AsyncByteStream, answer.stream)),
        )

    async def aclose(self) -> None:
        if self._pool is not None:
            await self._pool.aclose()

    def _connections(self) -> httpcore2.AsyncConnectionPool:
        if self._pool is None:  # reading the trusted certificates takes a while: not at start
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=self._ssl_context or httpx2.create_ssl_context(trust_env=False),
                max_connections=200,
                max_keepalive_connections=20,
                keepalive_expiry=5.0,
                network_backend=self._network,
            )
        return self._pool


class _AnswerStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx():
            async for part in self._stream:
                yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


_FAULTS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
    httpcore2.ProxyError,
)


@contextmanager
def _as_httpx() -> Generator[None]:
    """The two libraries name their faults alike; clients of the transport know the upper one's."""
    try:
        yield
    except _FAULTS as fault:
        kind: type[httpx2.TransportError] = getattr(httpx2, type(fault).__name__, httpx2.TransportError)
        raise kind(str(fault)) from fault
