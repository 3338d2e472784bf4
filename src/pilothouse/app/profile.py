"""Which profile the settings ask for, and whether they fit together."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine.url import make_url
from sqlalchemy.exc import ArgumentError

from pilothouse.base.database import is_sqlite
from pilothouse.base.settings import Settings
from pilothouse.kit.errors import PilothouseError


class ProfileImpossible(PilothouseError):
    """These settings do not fit together."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Where state lives. Embedded: one process, SQLite. Scaled: PostgreSQL, RabbitMQ, Redis, any number."""

    database_url: str
    broker_url: str | None
    redis_url: str | None

    @property
    def embedded(self) -> bool:
        return is_sqlite(self.database_url)

    @property
    def sqlite_path(self) -> Path:
        return Path(self.database_url.partition("///")[2])


def profile_of(settings: Settings) -> Profile:
    """Raises `ProfileImpossible`, which says what to set."""
    database = settings.database_url.get_secret_value() if settings.database_url else None
    broker = settings.broker_url.get_secret_value() if settings.broker_url else None
    redis = settings.redis_url.get_secret_value() if settings.redis_url else None
    url = _database_url(database) if database else f"sqlite+aiosqlite:///{settings.data_dir / 'pilothouse.db'}"
    if broker and is_sqlite(url):
        raise ProfileImpossible(
            "A broker needs PostgreSQL.", hint="Set PILOTHOUSE_DATABASE_URL, or leave PILOTHOUSE_BROKER_URL out."
        )
    if broker and not redis:
        raise ProfileImpossible("A broker needs Redis for live events.", hint="Set PILOTHOUSE_REDIS_URL.")
    if redis and not broker:
        raise ProfileImpossible("Redis is used together with a broker.", hint="Set PILOTHOUSE_BROKER_URL.")
    return Profile(url, broker, redis)


def _database_url(url: str) -> str:
    """With the driver we use, whichever was named."""
    try:
        parts = make_url(url)
        drivers = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql", "postgres": "postgresql"}
        driver = drivers[parts.drivername.partition("+")[0]]
    except (ArgumentError, KeyError):
        hint = "It looks like postgresql://user:password@host/name."
        raise ProfileImpossible("PILOTHOUSE_DATABASE_URL names no database that we know.", hint=hint) from None
    return parts.set(drivername=driver).render_as_string(hide_password=False)
