"""A page's end of the WebSocket, spoken to the application directly."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp

from pilothouse.kit.json import dumps, loads
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour
from tests.features.runs.stand import ORIGIN


class Page:
    """What the server sent, and what we send it."""

    def __init__(self) -> None:
        self.frames: list[Any] = []
        self.closed: int | None = None
        self.subprotocol: str | None = None
        self.deaf = asyncio.Event()  # set: takes nothing any more
        self.gone = asyncio.Event()  # the server has let go of it
        self._said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._said.put_nowait({"type": "websocket.connect"})

    def say(self, op: str, channel: str = "", **more: Any) -> None:
        self.say_text(dumps({"op": op, **({"channel": channel} if channel else {}), **more}))

    def say_text(self, text: str) -> None:
        self._said.put_nowait({"type": "websocket.receive", "text": text})

    def leave(self) -> None:
        self._said.put_nowait({"type": "websocket.disconnect", "code": 1001})

    async def receive(self) -> dict[str, Any]:
        return await self._said.get()

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.accept":
            self.subprotocol = message.get("subprotocol")
        elif message["type"] == "websocket.close":
            self.closed = message["code"]
        elif self.deaf.is_set():
            await asyncio.Event().wait()
        else:
            self.frames.append(loads(message["text"]))

    def of(self, channel: str) -> list[Any]:
        """The events of a channel."""
        return [frame["event"] for frame in self.frames if frame.get("channel") == channel and "event" in frame]

    def batched(self, channel: str) -> list[Any]:
        """The events of a channel that came together with others."""
        mine = [frame for frame in self.frames if frame.get("channel") == channel]
        return [told["event"] for frame in mine for told in frame.get("events", [])]

    def told(self, kind: str, channel: str | None = None) -> list[Any]:
        found = [frame for frame in self.frames if frame.get("type") == kind]
        return [frame for frame in found if channel is None or frame.get("channel") == channel]

    async def hears(self, kind: str, channel: str | None = None) -> Any:
        await until(lambda: bool(self.told(kind, channel)))
        return self.told(kind, channel)[-1]

    async def hears_events(self, channel: str, count: int) -> list[Any]:
        await until(lambda: len(self.of(channel)) >= count)
        return self.of(channel)

    async def is_closed(self, seconds: float = 10) -> int | None:
        await until(lambda: self.closed is not None, seconds)
        return self.closed


@asynccontextmanager
async def talking(
    parlour: Parlour, headers: Mapping[str, str] | None = None, subprotocols: Sequence[str] = ()
) -> AsyncGenerator[Page]:
    """Ann's page connects, and leaves at the end of the block."""
    browser = parlour.stand.ann.browser.headers
    known = {"Origin": ORIGIN, "Cookie": browser["cookie"]} if headers is None else headers
    async with connecting(parlour.stand.house.app, known, subprotocols) as page:
        yield page


@asynccontextmanager
async def connecting(
    app: ASGIApp, headers: Mapping[str, str], subprotocols: Sequence[str] = ()
) -> AsyncGenerator[Page]:
    """A page connects to this application."""
    page = Page()
    scope: dict[str, Any] = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": "/api/ws",
        "raw_path": b"/api/ws",
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("192.0.2.1", 4000),
        "server": ("localhost", 8000),
        "subprotocols": list(subprotocols),
    }
    task = asyncio.create_task(_serve(app, scope, page))
    try:
        yield page
    finally:
        page.leave()
        async with asyncio.timeout(10):
            await task


async def _serve(app: ASGIApp, scope: dict[str, Any], page: Page) -> None:
    await app(scope, page.receive, page.send)
    page.gone.set()
