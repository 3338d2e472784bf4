"""The rows of reviews: what a job asks a person, and what that person said."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text, text

from pilothouse.base.database import Id, metadata

reviews = Table(
    "reviews",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user_id", Id, nullable=False),
    Column("job_id", Id, nullable=False),  # who waits for the answer: a run
    Column("step_id", Integer, nullable=False),
    Column("node_id", String(64), nullable=False),
    Column("agent_id", Id, nullable=False),
    Column("top_lane", Text, nullable=False),  # of the job: who decides must lock it first
    Column("kind", String(24), nullable=False),  # review_block, sensitive_action
    Column("name", Text, nullable=False),
    Column("instructions", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("payload_hash", String(64), nullable=False),
    Column("editable", Boolean, nullable=False),
    Column("assignee_id", Id),
    Column("expires_at", BigInteger),
    Column("state", String(12), nullable=False),  # waiting, approved, rejected, expired, cancelled
    Column("for_node", Boolean, nullable=False),  # an approval that counts for the rest of the node's steps too
    Column("decision", Text),  # {approved, data, message, automatic}
    Column("decided_by", Id),
    Column("decided_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Index("ix_reviews_user", "user_id", "id"),
    Index("ix_reviews_job", "job_id"),
    Index(
        "ix_reviews_waiting",
        "user_id",
        "id",
        sqlite_where=text("state='waiting'"),
        postgresql_where=text("state='waiting'"),
    ),
    Index(  # a run that asks a thousand times looks here each time
        "ix_reviews_for_node",
        "job_id",
        "node_id",
        sqlite_where=text("for_node"),
        postgresql_where=text("for_node"),
    ),
)
