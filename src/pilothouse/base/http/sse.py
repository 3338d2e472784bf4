"""Server-sent events: streams that notice when their reader leaves, stalls, or we stop."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

HEARTBEAT = b": \n\n"
SLOW_SECONDS = 5.0
_TICK_SECONDS = 0.5
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


def frame(event_id: int | str, data: bytes) -> bytes:
    """One event; `data` is JSON, so it holds no line break."""
    return b"id: %s\ndata: %s\n\n" % (str(event_id).encode(), data)


class EventStream(Response):
    """Sends what `frames` yields. The work behind it never waits for, or ends with, its reader."""

    def __init__(
        self,
        frames: AsyncGenerator[bytes],
        stopping: asyncio.Event,
        *,
        heartbeat: float,
        slow: float = SLOW_SECONDS,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(headers=headers)
        self._frames = frames
        self._stopping = stopping
        self._heartbeat = heartbeat
        self._slow = slow
        self._tick = min(_TICK_SECONDS, heartbeat / 2, slow / 2)
        self._sending_since: float | None = None
        self._last_sent = 0.0
        self._lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extra = [pair for pair in self.raw_headers if pair[0] not in {b"content-length", b"content-type"}]
        await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS, *extra]})
        self._last_sent = time.monotonic()
        cut = False
        async with anyio.create_task_group() as tasks:

            async def end_when_gone() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            async def end_when_stopping() -> None:
                await self._stopping.wait()
                tasks.cancel_scope.cancel()

            async def keep_time() -> None:
                nonlocal cut
                while not self._is_stalled():
                    if self._is_quiet():
                        tasks.start_soon(self._send, send, HEARTBEAT)
                    await asyncio.sleep(self._tick)
                cut = True
                tasks.cancel_scope.cancel()

            for watch in (end_when_gone, end_when_stopping, keep_time):
                tasks.start_soon(watch)
            await self._pump(send)
            tasks.cancel_scope.cancel()
        if not cut:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pump(self, send: Send) -> None:
        async with aclosing(self._frames) as frames:
            async for data in frames:
                await self._send(send, data)

    async def _send(self, send: Send, data: bytes) -> None:
        async with self._lock:
            self._sending_since = time.monotonic()
            await send({"type": "http.response.body", "body": data, "more_body": True})
            self._sending_since = None
            self._last_sent = time.monotonic()

    def _is_stalled(self) -> bool:
        """The reader has taken nothing for too long."""
        return self._sending_since is not None and time.monotonic() - self._sending_since > self._slow

    def _is_quiet(self) -> bool:
        """Nothing was sent for so long that a beat is due before the next look."""
        idle = time.monotonic() - self._last_sent
        return self._sending_since is None and idle >= self._heartbeat - self._tick
