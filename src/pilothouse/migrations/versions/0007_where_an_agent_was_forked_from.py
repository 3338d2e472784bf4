"""Where an agent was forked from"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("agent_versions", sa.Column("forked_from", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("agent_versions", "forked_from")
