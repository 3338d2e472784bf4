"""Connections, choices and costs of models"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "model_connections",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("sealed_key", sa.Text(), nullable=True),
        sa.Column("key_hint", sa.String(length=4), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("advanced_model", sa.Text(), nullable=True),
        sa.Column("free", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("tested_at", sa.BigInteger(), nullable=True),
        sa.Column("test_code", sa.String(length=40), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_connections")),
        sa.UniqueConstraint("name", name=op.f("uq_model_connections_name")),
    )
    op.create_table(
        "model_choices",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("by_admin", sa.Boolean(), nullable=False),
        sa.Column("mode", sa.String(length=24), nullable=False),
        sa.Column("tier", sa.String(length=24), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_model_choices_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "by_admin", "mode", "tier", name=op.f("pk_model_choices")),
    )
    op.create_table(
        "cost_log",
        sa.Column("call_id", sa.String(length=80), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_u", sa.BigInteger(), nullable=True),
        sa.Column("source", sa.String(length=12), nullable=False),
        sa.Column("payer", sa.String(length=12), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_cost_log")),
    )
    op.create_index("ix_cost_log_user", "cost_log", ["user_id", "at"])
    op.create_index("ix_cost_log_job", "cost_log", ["job_id"])


def downgrade() -> None:
    op.drop_index("ix_cost_log_job", table_name="cost_log")
    op.drop_index("ix_cost_log_user", table_name="cost_log")
    op.drop_table("cost_log")
    op.drop_table("model_choices")
    op.drop_table("model_connections")
