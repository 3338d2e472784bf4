"""Values that blocks remember"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

OF_RUNS = sa.text("run_id is not null")


def upgrade() -> None:
    op.create_table(
        "remembered",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("place", sa.String(length=48), nullable=False),
        sa.Column("key", sa.String(length=256), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "place", "key", name=op.f("pk_remembered")),
    )
    op.create_index("ix_remembered_run", "remembered", ["run_id"], sqlite_where=OF_RUNS, postgresql_where=OF_RUNS)


def downgrade() -> None:
    op.drop_index("ix_remembered_run", table_name="remembered", sqlite_where=OF_RUNS, postgresql_where=OF_RUNS)
    op.drop_table("remembered")
