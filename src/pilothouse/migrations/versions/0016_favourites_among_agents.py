"""Favourites among agents"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("agents", sa.Column("favourite", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("agents", "favourite")
