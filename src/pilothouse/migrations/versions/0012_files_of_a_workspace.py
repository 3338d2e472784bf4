"""Files of a workspace"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0015"

IS_LIVE = sa.text("deleted_at is null")
IS_KEPT = sa.text("doomed_at is null")


def upgrade() -> None:
    op.create_table(
        "workspaces",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_workspaces_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_workspaces")),
    )
    _create_files()
    _create_revisions()
    op.create_table(
        "file_contents",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("touched_at", sa.BigInteger(), nullable=False),
        sa.Column("doomed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_contents")),
    )
    op.create_index(
        "uq_file_contents_sha256",
        "file_contents",
        ["sha256"],
        unique=True,
        sqlite_where=IS_KEPT,
        postgresql_where=IS_KEPT,
    )
    op.create_index("ix_file_contents_touched", "file_contents", ["touched_at"])
    op.create_table(
        "file_reservations",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content_id", sa.String(length=36), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_file_reservations_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_reservations")),
    )
    op.create_index("ix_file_reservations_user_id", "file_reservations", ["user_id"])
    op.create_index("ix_file_reservations_expires_at", "file_reservations", ["expires_at"])


def _create_files() -> None:
    op.create_table(
        "workspace_files",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(length=8), nullable=False),
        sa.Column("scope_id", sa.String(length=36), nullable=True),
        sa.Column("origin", sa.String(length=8), nullable=False),
        sa.Column("mime_type", sa.String(length=200), nullable=False),
        sa.Column("type_mismatch", sa.Boolean(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("content_id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("kept_bytes", sa.BigInteger(), nullable=False),
        sa.Column("scan", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_workspace_files_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace_files")),
    )
    op.create_index(
        "uq_workspace_files_live_path",
        "workspace_files",
        ["user_id", "path"],
        unique=True,
        sqlite_where=IS_LIVE,
        postgresql_where=IS_LIVE,
    )
    op.create_index("ix_workspace_files_folder", "workspace_files", ["user_id", "folder"])
    op.create_index("ix_workspace_files_deleted", "workspace_files", ["deleted_at"])


def _create_revisions() -> None:
    op.create_table(
        "file_revisions",
        sa.Column("file_id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content_id", sa.String(length=36), nullable=False),
        sa.Column("mime_type", sa.String(length=200), nullable=False),
        sa.Column("type_mismatch", sa.Boolean(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["file_id"], ["workspace_files.id"], name=op.f("fk_file_revisions_file_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("file_id", "revision", name=op.f("pk_file_revisions")),
    )
    op.create_index("ix_file_revisions_content_id", "file_revisions", ["content_id"])


def downgrade() -> None:
    for table in ("file_reservations", "file_contents", "file_revisions", "workspace_files", "workspaces"):
        op.drop_table(table)
