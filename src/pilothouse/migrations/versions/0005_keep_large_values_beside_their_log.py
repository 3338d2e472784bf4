"""Keep large values beside their log"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "log_values",
        sa.Column("log_id", sa.String(36), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("log_id", "hash", name=op.f("pk_log_values")),
    )


def downgrade() -> None:
    op.drop_table("log_values")
