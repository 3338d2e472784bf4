"""Find the turns that another began"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("chat_turns", sa.Column("parent_id", sa.String(length=36), nullable=True))
    where = sa.text("parent_id is not null and status is null")
    op.create_index("ix_chat_turns_delegated", "chat_turns", ["parent_id"], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_index("ix_chat_turns_delegated", "chat_turns")
    op.drop_column("chat_turns", "parent_id")
