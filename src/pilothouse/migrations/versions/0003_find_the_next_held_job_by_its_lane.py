"""Find the next held job by its lane"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

HELD = sa.text("state='held'")


def upgrade() -> None:
    op.drop_index("ix_jobs_held_top", table_name="jobs", postgresql_where=HELD, sqlite_where=HELD)
    op.drop_index("ix_jobs_held", table_name="jobs", postgresql_where=HELD, sqlite_where=HELD)
    op.create_index("ix_jobs_held_lanes", "jobs", ["top_lane", "lane", "id"], postgresql_where=HELD, sqlite_where=HELD)


def downgrade() -> None:
    op.drop_index("ix_jobs_held_lanes", table_name="jobs", postgresql_where=HELD, sqlite_where=HELD)
    op.create_index("ix_jobs_held", "jobs", ["lane", "id"], postgresql_where=HELD, sqlite_where=HELD)
    op.create_index("ix_jobs_held_top", "jobs", ["top_lane", "id"], postgresql_where=HELD, sqlite_where=HELD)
