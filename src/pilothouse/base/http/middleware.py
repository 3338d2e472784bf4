"""The frame around every request: its id, its limits, its headers, and the last word on what goes wrong.

One pure ASGI class, since each layer of middleware costs every request.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import structlog
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pilothouse.base.http.errors import INTERNAL, Answer, BodyTooLarge, UnsupportedMediaType, answer_of
from pilothouse.kit.ids import new_id

MEGABYTE = 1_000_000
JSON = (b"application/json",)

API_CSP = b"default-src 'none'; frame-ancestors 'none'"
APP_CSP = (
    b"default-src 'self'; script-src 'self'; img-src 'self' data: blob:; frame-src 'self'; "
    b"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_COMMON = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
_API_PATHS = ("/api/", "/health", "/metrics")
_API_CSP = (b"content-security-policy", API_CSP)
_APP_CSP = (b"content-security-policy", APP_CSP)
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class BodyRule:
    """What bodies a path takes. The first rule whose prefix and suffix fit decides."""

    prefix: str
    limit: int = MEGABYTE
    media: tuple[bytes, ...] | None = JSON  # None: any, the route looks for itself
    suffix: str = ""

    def fits(self, path: str) -> bool:
        return path.startswith(self.prefix) and path.endswith(self.suffix)


DEFAULT_RULE = BodyRule("")
ANY_SIZE = 1 << 50
BODY_RULES = (
    BodyRule("/api/workspace/files", ANY_SIZE, media=None, suffix="/files"),  # counted where they are stored
    BodyRule("/api/v1/files", ANY_SIZE, media=None, suffix="/files"),
    BodyRule("/api/hooks/", 5 * MEGABYTE, media=None),
    BodyRule("/api/agents", 10 * MEGABYTE),
    BodyRule("/api/v1/agents", 10 * MEGABYTE),
    BodyRule("/api/library/import", 10 * MEGABYTE),
)


@dataclass(frozen=True, slots=True)
class Access:
    """One request, told to those who count and log. Holds nothing personal: no address, query or body."""

    method: str
    route: str  # the template, so that ids do not become labels
    status: int
    seconds: float
    request_id: str


Observer: TypeAlias = Callable[[Access], None]


class Frame:
    """Outermost of ours. Everything inside may assume `scope["state"]` with `request_id` and `headers`."""

    def __init__(
        self, app: ASGIApp, *, rules: Sequence[BodyRule] = BODY_RULES, observers: Sequence[Observer] = ()
    ) -> None:
        self.app = app
        self.rules = tuple(rules)
        self.observers = tuple(observers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(scope, send)
        started = perf_counter()
        try:
            await self.app(scope, self._checked(scope, receive), exchange.send)
        except Exception as error:  # noqa: BLE001 - the HTTP door's one: whatever happens, the caller gets an answer
            await exchange.fail(error)
        if self.observers:
            self._observe(scope, exchange, perf_counter() - started)

    def _checked(self, scope: Scope, receive: Receive) -> Receive:
        """Refuse what the headers already show to be wrong, and count what they do not show."""
        headers: dict[bytes, bytes] = scope["state"]["headers"]
        length = headers.get(b"content-length")
        if length is None and b"transfer-encoding" not in headers:
            return receive  # HTTP/1.1 without either has no body
        if length == b"0":
            return receive
        rule = next((rule for rule in self.rules if rule.fits(scope["path"])), DEFAULT_RULE)
        if length is not None and not (length.isdigit() and int(length) <= rule.limit):
            raise BodyTooLarge(limit_bytes=rule.limit)
        media = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if rule.media is not None and media not in rule.media:
            raise UnsupportedMediaType()
        return _Counted(receive, rule.limit)

    def _observe(self, scope: Scope, exchange: "Exchange", seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        access = Access(scope["method"], route, exchange.status, seconds, exchange.request_id)
        for observe in self.observers:
            observe(access)


class _Counted:
    """Counts a body as it streams in: a length may be missing or a lie."""

    __slots__ = ("_left", "_receive")

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413)  # the one kind of exception that FastAPI's body reader lets through
        return message


class Exchange:
    """One answer on its way out."""

    __slots__ = ("_scope", "_send", "request_id", "state", "status")

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self.status = 0
        self.state: dict[str, Any] = scope.setdefault("state", {})
        self.request_id = self.state["request_id"] = new_id()
        self.state["headers"] = dict(scope["headers"])

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = self._dressed(list(message.get("headers", ())))
        await self._send(message)

    def _dressed(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Our headers; what a route says about caching and content policy stands."""
        said = [name for name, _ in headers]
        headers += _COMMON
        if b"content-security-policy" not in said:
            headers.append(_API_CSP if self._scope["path"].startswith(_API_PATHS) else _APP_CSP)
        if b"cache-control" not in said:
            headers.append(_NO_STORE)
        headers.append((b"x-request-id", self.request_id.encode()))
        if rate := self.state.get("rate"):
            headers.append((b"ratelimit-limit", b"%d" % rate[0]))
            headers.append((b"ratelimit-remaining", b"%d" % rate[1]))
            headers.append((b"ratelimit-reset", b"%d" % rate[2]))
        if cookie := self.state.get("set_cookie"):
            headers.append((b"set-cookie", cookie.encode()))
        return headers

    async def fail(self, error: Exception) -> None:
        """Answer for what nothing inside answered; a stream that has begun can only be cut."""
        answer = answer_of(error)
        if answer is None:
            log = structlog.get_logger("pilothouse.http")
            log.error("request.failed", request_id=self.request_id, method=self._scope["method"], exc_info=error)
            answer = INTERNAL
        if self.status:
            raise error
        await self._answer(answer)

    async def _answer(self, answer: Answer) -> None:
        body = answer.body(self.request_id)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *answer.headers]
        await self.send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})
