"""Leave to speak to the outside world, looked at in the very moment before anything is sent.

An effect begins with a look at the lease; but a process may be stopped between that look and the first byte, and wake
up when somebody else has the job. Whoever works for a job says so here, and what it sends waits for leave.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from ssl import SSLContext
from typing import Any

import httpcore2

PAUSE_SECONDS = 0.05

_may_send: ContextVar[Callable[[], bool] | None] = ContextVar("may_send", default=None)


@contextmanager
def speaking_with(leave: Callable[[], bool]) -> Generator[None]:
    """What this task and those it starts send, they send only while `leave` says yes."""
    token = _may_send.set(leave)
    try:
        yield
    finally:
        _may_send.reset(token)


async def leave_to_send() -> None:
    """Return when what this task works for may be acted upon."""
    leave = _may_send.get()
    while leave is not None and not leave():  # noqa: ASYNC110  a lease has no event: time alone ends it
        await asyncio.sleep(PAUSE_SECONDS)


class LeaveStream(httpcore2.AsyncNetworkStream):
    """Holds back what is to be sent. A task whose leave never comes back is cancelled by whoever took it."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await leave_to_send()
        await self._stream.write(buffer, timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        return LeaveStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
