"""The outside world of the fault tests: it acts once per key, remembers who asked, and may drop its answer."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random


class EffectServer:
    """A small HTTP server in the test's own loop."""

    def __init__(self, *, drops: float = 0.0, seed: int = 0) -> None:
        self.asked: Counter[str] = Counter()  # requests by key
        self.acted: Counter[str] = Counter()  # what was really done, by key
        self.times: dict[str, list[float]] = {}
        self.drops = drops  # the part of answers that are never given
        self.dropped: Counter[str] = Counter()  # answers that were not given, by key
        self.port = 0
        self._random = Random(seed)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/effects"

    @property
    def repeated(self) -> int:
        """How often it was asked for what it had done already."""
        return self.asked.total() - self.acted.total()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = dict(_fields(head))
                await reader.readexactly(int(fields.get("content-length", "0")))
                if not self._act(fields["idempotency-key"]):
                    return
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # who asked has died, or is done
        finally:
            writer.close()

    def _act(self, key: str) -> bool:
        """Do what is asked, once per key; answers whether to answer."""
        self.asked[key] += 1
        self.times.setdefault(key, []).append(time.time())
        if key not in self.acted:
            self.acted[key] += 1
        answers = self._random.random() >= self.drops
        self.dropped[key] += not answers
        return answers


def _fields(head: bytes) -> list[tuple[str, str]]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    return [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines if line)]


@asynccontextmanager
async def effect_server(*, drops: float = 0.0, seed: int = 0) -> AsyncGenerator[EffectServer]:
    effects = EffectServer(drops=drops, seed=seed)
    server = await asyncio.start_server(effects.handle, "127.0.0.1", 0)
    effects.port = server.sockets[0].getsockname()[1]
    try:
        yield effects
    finally:
        server.close()
