"""Count pushes by themselves"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Those of the last minute before the upgrade are forgiven."""
    op.create_table(
        "chat_pushes",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("message_id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "message_id", "at", name=op.f("pk_chat_pushes")),
    )
    op.drop_index("ix_chat_messages_queued", "chat_messages")


def downgrade() -> None:
    where = sa.text("queued_at is not null")
    op.create_index(
        "ix_chat_messages_queued",
        "chat_messages",
        ["user_id", "queued_at"],
        sqlite_where=where,
        postgresql_where=where,
    )
    op.drop_table("chat_pushes")
