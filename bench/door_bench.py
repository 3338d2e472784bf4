"""What the door costs: Python time per request with its frame, gate and limits, beside a bare FastAPI route.

Runs the applications in this process, without a socket, so that only the frameworks and our code are timed.
"""

import asyncio
import gc
import tempfile
from collections.abc import Awaitable, Callable
from io import StringIO
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response

from pilothouse.base.actor import SYSTEM
from pilothouse.base.database import Database, metadata
from pilothouse.base.http import Door, Router, actor_of, create_app, scope
from pilothouse.base.keyring import open_keyring
from pilothouse.base.settings import Settings
from pilothouse.base.work import Units
from pilothouse.features import accounts
from pilothouse.features.accounts.routes import router as accounts_router

ROUNDS, REQUESTS = 7, 3000
Asgi = Callable[[Any, Any, Any], Awaitable[None]]


async def hello() -> Response:
    return Response(b'{"ok":true}', media_type="application/json")


async def guarded_hello(request: Request) -> Response:
    assert actor_of(request).key_id
    return Response(b'{"ok":true}', media_type="application/json")


def bare_app() -> FastAPI:
    app = FastAPI()
    app.get("/api/v1/hello")(hello)
    return app


async def door_app(place: Path) -> tuple[FastAPI, str, Database]:
    settings = Settings(data_dir=place)
    database = Database(f"sqlite+aiosqlite:///{place / 'bench.db'}")
    async with database.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    memories = accounts.Memories()
    units = Units(database, memories.handlers())
    keyring = open_keyring(settings)
    reception = accounts.Reception(units, keyring, memories)
    reception._owned = True  # pyright: ignore[reportPrivateUsage] - no owner is needed to time a key
    await accounts.create_user(units, reception.passwords, email="b@b.b", name="b", password="bench password")
    async with units.write(SYSTEM) as work:
        ask = accounts.ApiKeyIn(name="b", scopes=["identity"], rate_limit_per_minute=10_000_000)
        key = (await accounts.create_api_key_for(work, "b@b.b", ask)).key
    router = Router("/api/v1")
    router.get("/hello")(scope("identity")(guarded_hello))
    return create_app(Door(settings, keyring, units, reception), [accounts_router, router]), key, database


async def cost(app: Asgi, headers: list[tuple[bytes, bytes]]) -> float:
    """Microseconds of processor time a request."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 200, message

    start = process_time()
    for _ in range(REQUESTS):
        scope_ = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/api/v1/hello",
            "raw_path": b"/api/v1/hello",
            "query_string": b"",
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 4000),
            "server": ("127.0.0.1", 8000),
        }
        await app(scope_, receive, send)
    return (process_time() - start) / REQUESTS * 1e6


async def main() -> None:
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.processors.JSONRenderer()],
        logger_factory=structlog.PrintLoggerFactory(file=StringIO()),
        cache_logger_on_first_use=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        app, key, database = await door_app(Path(folder))
        plain = [(b"host", b"localhost:8000"), (b"user-agent", b"bench"), (b"accept", b"*/*")]
        bare, keyed = bare_app(), [*plain, (b"authorization", f"Bearer {key}".encode())]
        await cost(bare, plain)
        await cost(app, keyed)
        gc.freeze()
        rounds = [(await cost(bare, plain), await cost(app, keyed)) for _ in range(ROUNDS)]
        await database.close()
    hello_us, door_us = (median(side) for side in zip(*rounds, strict=True))
    print(f"bare FastAPI route: {hello_us:.1f} us")
    print(f"same through the door with an API key: {door_us:.1f} us")
    print(f"the door: {door_us - hello_us:.1f} us")


if __name__ == "__main__":
    asyncio.run(main())
