"""Who may call a route. Each route says so, and a route that does not stops the start."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from fastapi import FastAPI
from starlette.routing import Mount

from pilothouse.base.http.router import GuardedRoute, RouteIndex, SocketRoute
from pilothouse.kit.errors import PilothouseError

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

KEY_DOORS = ("/api/v1", "/api/mcp", "/api/openai/v1")
_KEY_PREFIXES = tuple(f"{door}/" for door in KEY_DOORS)
SCOPES = (
    "identity",
    *("agents:read", "agents:write", "agents:run"),
    *("runs:read", "runs:write"),
    *("blocks:read", "blocks:run"),
    *("schedules:read", "schedules:write"),
    *("files:read", "files:write"),
    *("library:write", "marketplace:read"),
    *("credentials:read", "credentials:write"),
    *("tools:use", "chat:use"),
)


class PolicyMissing(PilothouseError):
    """A route does not say who may call it."""


class Kind(StrEnum):
    """The kinds of callers."""

    SETUP = "setup"  # anyone, even before there is an owner: set-up, health, static files
    PUBLIC = "public"  # anyone
    SIGNED = "signed"  # whoever proves itself to the route: webhooks, bots
    USER = "user"  # a signed-in person
    ADMIN = "admin"  # a signed-in person who administers
    SCOPE = "scope"  # an API key with that scope; on the app's own paths, a signed-in person


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may call. Also the decorator that says so, under the route's own: `@router.get(...)`, then `@user`."""

    kind: Kind
    scope: str | None = None
    retry_after: int | None = None  # seconds, told while the database is away; None: as everywhere

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__["policy"] = self
        return endpoint

    @property
    def knows_caller(self) -> bool:
        """Whether the caller must be somebody."""
        kind = self.kind
        return kind is Kind.SCOPE or kind is Kind.USER or kind is Kind.ADMIN  # the hot ones first

    def at(self, path: str) -> "Policy":
        """The policy as it is on this path: a scope speaks of keys, and keys open only their own doors."""
        return user if self.kind is Kind.SCOPE and not takes_keys(path) else self

    def __str__(self) -> str:
        return f"scope:{self.scope}" if self.scope else self.kind.value


setup = Policy(Kind.SETUP)
public = Policy(Kind.PUBLIC)
signed = Policy(Kind.SIGNED)
user = Policy(Kind.USER)
admin = Policy(Kind.ADMIN)


def scope(name: str, *, retry_after: int | None = None) -> Policy:
    """A key with this scope, under `/api/v1`; the same function on an app path asks for a signed-in person."""
    if name not in SCOPES:
        raise PolicyMissing(f"There is no scope {name!r}.")
    return Policy(Kind.SCOPE, name, retry_after)


def takes_keys(path: str) -> bool:
    """Whether API keys, and only they, open this path."""
    return path.startswith(_KEY_PREFIXES) or path in KEY_DOORS


def policy_of(endpoint: Callable[..., Any] | None) -> Policy | None:
    found = getattr(endpoint, "policy", None)
    return found if isinstance(found, Policy) else None


def policies(app: FastAPI) -> list[tuple[str, str, Policy]]:
    """(method, path, policy) of every route, for the generated route matrix. Raises as `check_policies` does."""
    return [entry for route in app.routes for entry in _declared(route)]


def check_policies(app: FastAPI) -> None:
    """Stop the start when any route, of whatever kind, does not declare its policy where it is enforced."""
    policies(app)


def _declared(route: object) -> Iterator[tuple[str, str, Policy]]:
    match route:
        case RouteIndex():
            return
        case GuardedRoute():
            policy = policy_of(route.endpoint)
            if policy is None:
                raise PolicyMissing(f"{route.path} declares no policy; decorate {route.name} with one.")
            policy = policy.at(route.path)
            if takes_keys(route.path) and policy.kind in {Kind.USER, Kind.ADMIN}:
                raise PolicyMissing(f"{route.path} is opened by API keys: name the scope it needs.")
            for method in sorted(route.methods or ()):
                yield method, route.path, policy
        case SocketRoute():
            yield "SOCKET", route.path, user
        case Mount() if getattr(route.app, "policy", None) == setup:
            yield "GET", f"{route.path}/{{path}}", setup
        case _:
            raise PolicyMissing(f"{route!r} cannot be guarded; make routes with base.http.Router.")
