"""Trim the deltas of old turns"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

UNTRIMMED = sa.text("trimmed_at is null")


def upgrade() -> None:
    op.add_column("chat_turns", sa.Column("trimmed_at", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_chat_turns_untrimmed", "chat_turns", ["ended_at"], sqlite_where=UNTRIMMED, postgresql_where=UNTRIMMED
    )


def downgrade() -> None:
    op.drop_index(
        "ix_chat_turns_untrimmed", table_name="chat_turns", sqlite_where=UNTRIMMED, postgresql_where=UNTRIMMED
    )
    op.drop_column("chat_turns", "trimmed_at")
