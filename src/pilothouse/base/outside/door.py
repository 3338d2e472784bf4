"""TCP to addresses that were checked, for protocols other than HTTP; and threads for libraries that block."""

import asyncio
import socket
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TypeVar

from pilothouse.base.egress import EgressPolicy
from pilothouse.base.guarded_transport import Resolver, resolve
from pilothouse.kit.errors import UpstreamError

CONNECT_SECONDS = 10.0

_T = TypeVar("_T")


class GuardedDoor:
    """Looks a name up once, checks every address, and connects to what was checked."""

    def __init__(self, policy: EgressPolicy, *, resolver: Resolver = resolve) -> None:
        self._policy = policy
        self._resolver = resolver

    async def addresses(self, host: str, port: int) -> list[str]:
        """Every address of the name, all of them allowed. Raises `EgressDenied` or `UpstreamError`."""
        target = self._policy.target_at(host, port)
        try:
            found = [ip_address(target.host)]
        except ValueError:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    found = [ip_address(text) for text in await self._resolver(target.host, port)]
            except (OSError, UnicodeError) as cause:  # a timeout is an OSError too
                raise UpstreamError(f"the name of this host could not be looked up: {target.host}") from cause
        for address in found:
            self._policy.admit(target, address)
        return [str(address) for address in found]

    async def connect(self, host: str, port: int, timeout: float) -> socket.socket:
        """A connected socket that gives up on each read and write after `timeout` seconds."""
        for address in await self.addresses(host, port):
            try:
                return await _connect(address, port, timeout)
            except OSError:
                continue  # perhaps another of its addresses answers
        raise UpstreamError(f"the server could not be reached: {host}, port {port}")


async def _connect(address: str, port: int, timeout: float) -> socket.socket:
    opened = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        async with asyncio.timeout(CONNECT_SECONDS):
            await asyncio.get_running_loop().sock_connect(opened, (address, port))
        opened.settimeout(timeout)
    except BaseException:
        opened.close()
        raise
    return opened


class Handle:
    """A second hold on a connection: cuts it, whatever has become of the socket in the meantime."""

    def __init__(self, opened: socket.socket) -> None:
        self._opened = opened.dup()

    def cut(self) -> None:
        """Whoever reads or writes there is woken by an error."""
        try:
            self._opened.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster

    def close(self) -> None:
        self._opened.close()


@contextmanager
def held(opened: socket.socket) -> Generator[Handle]:
    """Cut the connection at the end, however it comes."""
    handle = Handle(opened)
    try:
        yield handle
    finally:
        handle.cut()
        handle.close()
        opened.close()


async def in_thread(threads: Executor, handle: Handle, work: Callable[[], _T]) -> _T:
    """Do what blocks on this connection in a thread. Who is cancelled cuts it, so that no thread is left behind."""
    doing = asyncio.get_running_loop().run_in_executor(threads, work)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        handle.cut()
        doing.add_done_callback(lambda done: None if done.cancelled() else done.exception())  # heard, not told
        raise
