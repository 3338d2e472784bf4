"""Is the process alive, can it serve, and its counters. Names no host and no version."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from fastapi import Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from pydantic import BaseModel

from pilothouse.base.http.addresses import is_direct_loopback
from pilothouse.base.http.policy import setup, signed
from pilothouse.base.http.router import Router
from pilothouse.base.keyring import Keyring
from pilothouse.kit.errors import ShuttingDown, Unauthenticated, Unavailable

Check: TypeAlias = Callable[[], Awaitable[None]]
Checks: TypeAlias = Mapping[str, Check]
CHECK_SECONDS = 3.0


class Live(BaseModel):
    """The process answers."""

    status: str


class Ready(BaseModel):
    """Everything it depends on answers."""

    status: str
    checks: dict[str, str]


async def failing(checks: Checks) -> list[str]:
    """The names of the checks that raise or take too long, all asked at once."""
    asked = (asyncio.wait_for(check(), CHECK_SECONDS) for check in checks.values())
    results = await asyncio.gather(*asked, return_exceptions=True)
    return [name for name, result in zip(checks, results, strict=True) if isinstance(result, BaseException)]


def health_routes(checks: Checks, stopping: asyncio.Event) -> Router:
    router = Router(tags=["health"])

    @router.get("/health/live")
    @setup
    async def get_liveness() -> Live:
        return Live(status="ok")

    async def readiness() -> Ready:
        if stopping.is_set():
            raise ShuttingDown()
        if names := await failing(checks):
            raise Unavailable(f"Not ready: {', '.join(names)}.", failing=list(names))
        return Ready(status="ok", checks={name: "ok" for name in checks})

    @router.get("/health/ready")
    @setup
    async def get_readiness() -> Ready:
        return await readiness()

    @router.get("/health")
    @setup
    async def get_health() -> Ready:
        return await readiness()

    return router


def metrics_route(registry: CollectorRegistry, keyring: Keyring) -> Router:
    router = Router(tags=["health"])

    @router.get("/metrics", response_class=Response)
    @signed
    async def get_metrics(request: Request) -> Response:
        given = request.headers.get("authorization", "").removeprefix("Bearer ").encode()
        if not is_direct_loopback(request.scope) and not hmac.compare_digest(given, keyring.metrics_token.encode()):
            raise Unauthenticated(hint="Send Authorization: Bearer <metrics token>.")
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return router
