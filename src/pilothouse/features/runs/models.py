"""The rows of runs. While a run is unfinished its job's row says what it does; `status` is written once, at the end."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text, text

from pilothouse.base.database import Id, metadata

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user_id", Id, nullable=False),
    Column("agent_id", Id, nullable=False),
    Column("version", Integer, nullable=False),
    Column("trigger", String(16), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("dry_run", Boolean, nullable=False),
    Column("head", BigInteger, nullable=False),  # of the run's log
    Column("created_at", BigInteger, nullable=False),
    Column("status", String(24)),  # final ones only
    Column("reason", Text),
    Column("outputs", Text),
    Column("stats", Text),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("parent_id", Id),  # the run whose step started this one
    Column("parent_step", Integer),
    Column("steps", Text),  # what is left of the log once it has expired: a summary of each step
    Column("pinned_at", BigInteger),  # somebody wants to keep it: retention passes it by
    Index("ix_runs_user", "user_id", "id"),
    Index("ix_runs_agent", "agent_id", "id"),
    Index(
        "ix_runs_parent",
        "parent_id",
        sqlite_where=text("parent_id is not null"),
        postgresql_where=text("parent_id is not null"),
    ),
)
