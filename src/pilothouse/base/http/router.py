"""Routes as the door uses them: guarded before the body is read, found without trying each in turn."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute, Match, WebSocketRoute
from starlette.types import Receive, Scope, Send

from pilothouse.kit.ids import is_id
from pilothouse.kit.json import loads

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class StrictRequest(Request):
    """A request whose JSON is JSON: no NaN, no lone surrogate, no nesting that could overflow."""

    async def json(self) -> Any:
        return loads(await self.body())


class Hot:
    """Marks a route of the hot path: `async def route(<path ids>, body, request) -> Response`, decorated `@Hot(Body)`.

    It is documented like any other, but served without FastAPI's machinery, which would cost more than the work:
    the path parameters must be ids, the body is validated against one model, the route builds its own response.
    """

    def __init__(self, body: type[BaseModel]) -> None:
        self._adapter = TypeAdapter[BaseModel](body)

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__["hot"] = self
        return endpoint

    async def serve(self, endpoint: Callable[..., Any], scope: Scope, receive: Receive) -> Response:
        ids: dict[str, str] = scope["path_params"]
        for name, value in ids.items():
            if not is_id(value):
                raise RequestValidationError([_refused(("path", name), "must be a lowercase UUID")])
        request = Request(scope, receive)
        return await endpoint(*ids.values(), self._read(await request.body()), request)

    def _read(self, raw: bytes) -> BaseModel:
        try:
            return self._adapter.validate_python(loads(raw))
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            raise RequestValidationError([{**fault, "loc": ("body", *fault["loc"])} for fault in faults]) from error
        except ValueError as error:
            raise RequestValidationError([_refused(("body",), "is not JSON")]) from error


def _refused(place: tuple[str, ...], message: str) -> dict[str, Any]:
    return {"type": "value_error", "loc": place, "msg": message}


class GuardedRoute(APIRoute):
    """A route that asks the gate before anything else, so that an unknown caller's body is never read."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in (self.methods or ()):
            await super().handle(scope, receive, send)  # answers 405
            return
        await scope["app"].state.gate.admit(self.endpoint, scope)
        hot: Hot | None = self.endpoint.__dict__.get("hot")
        if hot is None:
            await self.app(scope, receive, send)
        else:
            response = await hot.serve(self.endpoint, scope, receive)
            await response(scope, receive, send)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()
        has_body = self.body_field is not None

        async def handler(request: Request) -> Response:
            response = await inner(StrictRequest(request.scope, request.receive) if has_body else request)
            remember = request.scope["state"].get("remember")
            if remember is not None and not isinstance(response, StreamingResponse):
                # An idempotency key: the answer is kept in the same transaction as the effect.
                await remember(response)
            return response

        return handler


class SocketRoute(WebSocketRoute):
    """A WebSocket. Its endpoint asks the gate: a refused one is told why, for which it must be let in first."""


def is_hot(route: BaseRoute) -> bool:
    return isinstance(route, GuardedRoute) and "hot" in route.endpoint.__dict__


def operation_id(route: APIRoute) -> str:
    """The function's name; the same function under `/api/v1` says so."""
    return f"v1_{route.name}" if route.path.startswith("/api/v1/") else route.name


class Router(APIRouter):
    """The router of a slice: `Router("/api/schedules", tags=["schedules"])`."""

    def __init__(self, prefix: str = "", *, tags: list[str] | None = None) -> None:
        super().__init__(
            prefix=prefix,
            tags=list(tags or ()),
            route_class=GuardedRoute,
            generate_unique_id_function=operation_id,
            redirect_slashes=False,
        )


class RouteIndex(BaseRoute):
    """Finds a route by its literal segments, in front of the linear search that it spares.

    It only ever answers for a full match; anything else (unknown path, wrong method) is left to the routes behind it.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._buckets: dict[tuple[int, str, str], list[GuardedRoute]] = {}
        for route in routes:
            if isinstance(route, GuardedRoute) and ":path}" not in route.path:
                self._buckets.setdefault(_address(route.path), []).append(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        count, first, second = _address(scope["path"])
        for key in ((count, first, second), (count, first, "*")):
            for route in self._buckets.get(key, ()):
                match, child = route.matches(scope)
                if match is Match.FULL:
                    return match, child
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)


def _address(path: str) -> tuple[int, str, str]:
    """How many segments, and the two that tell most: `/api/<first>/<second>/...`; `*` where a parameter stands."""
    parts = path.split("/")
    first = parts[2] if len(parts) > 2 else ""
    second = parts[3] if len(parts) > 3 else ""
    return len(parts), first, "*" if second.startswith("{") else second
