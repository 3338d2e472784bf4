"""Credentials on the wire. Secrets go in and never come out."""

import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, RootModel, SecretStr, StringConstraints

from pilothouse.base.http import In, Line, Out, WireTime
from pilothouse.blocks.credentials import CredentialType

_PROVIDER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_HOST = re.compile(r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:[0-9]{1,5})?")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_OURS = {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"}


def _provider(text: str) -> str:
    if not _PROVIDER.fullmatch(text):
        raise ValueError("must be lower-case letters, digits, dashes and underscores")
    return text


def _host(text: str) -> str:
    lower = text.lower()
    if not _HOST.fullmatch(lower) or int(lower.rpartition(":")[2] if ":" in lower else 1) not in range(1, 65536):
        raise ValueError("must be a host like api.example.com, *.example.com or api.example.com:8443")
    if lower.startswith("*.") and "." not in lower[2:]:
        raise ValueError("a pattern must name a domain below the top: *.example.com")
    return lower


def _headers(headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _OURS:
            raise ValueError(f"{name!r} is no header that can be set")
        text = value.get_secret_value()
        if not text or not text.isprintable() or len(text) > 8000 or not text.isascii():
            raise ValueError(f"the value of {name!r} must be one line of plain text")
    return headers


Provider: TypeAlias = Annotated[str, AfterValidator(_provider)]
Title: TypeAlias = Annotated[Line, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Secret: TypeAlias = Annotated[SecretStr, Field(min_length=1, max_length=20_000)]


class ApiKeyIn(In):
    """A key of a provider."""

    type: Literal["api_key"]
    provider: Provider
    title: Title
    api_key: Secret
    expires_at: Annotated[WireTime | None, Field(description="When the provider will stop taking it.")] = None


class UserPasswordIn(In):
    """A user name and a password."""

    type: Literal["user_password"]
    provider: Provider
    title: Title
    username: Annotated[Line, StringConstraints(min_length=1, max_length=500)]
    password: Secret


class HostScopedIn(In):
    """Headers that are sent to one host, or to all below a domain, and to nobody else."""

    type: Literal["host_scoped"]
    provider: Provider = "http"
    title: Title
    host: Annotated[str, AfterValidator(_host)]
    headers: Annotated[dict[str, SecretStr], Field(min_length=1, max_length=20), AfterValidator(_headers)]


class CredentialIn(RootModel[Annotated[ApiKeyIn | UserPasswordIn | HostScopedIn, Field(discriminator="type")]]):
    """A key, a password, or headers for a host."""


class CredentialPatch(In):
    """Another title."""

    title: Title


class CredentialUserOut(Out):
    """An agent that names the credential."""

    agent_id: str
    name: str


class CredentialOut(Out):
    """A credential without its secret. Those of the installation have no dates and cannot be changed."""

    id: str
    provider: str
    type: CredentialType
    title: str
    hint: Annotated[str | None, Field(description="The last characters of a key; what tells one from another.")]
    username: str | None
    host: str | None
    header_names: list[str]
    scopes: list[str]
    system: bool
    created_at: WireTime | None
    expires_at: WireTime | None
    last_used_at: WireTime | None


class CredentialsOut(Out):
    items: list[CredentialOut]


class CredentialDetailOut(CredentialOut):
    """With the agents that use it."""

    used_by: list[CredentialUserOut]
