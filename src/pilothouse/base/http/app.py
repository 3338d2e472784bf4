"""Builds the HTTP door from its parts. What it serves is handed in."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TypeAlias

from fastapi import FastAPI, Response
from prometheus_client import CollectorRegistry
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from pilothouse.base.http.access import count_accesses, log_accesses
from pilothouse.base.http.addresses import Proxies
from pilothouse.base.http.auth import Identity
from pilothouse.base.http.errors import install_error_handlers
from pilothouse.base.http.gate import Gate, Site
from pilothouse.base.http.health import Check, Checks, health_routes, metrics_route
from pilothouse.base.http.idempotency import InProgress, Replayed, replay
from pilothouse.base.http.middleware import Frame, Observer
from pilothouse.base.http.openapi import describe
from pilothouse.base.http.policy import check_policies, public
from pilothouse.base.http.rates import RateLimits
from pilothouse.base.http.router import RouteIndex, Router, is_hot
from pilothouse.base.keyring import Keyring
from pilothouse.base.settings import Settings
from pilothouse.base.work import Units
from pilothouse.kit.json import dump_bytes

Lifespan: TypeAlias = Callable[[FastAPI], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Door:
    """What the frame needs to know of the house it stands in."""

    settings: Settings
    keyring: Keyring
    units: Units
    identity: Identity
    checks: Checks = field(default_factory=dict[str, Check])  # by name; each raises when what it checks is away
    stopping: asyncio.Event = field(default_factory=asyncio.Event)  # set: streams end, readiness says no
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)


class Front(FastAPI):
    """FastAPI with a short way in: a hot route stands right behind our frame, all others behind the whole stack."""

    hot_routes: RouteIndex | None = None
    hot_frame: Frame | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        if self.hot_frame is not None and self.hot_routes is not None and scope["type"] == "http":
            match, found = self.hot_routes.matches(scope)
            if match is Match.FULL:
                scope.update(found)
                await self.hot_frame(scope, receive, send)
                return
        # Past FastAPI's own entry, which asks the environment for a tracer at each request.
        if self.middleware_stack is None:
            self.middleware_stack = self.build_middleware_stack()
        await self.middleware_stack(scope, receive, send)


async def _handle(scope: Scope, receive: Receive, send: Send) -> None:
    await scope["route"].handle(scope, receive, send)


def create_app(door: Door, routers: Sequence[Router], *, lifespan: Lifespan | None = None) -> FastAPI:
    """The application, with these routes; raises `PolicyMissing` when one does not say who may call it."""
    observers = (count_accesses(door.registry), log_accesses())
    app = Front(
        title="Pilothouse",
        version="1",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=_middleware(door, observers),
    )
    _furnish(app, door)
    install_error_handlers(app)
    app.add_exception_handler(Replayed, replay)
    own = [health_routes(door.checks, door.stopping), metrics_route(door.registry, door.keyring), _document(app)]
    routes = [route for router in [*own, *routers] for route in router.routes]
    # Straight into the table: an included router would match every route twice.
    app.router.routes.extend([RouteIndex(routes), *routes])
    if not door.settings.cors_origins:  # its middleware stands in the stack
        app.hot_routes, app.hot_frame = (
            RouteIndex([r for r in routes if is_hot(r)]),
            Frame(_handle, observers=observers),
        )
    check_policies(app)
    return app


def _furnish(app: FastAPI, door: Door) -> None:
    """What dependencies and the gate find under `app.state`."""
    site = Site.at(door.settings.public_url)
    rates = RateLimits(per_user=door.settings.rate_limit_per_minute)
    app.state.gate = Gate(door.identity, site, rates, Proxies.of(door.settings.trusted_proxies))
    app.state.units = door.units
    app.state.keyring = door.keyring
    app.state.stopping = door.stopping
    app.state.keys_in_progress = InProgress()


def _middleware(door: Door, observers: Sequence[Observer]) -> list[Middleware]:
    stack = [Middleware(Frame, observers=observers)]
    if door.settings.cors_origins:
        stack.append(_cors(door.settings.cors_origins))
    return stack


def _cors(origins: tuple[str, ...]) -> Middleware:
    """An exact list, for programs in browsers that hold an API key. Cookies never go along."""
    return Middleware(
        CORSMiddleware,
        allow_origins=[origin for origin in origins if origin != "null"],
        allow_credentials=False,
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=[
            "Authorization",
            "Content-Type",
            "Idempotency-Key",
            "If-Match",
            "If-None-Match",
            "Last-Event-ID",
        ],
        expose_headers=["ETag", "X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    )


def _document(app: FastAPI) -> Router:
    router = Router(tags=["health"])

    @router.get("/api/openapi.json", include_in_schema=False)
    @public
    async def get_openapi_document() -> Response:
        return Response(dump_bytes(describe(app)), media_type="application/json")

    return router
