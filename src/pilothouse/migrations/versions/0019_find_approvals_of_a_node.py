"""Find approvals of a node"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    where = sa.text("for_node")
    op.create_index("ix_reviews_for_node", "reviews", ["job_id", "node_id"], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_index("ix_reviews_for_node", "reviews")
