"""A server of tools on loopback, by the official library."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

OPEN = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # it is called by a name of this test


class Workshop:
    """A server of tools, what it was asked, and by whom."""

    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.tokens: set[str] = set()
        self.only: str | None = None  # the token that it wants
        self.moves_to: str | None = None
        self.busy: int | None = None  # the status with which it asks everybody to come back later
        self.app: ASGIApp = _tools().streamable_http_app(transport_security=OPEN)

    @property
    def url(self) -> str:
        return f"http://mail.test:{self.port}/mcp"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self.connections += 1
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.tokens.add(headers.get("authorization", ""))
            if self.moves_to is not None:
                await _reply(send, 307, {"location": self.moves_to})
                return
            if self.busy is not None:
                await _reply(send, self.busy, {"retry-after": "30"})
                return
            if self.only is not None and headers.get("authorization") != f"Bearer {self.only}":
                await _reply(send, 401, {})
                return
        await self.app(scope, receive, send)


async def _reply(send: Send, status: int, headers: dict[str, str]) -> None:
    told = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": b""})


def _tools() -> MCPServer:
    server = MCPServer("workshop")

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool(structured_output=False)
    def greet(name: str) -> str:
        return f"Hello {name}"

    @server.tool()
    def fail() -> str:
        raise ValueError("out of order")

    @server.tool(structured_output=False)
    def flood(size: int) -> str:
        return "x" * size

    @server.tool()
    async def sleep() -> str:
        await asyncio.sleep(600)
        return "awake"

    return server


@asynccontextmanager
async def tool_server() -> AsyncGenerator[Workshop]:
    made, opened = Workshop(), socket.socket()
    opened.bind(("127.0.0.1", 0))
    made.port = opened.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(made, log_level="critical", lifespan="on", ws="none"))
    serving = asyncio.create_task(server.serve(sockets=[opened]))
    async with asyncio.timeout(30):
        while not server.started:
            await asyncio.sleep(0.01)
    yield made
    server.force_exit = server.should_exit = True
    await serving
    opened.close()
