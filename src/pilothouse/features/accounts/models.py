"""Rows of accounts: people, their sign-ins, their keys, and the link that makes the first of them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer, String, text
from sqlalchemy.orm import Mapped, mapped_column

from pilothouse.base.actor import Role
from pilothouse.base.database import Id, JsonText, Moment, Row
from pilothouse.kit.json import Json

_IS_OWNER = text("role = 'owner'")


class User(Row):
    """A person. A disabled one keeps everything and may do nothing."""

    __tablename__ = "users"
    # However many set-up links race, the database holds one owner.
    __table_args__ = (
        Index("uq_users_one_owner", "role", unique=True, sqlite_where=_IS_OWNER, postgresql_where=_IS_OWNER),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(16), default=Role.MEMBER)
    password_hash: Mapped[str] = mapped_column(String(200))
    timezone: Mapped[str] = mapped_column(String(64), default="UTC")
    preferences: Mapped[Json] = mapped_column(JsonText, default=dict)
    created_at: Mapped[datetime] = mapped_column(Moment)
    disabled_at: Mapped[datetime | None] = mapped_column(Moment, default=None)


class LoginSession(Row):
    """A browser that signed in. The cookie's value is kept only as a hash."""

    __tablename__ = "login_sessions"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    device: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(Moment)
    seen_at: Mapped[datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime] = mapped_column(Moment, index=True)


class ApiKey(Row):
    """A key for programs. Its secret is kept only as a hash (see `tokens.py` for which, and why)."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    prefix: Mapped[str] = mapped_column(String(11))  # what a list shows: `ph_` and the key's eight
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[Json] = mapped_column(JsonText)
    rate_limit_per_minute: Mapped[int | None] = mapped_column(Integer, default=None)
    created_at: Mapped[datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime | None] = mapped_column(Moment, default=None)
    suspended_at: Mapped[datetime | None] = mapped_column(Moment, default=None)
    last_used_at: Mapped[datetime | None] = mapped_column(Moment, default=None)


class SetupLink(Row):
    """A link that makes the owner, once."""

    __tablename__ = "setup_links"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime] = mapped_column(Moment)
    used_at: Mapped[datetime | None] = mapped_column(Moment, default=None)
