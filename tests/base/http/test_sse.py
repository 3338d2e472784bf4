"""H50, H51: a stream beats when it is quiet, and ends when its reader or we do."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from pilothouse.base.http import EventStream, frame


class Reader:
    """The server's side of a connection, as slow and as faithful as a test wants."""

    def __init__(self, *, stalls: bool = False) -> None:
        self.messages: list[dict[str, Any]] = []
        self.gone = asyncio.Event()
        self.stalls = stalls

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if self.stalls and message["type"] == "http.response.body" and message["body"]:
            await asyncio.Event().wait()
        self.messages.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


class Source:
    """Frames, and whether they were let go."""

    def __init__(self, *frames: bytes, then_wait: bool = True) -> None:
        self.frames = frames
        self.then_wait = then_wait
        self.closed = False

    async def __call__(self) -> AsyncGenerator[bytes]:
        try:
            for item in self.frames:
                yield item
            if self.then_wait:
                await asyncio.Event().wait()
        finally:
            self.closed = True


async def run(stream: EventStream, reader: Reader) -> None:
    async with asyncio.timeout(5):
        await stream({"type": "http"}, reader.receive, reader.send)


async def test_a_finished_stream_holds_every_frame_and_ends():
    reader, source = Reader(), Source(frame(1, b"{}"), frame(2, b"[]"), then_wait=False)
    await run(EventStream(source(), asyncio.Event(), heartbeat=10), reader)
    assert reader.body == b"id: 1\ndata: {}\n\nid: 2\ndata: []\n\n"
    headers = dict(reader.messages[0]["headers"])
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert (headers[b"cache-control"], headers[b"x-accel-buffering"]) == (b"no-cache", b"no")
    assert reader.messages[-1]["more_body"] is False


async def test_a_quiet_stream_beats():
    reader, source = Reader(), Source()
    stopping = asyncio.Event()
    task = asyncio.create_task(run(EventStream(source(), stopping, heartbeat=0.1), reader))
    await asyncio.sleep(0.35)
    stopping.set()
    await task
    assert reader.body.count(b": \n\n") >= 2


async def test_a_stream_ends_when_its_reader_leaves():
    reader, source = Reader(), Source(frame(1, b"{}"))
    task = asyncio.create_task(run(EventStream(source(), asyncio.Event(), heartbeat=10), reader))
    await asyncio.sleep(0.05)
    reader.gone.set()
    await task
    assert source.closed


async def test_a_stream_ends_when_the_process_stops():
    reader, source, stopping = Reader(), Source(frame(1, b"{}")), asyncio.Event()
    task = asyncio.create_task(run(EventStream(source(), stopping, heartbeat=10), reader))
    await asyncio.sleep(0.05)
    stopping.set()
    await task
    assert source.closed
    assert reader.messages[-1]["more_body"] is False


async def test_a_reader_that_takes_nothing_is_cut():
    reader, source = Reader(stalls=True), Source(frame(1, b"{}"))
    await run(EventStream(source(), asyncio.Event(), heartbeat=10, slow=0.2), reader)
    assert source.closed
    assert all(message.get("more_body", True) for message in reader.messages)
