"""A caller that costs next to nothing: one request over and over, on kept connections.

A general HTTP client takes 1.5 ms of processor for each call, more than what it is to measure, and on a machine with
two cores that is taken from the processes under measurement.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

from bench.load import Ask
from pilothouse.kit.json import JsonObject, loads

END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: bytes

    def json(self) -> JsonObject:
        return cast(JsonObject, loads(self.body))


class _Line(asyncio.Protocol):
    """One kept connection; one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._seen = b""
        self._answer: asyncio.Future[Answer] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    async def call(self, request: bytes) -> Answer:
        assert self._transport is not None
        self._seen, self._answer = b"", asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def data_received(self, data: bytes) -> None:
        self._seen += data
        head, mark, body = self._seen.partition(END_OF_HEAD)
        if mark and self._answer is not None and len(body) >= _length(head):
            self._answer.set_result(Answer(int(head[9:12]), body))

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("hung up before the answer"))

    def hang_up(self) -> None:
        if self._transport is not None:
            self._transport.close()


@dataclass(slots=True)
class Lines:
    """Connections to one place; a caller takes a free one or waits for it."""

    host: str
    port: int
    most: int = 16
    _opened: int = 0
    _free: asyncio.Queue[_Line] = field(default_factory=asyncio.Queue[_Line])
    _lines: list[_Line] = field(default_factory=list[_Line])

    async def call(self, request: bytes) -> Answer:
        line = await self._take()
        answer = await line.call(request)
        self._free.put_nowait(line)  # one that failed is not used again
        return answer

    async def _take(self) -> _Line:
        while not self._free.empty() or self._opened >= self.most:
            line = await self._free.get()
            if line.is_open:
                return line
            self._opened -= 1  # the server does not keep for ever what nobody uses
        self._opened += 1
        _, line = await asyncio.get_running_loop().create_connection(_Line, self.host, self.port)
        self._lines.append(line)
        return line

    def close(self) -> None:
        for line in self._lines:
            line.hang_up()


@asynccontextmanager
async def lines_to(ask: Ask) -> AsyncGenerator[tuple[Lines, bytes]]:
    """Connections for the request, and the request as it goes over them."""
    place = urlsplit(ask.url)
    lines = Lines(place.hostname or "127.0.0.1", place.port or 80)
    try:
        yield lines, as_bytes(ask)
    finally:
        lines.close()


def as_bytes(ask: Ask) -> bytes:
    """The request on the wire."""
    place, body = urlsplit(ask.url), ask.body.encode()
    headers = [("Host", place.netloc), ("Content-Length", str(len(body))), *ask.headers]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{ask.method} {place.path} HTTP/1.1\r\n{head}\r\n".encode() + body


def _length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"content-length:")
    return int(rest.split(b"\r\n", 1)[0] or 0)
