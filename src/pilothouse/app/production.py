"""What a public installation must not start with."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from pydantic import SecretStr

from pilothouse.base.settings import Settings
from pilothouse.kit.errors import PilothouseError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", None})
_WEAK = ("change", "example", "secret", "password", "default", "test", "12345", "aaaa")


class ProductionUnsafe(PilothouseError):
    """PILOTHOUSE_ENV=production refuses these settings."""

    hint = "`pilothouse doctor` lists them all. For a private installation set PILOTHOUSE_ENV=local."


def refuse_unsafe(settings: Settings) -> None:
    """Raises `ProductionUnsafe` with every fault."""
    faults = list(unsafe_in(settings)) if settings.env == "production" else []
    if faults:
        raise ProductionUnsafe("PILOTHOUSE_ENV=production refuses to start:\n  " + "\n  ".join(faults))


def unsafe_in(settings: Settings) -> Iterator[str]:
    """Each fault in a sentence that names the variable, never its value."""
    if urlsplit(settings.public_url).scheme != "https":
        yield "PILOTHOUSE_PUBLIC_URL must begin with https://."
    if "*" in settings.cors_origins:
        yield "PILOTHOUSE_CORS_ORIGINS must name origins, not *."
    if {"*", "0.0.0.0/0", "::/0"} & set(settings.trusted_proxies):
        yield "PILOTHOUSE_TRUSTED_PROXIES must name your proxies, not everyone."
    for name in ("encryption_keys", "signing_key", "hmac_key", "metrics_token"):
        if _is_weak(getattr(settings, name)):
            yield f"PILOTHOUSE_{name.upper()} looks like an example; leave it out and one is made."
    for name in ("database_url", "broker_url", "redis_url"):
        if _is_open(getattr(settings, name)):
            yield f"PILOTHOUSE_{name.upper()} reaches another machine without a password."


def _is_weak(secret: SecretStr | None) -> bool:
    if secret is None:
        return False
    value = secret.get_secret_value().lower()
    return len(set(value)) < 8 or any(word in value for word in _WEAK)


def _is_open(url: SecretStr | None) -> bool:
    if url is None:
        return False
    parts = urlsplit(url.get_secret_value())
    return parts.hostname not in _LOOPBACK and not parts.password and not parts.scheme.startswith("sqlite")
