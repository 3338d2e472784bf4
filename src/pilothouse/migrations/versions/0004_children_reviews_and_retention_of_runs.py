"""Children, reviews and retention of runs"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

CHILD = sa.text("parent_id is not null")
WAITING = sa.text("state='waiting'")


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.Column("node_id", sa.String(length=64), nullable=False),
        sa.Column("agent_id", sa.String(length=36), nullable=False),
        sa.Column("top_lane", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("payload_hash", sa.String(length=64), nullable=False),
        sa.Column("editable", sa.Boolean(), nullable=False),
        sa.Column("assignee_id", sa.String(length=36), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("for_node", sa.Boolean(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.String(length=36), nullable=True),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
    )
    op.create_index("ix_reviews_user", "reviews", ["user_id", "id"])
    op.create_index("ix_reviews_job", "reviews", ["job_id"])
    op.create_index("ix_reviews_waiting", "reviews", ["user_id", "id"], postgresql_where=WAITING, sqlite_where=WAITING)
    op.add_column("runs", sa.Column("parent_id", sa.String(length=36), nullable=True))
    op.add_column("runs", sa.Column("parent_step", sa.Integer(), nullable=True))
    op.add_column("runs", sa.Column("steps", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("pinned_at", sa.BigInteger(), nullable=True))
    op.create_index("ix_runs_parent", "runs", ["parent_id"], postgresql_where=CHILD, sqlite_where=CHILD)
    op.add_column("agents", sa.Column("review_required", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("agents", sa.Column("review_sensitive", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("agents", "review_sensitive")
    op.drop_column("agents", "review_required")
    op.drop_index("ix_runs_parent", table_name="runs", postgresql_where=CHILD, sqlite_where=CHILD)
    for name in ("pinned_at", "steps", "parent_step", "parent_id"):
        op.drop_column("runs", name)
    op.drop_table("reviews")
