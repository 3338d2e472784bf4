"""The one place where policies are enforced: who calls, from where, how often."""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.types import Scope

from pilothouse.base.actor import Actor
from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.base.http.addresses import Proxies, client_address
from pilothouse.base.http.auth import ANONYMOUS, Identity, Visit
from pilothouse.base.http.errors import CsrfFailed, OriginDenied, ScopeMissing, SetupNeeded
from pilothouse.base.http.policy import Kind, Policy, PolicyMissing, policy_of, takes_keys
from pilothouse.base.http.rates import RateLimits
from pilothouse.base.keyring import Keyring
from pilothouse.base.outages import told_as_away
from pilothouse.kit.errors import BadRequest, Forbidden, Unauthenticated, Unavailable

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SESSION_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Site:
    """Our own address, and the cookie that belongs to it."""

    origins: frozenset[str]
    secure: bool

    @classmethod
    def at(cls, public_url: str) -> "Site":
        parts = urlsplit(public_url)
        return cls(
            origins=frozenset(_origins(parts.scheme, parts.hostname or "", parts.port)), secure=parts.scheme == "https"
        )

    @property
    def cookie_name(self) -> str:
        return "__Host-ph_session" if self.secure else "ph_session"

    def cookie(self, token: str, *, seconds: int = SESSION_SECONDS) -> str:
        """The `Set-Cookie` of a session; an empty token with 0 seconds takes it away."""
        secure = "; Secure" if self.secure else ""
        return f"{self.cookie_name}={token}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax{secure}"


def _origins(scheme: str, host: str, port: int | None) -> list[str]:
    """A browser on this machine may write our loopback address in three ways."""
    loopback = ("localhost", "127.0.0.1", "[::1]")
    names = loopback if host in {"localhost", "127.0.0.1", "::1"} else (f"[{host}]" if ":" in host else host,)
    shown = "" if port is None or (scheme, port) in {("http", 80), ("https", 443)} else f":{port}"
    return [f"{scheme}://{name}{shown}" for name in names]


def csrf_token(keyring: Keyring, session_token: str) -> str:
    """Bound to the session: another session's token, or an old one, does not fit."""
    return urlsafe_b64encode(keyring.mac("csrf", session_token.encode())).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets a request in, with its actor in `scope["state"]`, or raises why not."""

    identity: Identity
    site: Site
    rates: RateLimits
    proxies: Proxies = field(default_factory=Proxies)

    async def admit(self, endpoint: Callable[..., Any], scope: Scope) -> None:
        policy = policy_of(endpoint)
        if policy is None:
            raise PolicyMissing(f"{scope['path']} declares no policy.")
        state: dict[str, Any] = scope["state"]
        state["actor"] = ANONYMOUS
        if policy.kind is not Kind.SETUP and not await self.identity.has_owner():
            raise SetupNeeded()
        if not policy.knows_caller:
            self._admit_anyone(policy, scope)
            return
        actor = await (
            self._caller(scope) if policy.retry_after is None else self._caller_or(policy.retry_after, scope)
        )
        state["actor"] = actor
        state["rate"] = self.rates.take_for(actor)
        _require(policy, actor)

    async def admit_socket(self, scope: Scope, token: str | None) -> tuple[Visit, str]:
        """The visit behind a socket, and its session's token: by the cookie, from our own pages only; or by the token
        that a ticket stood for.
        """
        if not await self.identity.has_owner():
            raise SetupNeeded()
        if token is None:
            self._refuse_foreign(scope["state"]["headers"], needed=True)
            token = self.session_token(scope)
        visit = None if token is None else await self.identity.by_session(token)
        if visit is None or token is None:
            raise Unauthenticated()
        self.rates.take_for(visit.actor)
        return visit, token

    async def recognises(self, scope: Scope) -> bool:
        """Whether the caller's cookie stands for somebody; asking is no fault, so nobody is refused."""
        return await self._visit(scope) is not None

    def session_token(self, scope: Scope) -> str | None:
        """The session that the caller's cookie names."""
        cookies = self._cookies(scope)
        return cookies.pop() if len(cookies) == 1 else None

    def _admit_anyone(self, policy: Policy, scope: Scope) -> None:
        if policy.kind is Kind.SIGNED:
            return
        if scope["method"] not in SAFE_METHODS:
            self._refuse_foreign(scope["state"]["headers"], needed=False)
        if policy.kind is Kind.PUBLIC:
            scope["state"]["rate"] = self.rates.take_for_address(client_address(scope, self.proxies))

    async def _caller(self, scope: Scope) -> Actor:
        return await (self._by_key(scope) if takes_keys(scope["path"]) else self._by_session(scope))

    async def _caller_or(self, retry_after: int, scope: Scope) -> Actor:
        """The caller; or, where nobody can be looked up, in how many seconds to come again."""
        try:
            with told_as_away():
                return await self._caller(scope)
        except DatabaseUnavailable as away:
            raise Unavailable(retry_after=retry_after) from away

    async def _by_key(self, scope: Scope) -> Actor:
        """Cookies do not count on the doors of keys; both together are a mistake worth naming."""
        scheme, _, key = scope["state"]["headers"].get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated(hint="Send Authorization: Bearer <API key>.")
        if self._cookies(scope):
            raise BadRequest("A session cookie and a bearer token came together.", hint="Send one of the two.")
        actor = await self.identity.by_key(key.strip())
        if actor is None:
            raise Unauthenticated("This API key is not valid.", hint="It may be suspended, expired or deleted.")
        return actor

    async def _by_session(self, scope: Scope) -> Actor:
        state = scope["state"]
        cookies = self._cookies(scope)
        if b"authorization" in state["headers"]:
            if cookies:
                raise BadRequest("A session cookie and a bearer token came together.", hint="Send one of the two.")
            raise Unauthenticated("API keys are not valid here.", hint="Use the same path under /api/v1.")
        visit = await self._visit(scope)
        if visit is None:
            raise Unauthenticated()
        if scope["method"] not in SAFE_METHODS:
            self._refuse_forged(state["headers"], visit)
        state["visit"] = visit
        return visit.actor

    async def _visit(self, scope: Scope) -> Visit | None:
        """Whoever the cookie stands for; a session that was renewed sends its cookie again."""
        token = self.session_token(scope)
        visit = None if token is None else await self.identity.by_session(token)
        if token is not None and visit is not None and visit.renewed:
            scope["state"]["set_cookie"] = self.site.cookie(token)
        return visit

    def _cookies(self, scope: Scope) -> set[str]:
        """Our cookie's values: more than one means that somebody planted another, and none is believed."""
        if b"cookie" not in scope["state"]["headers"]:
            return set()
        lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie"]
        pairs = (part.strip().partition("=") for line in lines for part in line.split(";"))
        return {value for name, _, value in pairs if name == self.site.cookie_name and value}

    def _refuse_forged(self, headers: dict[bytes, bytes], visit: Visit) -> None:
        self._refuse_foreign(headers, needed=True)
        given = headers.get(b"x-csrf-token", b"")
        if not hmac.compare_digest(given, visit.csrf_token.encode()):
            raise CsrfFailed()

    def _refuse_foreign(self, headers: dict[bytes, bytes], *, needed: bool) -> None:
        """Programs without a browser send no Origin; where a cookie speaks, its absence is refused too."""
        origin = headers.get(b"origin")
        if origin is None and not needed:
            return
        if origin is None or origin.decode("latin-1") not in self.site.origins:
            raise OriginDenied()


def _require(policy: Policy, actor: Actor) -> None:
    if policy.kind is Kind.ADMIN and not actor.is_admin:
        raise Forbidden("This is for administrators.")
    if policy.kind is Kind.SCOPE and actor.scopes is not None and policy.scope not in actor.scopes:
        raise ScopeMissing(needed=policy.scope)
