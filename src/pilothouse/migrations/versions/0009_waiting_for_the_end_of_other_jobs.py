"""Waiting for the end of other jobs, and work that goes on in the background"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

OF_PARENTS = sa.text("parent_session_id is not null")


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("watcher_id", sa.String(length=36), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("watcher_id", "key", name=op.f("pk_watches")),
    )
    op.create_index("ix_watches_job", "watches", ["job_id"])
    op.create_table(
        "chat_background",
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("tool", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("ref_id", sa.String(length=36), nullable=True),
        sa.Column("memo", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("taken_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "id", name=op.f("pk_chat_background")),
    )
    op.create_index(
        "ix_chat_sessions_parent",
        "chat_sessions",
        ["parent_session_id"],
        sqlite_where=OF_PARENTS,
        postgresql_where=OF_PARENTS,
    )


def downgrade() -> None:
    op.drop_index(
        "ix_chat_sessions_parent", table_name="chat_sessions", sqlite_where=OF_PARENTS, postgresql_where=OF_PARENTS
    )
    op.drop_table("chat_background")
    op.drop_index("ix_watches_job", table_name="watches")
    op.drop_table("watches")
