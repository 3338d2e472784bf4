"""Accounts on the wire."""

import re
from typing import Annotated
from zoneinfo import available_timezones

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, SecretStr, StringConstraints

from pilothouse.base.actor import Role
from pilothouse.base.http import In, Line, Out, Whole, WireTime
from pilothouse.base.http.policy import SCOPES

_MAIL = re.compile(r"[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+")


def _mail(text: str) -> str:
    if not _MAIL.fullmatch(text):
        raise ValueError("must be a mail address")
    return text.lower()


def _zone(text: str) -> str:
    if text not in available_timezones():
        raise ValueError("must be a time zone such as Europe/Berlin")
    return text


def _known_scope(text: str) -> str:
    if text not in SCOPES:
        raise ValueError("is not a scope")
    return text


Mail = Annotated[str, StringConstraints(strip_whitespace=True, max_length=254), AfterValidator(_mail)]
Zone = Annotated[str, StringConstraints(max_length=64), AfterValidator(_zone)]
Password = Annotated[SecretStr, Field(min_length=10, max_length=200)]
Scope = Annotated[str, AfterValidator(_known_scope), Field(json_schema_extra={"enum": list(SCOPES)})]
Limit = Annotated[Whole, Field(ge=1, le=10_000_000)]


class SetupStatus(Out):
    """Which door a visitor stands at: a page asks this first, and asks who it is only when it is somebody."""

    needs_owner: bool
    signed_in: bool


class OwnerIn(In):
    token: Annotated[SecretStr, Field(min_length=20, max_length=200)]
    name: Line
    email: Mail
    password: Password
    timezone: Zone = "UTC"


class SignInIn(In):
    email: Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, max_length=254)]
    password: Annotated[SecretStr, Field(max_length=200)]


class PasswordIn(In):
    current_password: Annotated[SecretStr, Field(max_length=200)]
    new_password: Password


class UserOut(Out):
    id: str
    email: str
    name: str
    role: Role
    timezone: str
    preferences: dict[str, JsonValue]
    created_at: WireTime


class UserPatch(In):
    name: Line | None = None
    timezone: Zone | None = None
    preferences: Annotated[dict[str, JsonValue], Field(max_length=100)] | None = None


class MeOut(Out):
    """Who is signed in, and what the page needs to speak for them."""

    user: UserOut
    role: Role
    csrf_token: str
    flags: dict[str, bool]


class KeyHolderOut(Out):
    """Who a key speaks for."""

    id: str
    name: str
    role: Role
    scopes: list[str]
    api_key_id: str


class SessionOut(Out):
    id: str
    device: str
    created_at: WireTime
    seen_at: WireTime
    expires_at: WireTime
    current: bool


class SessionsOut(Out):
    items: list[SessionOut]


class ApiKeyIn(In):
    name: Line
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(SCOPES))]
    expires_at: AwareDatetime | None = None
    rate_limit_per_minute: Limit | None = None


class ApiKeyPatch(In):
    name: Line | None = None
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(SCOPES))] | None = None
    rate_limit_per_minute: Limit | None = None


class ApiKeyOut(Out):
    id: str
    name: str
    prefix: str
    scopes: list[str]
    rate_limit_per_minute: int | None
    created_at: WireTime
    expires_at: WireTime | None
    suspended_at: WireTime | None
    last_used_at: WireTime | None


class NewApiKeyOut(ApiKeyOut):
    """The only answer that ever holds the key."""

    key: str
