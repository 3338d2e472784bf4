"""The tables of durable jobs. They hold unfinished work only: settling deletes."""

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text, text

from pilothouse.base.database import Id, metadata

jobs = Table(
    "jobs",
    metadata,
    Column("id", Id, primary_key=True),  # the run's or the turn's own id
    Column("kind", String(64), nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),  # of the payload that its kind reads
    Column("lane", Text),  # the narrower cap, when there are two
    Column("top_lane", Text, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("state", String(8), nullable=False),  # held, queued, running, waiting
    Column("owner", Id),
    Column("fence", BigInteger, nullable=False),  # + 1 at every change of hands
    Column("attempt", Integer, nullable=False),
    Column("due_at", BigInteger),
    Column("cancel_at", BigInteger),
    Column("moved_at", BigInteger, nullable=False),
    Column("reply_to", Text),
    Index(
        "ix_jobs_held_lanes",
        "top_lane",
        "lane",
        "id",
        sqlite_where=text("state='held'"),
        postgresql_where=text("state='held'"),
    ),
    Index(
        "ix_jobs_queued", "due_at", "id", sqlite_where=text("state='queued'"), postgresql_where=text("state='queued'")
    ),
    Index("ix_jobs_running", "owner", sqlite_where=text("state='running'"), postgresql_where=text("state='running'")),
    Index("ix_jobs_waiting", "due_at", sqlite_where=text("state='waiting'"), postgresql_where=text("state='waiting'")),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Id, primary_key=True),  # the boot id of a process: a new one at every start
    Column("role", String(16), nullable=False),
    Column("version", String(32), nullable=False),
    Column("expires_at", BigInteger, nullable=False),  # the lease of every job that it owns
)

lanes = Table(
    "lanes",
    metadata,
    Column("key", Text, primary_key=True),
    Column("cap", Integer, nullable=False),
    Column("used", Integer, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("job_id", Id, primary_key=True),
    Column("id", Id, primary_key=True),  # the sender's: sending twice leaves one
    Column("kind", String(64), nullable=False),
    Column("body", Text, nullable=False),
)

watches = Table(
    "watches",
    metadata,
    Column("watcher_id", Id, primary_key=True),  # the job that waits
    Column("key", Text, primary_key=True),  # its own name for the wait
    Column("job_id", Id, nullable=False),  # whose end it waits for
    Column("body", Text, nullable=False),  # what the watcher wants to know when it is woken
    Index("ix_watches_job", "job_id"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(64), primary_key=True),  # of a periodic job
    Column("owner", Id, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("last_run_at", BigInteger, nullable=False),
)
