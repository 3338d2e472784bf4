"""What a run goes back to"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("runs", sa.Column("origin", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("runs", "origin")
