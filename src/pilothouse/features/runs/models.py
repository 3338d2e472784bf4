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
    Column("origin", Text),  # of a run that goes back to another: {kind, run_id, step_id}
    Index("ix_runs_user", "user_id", "id"),
    Index("ix_runs_agent", "agent_id", "id"),
    Index(
        "ix_runs_parent",
        "parent_id",
        sqlite_where=text("parent_id is not null"),
        postgresql_where=text("parent_id is not null"),
    ),
)

_OF_RUNS = text("run_id is not null")
remembered = Table(
    "remembered",
    metadata,
    Column("user_id", Id, primary_key=True),
    Column("place", String(48), primary_key=True),  # user, agent/<id> or run/<id>
    Column("key", String(256), primary_key=True),
    Column("value", Text, nullable=False),
    Column("run_id", Id),  # of a value that is forgotten when this run is over
    Column("changed_at", BigInteger, nullable=False),
    Index("ix_remembered_run", "run_id", sqlite_where=_OF_RUNS, postgresql_where=_OF_RUNS),
)
