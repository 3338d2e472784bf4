"""The rows of credentials. What is secret in them lies in an envelope."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from pilothouse.base.database import Id, JsonText, Moment, Row
from pilothouse.base.envelope import Envelope
from pilothouse.kit.json import Json


class StoredCredential(Row):
    """One account of one person somewhere else."""

    __tablename__ = "credentials"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    provider: Mapped[str] = mapped_column(String(64))
    type: Mapped[str] = mapped_column(String(16))
    title: Mapped[str] = mapped_column(String(200))
    # What of it may be shown: the end of a key, a user name, a host.
    shown: Mapped[Json] = mapped_column(JsonText, nullable=False)
    scopes: Mapped[Json] = mapped_column(JsonText, nullable=False)
    wrapped_key: Mapped[str] = mapped_column(Text)
    sealed: Mapped[str] = mapped_column(Text)
    key_id: Mapped[str] = mapped_column(String(64), index=True)  # of the key that wrapped its key
    created_at: Mapped[datetime] = mapped_column(Moment)
    updated_at: Mapped[datetime] = mapped_column(Moment)
    expires_at: Mapped[datetime | None] = mapped_column(Moment, default=None)
    last_used_at: Mapped[datetime | None] = mapped_column(Moment, default=None)

    @property
    def envelope(self) -> Envelope:
        return Envelope(self.wrapped_key, self.sealed)
