"""Credentials as a block sees them: opened for one step, and shown by no `repr`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from pilothouse.kit.json import JsonObject

CredentialType: TypeAlias = Literal["api_key", "oauth2", "user_password", "host_scoped"]
TYPES: Final[tuple[CredentialType, ...]] = ("api_key", "oauth2", "user_password", "host_scoped")


class CredentialRef(BaseModel):
    """What a node holds instead of a credential: which one, never its value."""

    model_config = ConfigDict(extra="ignore")

    id: str
    provider: str = ""
    type: CredentialType | None = None
    title: str | None = None


def credentials_field(
    *providers: str,
    types: tuple[CredentialType, ...] = ("api_key",),
    scopes: tuple[str, ...] = (),
    discriminator: str | None = None,
    discriminator_mapping: Mapping[str, str] | None = None,
    optional: bool = False,
    description: str = "Whose account is used.",
) -> Any:
    """A block's credentials field. With a discriminator, the value of that field says which provider it must be."""
    told: JsonObject = {"credentials_provider": list(providers), "credentials_types": list(types)}
    if scopes:
        told["credentials_scopes"] = list(scopes)
    if discriminator is not None:
        told["discriminator"] = discriminator
        told["discriminator_mapping"] = dict(discriminator_mapping or {})
    default: Any = None if optional else ...
    return Field(default, description=description, json_schema_extra=told)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key."""

    id: str
    provider: str
    key: str = field(repr=False)

    def secrets(self) -> tuple[str, ...]:
        return (self.key,)


@dataclass(frozen=True, slots=True)
class UserPassword:
    """A user name and a password."""

    id: str
    provider: str
    username: str
    password: str = field(repr=False)

    def secrets(self) -> tuple[str, ...]:
        return (self.password,)


@dataclass(frozen=True, slots=True)
class HostScoped:
    """Headers for one host (`api.example.com`, with a port if one is named) or for all under a domain (`*.x.com`)."""

    id: str
    provider: str
    host: str
    headers: Mapping[str, str] = field(repr=False)

    def secrets(self) -> tuple[str, ...]:
        return tuple(self.headers.values())

    def covers(self, url: str) -> bool:
        """Whether these headers may be sent there."""
        return covers(self.host, url)


Credential: TypeAlias = ApiKey | UserPassword | HostScoped
NONE_OPENED: Final[Mapping[str, Credential]] = MappingProxyType({})


def covers(pattern: str, url: str) -> bool:
    """Whether a host pattern takes in this address. Without a port it means the scheme's own port only."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return False
    host = (parts.hostname or "").rstrip(".").lower()
    name, _, wanted = pattern.lower().partition(":")
    if not host or port != (int(wanted) if wanted else {"https": 443, "http": 80}.get(parts.scheme)):
        return False
    return host.endswith(name[1:]) and host != name[2:] if name.startswith("*.") else host == name
