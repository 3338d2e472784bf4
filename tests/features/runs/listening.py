"""A reader of an event stream that takes what comes as it comes, and leaves when it likes."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Scope

from pilothouse.kit.json import loads
from tests.base.waiting import until
from tests.features.runs.stand import Stand


class Listener:
    """The server's side of one connection."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False
        self.left = asyncio.Event()
        self._asked = False

    async def receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]
            self.ended = not message.get("more_body", False)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What came so far. Each frame's id must be that of the event in it."""
        found: list[dict[str, Any]] = []
        for frame in self.body.decode().split("\n\n"):
            if not frame or frame.startswith(":"):
                continue
            head, data = frame.split("\n")
            event: Any = loads(data.removeprefix("data: "))
            assert head == f"id: {event['id']}"
            found.append(event)
        return found

    @property
    def ids(self) -> list[int]:
        return [event["id"] for event in self.events]

    async def hears(self, count: int) -> None:
        await until(lambda: len(self.events) >= count)

    async def ends(self) -> list[dict[str, Any]]:
        """Everything, once the stream has ended by itself."""
        await until(lambda: self.ended)
        return self.events


async def _serve(app: ASGIApp, scope: Scope, listener: Listener) -> None:
    await app(scope, listener.receive, listener.send)


@asynccontextmanager
async def listening(
    stand: Stand, run_id: str, after: int | None = None, *, last_event_id: int | None = None
) -> AsyncGenerator[Listener]:
    """Open the stream; leave it at the end of the block."""
    listener = Listener()
    headers = [(b"authorization", f"Bearer {stand.ann.key}".encode()), (b"host", b"localhost:8000")]
    if last_event_id is not None:
        headers.append((b"last-event-id", str(last_event_id).encode()))
    path = f"/api/v1/runs/{run_id}/events"
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"" if after is None else f"after={after}".encode(),
        "headers": headers,
        "client": ("192.0.2.1", 4000),
        "server": ("localhost", 8000),
    }
    task = asyncio.create_task(_serve(stand.house.app, scope, listener))
    try:
        yield listener
    finally:
        listener.left.set()
        async with asyncio.timeout(5):
            await task
