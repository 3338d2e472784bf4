"""The rows of models: who can be asked, who wants which, and what every call has cost."""

from datetime import datetime

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, String, Table, Text
from sqlalchemy.orm import Mapped, mapped_column

from pilothouse.base.database import Id, Moment, Row, metadata


class ModelConnection(Row):
    """A provider that can be asked, for everybody in the installation. Its key is kept sealed."""

    __tablename__ = "model_connections"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)  # what model names begin with
    kind: Mapped[str] = mapped_column(String(24))
    base_url: Mapped[str | None] = mapped_column(Text, default=None)
    sealed_key: Mapped[str | None] = mapped_column(Text, default=None)
    key_hint: Mapped[str | None] = mapped_column(String(4), default=None)  # its last characters, to tell keys apart
    model: Mapped[str | None] = mapped_column(Text, default=None)
    advanced_model: Mapped[str | None] = mapped_column(Text, default=None)
    free: Mapped[bool] = mapped_column(Boolean, default=False)
    created_at: Mapped[datetime] = mapped_column(Moment)
    updated_at: Mapped[datetime] = mapped_column(Moment)
    tested_at: Mapped[datetime | None] = mapped_column(Moment, default=None)
    test_code: Mapped[str | None] = mapped_column(String(40), default=None)  # of the last test; null: it answered


class ModelChoice(Row):
    """The model of one cell (mode and tier) for one user, as set by an administrator or by the user."""

    __tablename__ = "model_choices"

    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    by_admin: Mapped[bool] = mapped_column(Boolean, primary_key=True)
    mode: Mapped[str] = mapped_column(String(24), primary_key=True)
    tier: Mapped[str] = mapped_column(String(24), primary_key=True)
    model: Mapped[str] = mapped_column(Text)


cost_log = Table(
    "cost_log",
    metadata,
    Column("call_id", String(80), primary_key=True),  # made of job and round: a call that is told twice counts once
    Column("user_id", Id, nullable=False),
    Column("job_id", Id, nullable=False),
    Column("step", Integer, nullable=False),
    Column("provider", String(32), nullable=False),
    Column("model", Text, nullable=False),  # the one that answered
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("cost_u", BigInteger),  # microdollars; null: nobody knows
    Column("source", String(12), nullable=False),  # reported, price_table, free, unknown
    Column("payer", String(12), nullable=False),  # allowance, credits, own_key
    Column("at", BigInteger, nullable=False),
    Index("ix_cost_log_user", "user_id", "at"),
    Index("ix_cost_log_job", "job_id"),
)
