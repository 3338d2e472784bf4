"""A server on loopback that tells everything it was told, or sends its callers elsewhere."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class Echo:
    """What was asked, in order: path and headers."""

    port: int = 0
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])
    together: int = 0  # requests under way
    most: int = 0
    slow: float = 0.0
    crowd: int = 0  # nobody is answered before so many ask at once
    whole: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                await reader.readexactly(int(headers.get("content-length", "0")))
                writer.write(await self._answer(first.split()[1], headers))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # who asked has gone
        finally:
            writer.close()

    async def _answer(self, path: str, headers: dict[str, str]) -> bytes:
        self.asked.append((path, headers))
        self.together += 1
        self.most = max(self.most, self.together)
        if self.crowd:
            await self._await_the_crowd()
        await asyncio.sleep(self.slow)
        self.together -= 1
        if path.startswith("/away/"):
            return f"HTTP/1.1 307 Away\r\nLocation: http://{path[6:]}/landed\r\nContent-Length: 0\r\n\r\n".encode()
        body = json.dumps({"headers": headers}).encode()
        told = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return told.encode() + body

    async def _await_the_crowd(self) -> None:
        """If they come one after the other, it is never whole."""
        if self.together >= self.crowd:
            self.whole.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.whole.wait(), 30)


@asynccontextmanager
async def echo() -> AsyncGenerator[Echo]:
    served = Echo()
    server = await asyncio.start_server(served.handle, "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    async with server:
        yield served
