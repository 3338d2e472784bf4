"""The rows of files. What files hold lies in the store, under the ids of `file_contents`."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from pilothouse.base.database import Id, Moment, Row
from pilothouse.features.files.paths import Place

_IS_LIVE = text("deleted_at is null")
_IS_KEPT = text("doomed_at is null")


class Workspace(Row):
    """One for each person who stores files. Whoever changes what is in it locks this row first."""

    __tablename__ = "workspaces"

    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Moment)


class StoredFile(Row):
    """A file, as its newest revision is."""

    __tablename__ = "workspace_files"
    __table_args__ = (
        Index(
            "uq_workspace_files_live_path",
            *("user_id", "path"),
            unique=True,
            sqlite_where=_IS_LIVE,
            postgresql_where=_IS_LIVE,
        ),
        Index("ix_workspace_files_folder", "user_id", "folder"),
        Index("ix_workspace_files_deleted", "deleted_at"),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(Text)
    folder: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    scope: Mapped[str] = mapped_column(String(8))
    scope_id: Mapped[str | None] = mapped_column(Id)
    origin: Mapped[str] = mapped_column(String(8))
    mime_type: Mapped[str] = mapped_column(String(200))
    type_mismatch: Mapped[bool]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(String(64))
    content_id: Mapped[str] = mapped_column(Id)
    revision: Mapped[int] = mapped_column(Integer)
    kept_bytes: Mapped[int] = mapped_column(BigInteger)  # of all revisions that are kept
    scan: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(Moment)
    updated_at: Mapped[datetime] = mapped_column(Moment)
    deleted_at: Mapped[datetime | None] = mapped_column(Moment)


def put_at(file: StoredFile, place: Place) -> None:
    """Under this path."""
    file.path, file.folder, file.name = place.path, place.folder, place.name
    file.scope, file.scope_id = place.scope, place.scope_id


class FileRevision(Row):
    """What a file was at some time, the present included."""

    __tablename__ = "file_revisions"

    file_id: Mapped[str] = mapped_column(Id, ForeignKey("workspace_files.id", ondelete="CASCADE"), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    content_id: Mapped[str] = mapped_column(Id, index=True)
    mime_type: Mapped[str] = mapped_column(String(200))
    type_mismatch: Mapped[bool]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(Moment)


class FileContent(Row):
    """Bytes in the store, kept once however many files hold them. A doomed one is about to be removed."""

    __tablename__ = "file_contents"
    __table_args__ = (
        Index("uq_file_contents_sha256", "sha256", unique=True, sqlite_where=_IS_KEPT, postgresql_where=_IS_KEPT),
        Index("ix_file_contents_touched", "touched_at"),
    )

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    touched_at: Mapped[datetime] = mapped_column(Moment)  # when somebody last came with these bytes
    doomed_at: Mapped[datetime | None] = mapped_column(Moment)


class FileReservation(Row):
    """Room, and perhaps a path, for a file that is still coming in."""

    __tablename__ = "file_reservations"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    path: Mapped[str] = mapped_column(Text)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    content_id: Mapped[str | None] = mapped_column(Id)
    expires_at: Mapped[datetime] = mapped_column(Moment, index=True)
