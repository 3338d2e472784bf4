"""Files on the wire."""

from typing import Annotated, Literal

from pydantic import Field

from pilothouse.base.http import In, Out, Page, WireTime
from pilothouse.features.files.paths import MAX_PATH

PathText = Annotated[str, Field(min_length=1, max_length=MAX_PATH, examples=["/notes.txt"])]


class FileOut(Out):
    """A file. `scan` says what a virus scanner found; `not_scanned` where there is none."""

    id: str
    path: str
    folder: str
    name: str
    mime_type: str
    type_mismatch: bool
    size_bytes: int
    sha256: str
    scope: Literal["user", "session", "run"]
    scope_id: str | None
    origin: Literal["upload", "run", "session"]
    revision: int
    scan: str
    created_at: WireTime
    updated_at: WireTime
    deleted_at: WireTime | None


class UsageOut(Out):
    """How full a workspace is. `limit_bytes` is null where there is no limit."""

    files: int
    used_bytes: int
    trash_files: int
    trash_bytes: int
    limit_bytes: int | None
    max_file_bytes: int


class FilePage(Page[FileOut]):
    """One page of files, newest first."""

    usage: UsageOut


class FilePatch(In):
    """What of a file can be changed."""

    path: PathText


class RevisionOut(Out):
    """What a file was at some time."""

    revision: int
    mime_type: str
    type_mismatch: bool
    size_bytes: int
    sha256: str
    created_at: WireTime


class RevisionsOut(Out):
    """All that are kept, newest first."""

    items: list[RevisionOut]
