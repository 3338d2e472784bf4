"""A client of chat that reads streams as they come, and leaves when it likes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp

from pilothouse.kit.json import dump_bytes, loads
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour


class Hearing:
    """The server's side of one connection."""

    def __init__(self, body: bytes) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False
        self.left = asyncio.Event()
        self.deaf = asyncio.Event()  # set: takes nothing any more
        self.gone = asyncio.Event()  # the server has let go of it
        self._ask = body
        self._asked = False

    async def receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": self._ask, "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            return
        if self.deaf.is_set():
            await asyncio.Event().wait()
        self.body += message["body"]
        self.ended = not message.get("more_body", False)

    @property
    def frames(self) -> list[tuple[int | None, Any]]:
        """(id, data) of each frame; the last data of a turn's stream is `[DONE]`."""
        found: list[tuple[int | None, Any]] = []
        for frame in self.body.decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in frame.split("\n") if line and not line.startswith(":"))
            if lines:
                data = lines["data"]
                found.append((int(lines["id"]) if "id" in lines else None, data if data == "[DONE]" else loads(data)))
        return found

    @property
    def chunks(self) -> list[Any]:
        return [data for _, data in self.frames]

    @property
    def types(self) -> list[str]:
        return [data if isinstance(data, str) else data["type"] for data in self.chunks]

    async def hears(self, count: int) -> None:
        await until(lambda: len(self.frames) >= count)

    async def ends(self) -> list[Any]:
        """Everything, once the stream has ended by itself."""
        await until(lambda: self.ended, 20)
        return self.chunks


@asynccontextmanager
async def hearing(
    parlour: Parlour, method: str, path: str, body: Any = None, *, query: str = "", last_event_id: int | None = None
) -> AsyncGenerator[Hearing]:
    """Send a request and hear the answer as it comes; leave at the end of the block."""
    sent = b"" if body is None else dump_bytes(body)
    heard = Hearing(sent)
    headers = [(b"authorization", f"Bearer {parlour.stand.ann.key}".encode()), (b"host", b"localhost:8000")]
    if body is not None:
        headers += [(b"content-type", b"application/json"), (b"content-length", str(len(sent)).encode())]
    if last_event_id is not None:
        headers.append((b"last-event-id", str(last_event_id).encode()))
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": f"/api/v1/chat/sessions{path}",
        "raw_path": f"/api/v1/chat/sessions{path}".encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        "client": ("192.0.2.1", 4000),
        "server": ("localhost", 8000),
    }
    app: ASGIApp = parlour.stand.house.app
    task = asyncio.create_task(_serve(app, scope, heard))
    try:
        yield heard
    finally:
        heard.left.set()
        async with asyncio.timeout(10):
            await task


async def _serve(app: ASGIApp, scope: dict[str, Any], heard: Hearing) -> None:
    await app(scope, heard.receive, heard.send)
    heard.gone.set()
