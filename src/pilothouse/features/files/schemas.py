"""Files on the wire."""

from typing import Annotated, Literal, Self

from pydantic import Field

from pilothouse.base.http import IdText, In, Out, Page, WireTime
from pilothouse.features.files.parcels import LeftOut, Parcel
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


class PackedOut(Out):
    """A file that is sent."""

    name: str
    size_bytes: int


class SkippedOut(Out):
    """A file that is not sent, and why; `size_bytes` is null when nobody knows it any more."""

    name: str
    size_bytes: int | None
    reason: LeftOut


class ParcelOut(Out):
    """What a download of several files sends. One file alone is sent as itself: then `as_zip` is false."""

    as_zip: bool
    size_bytes: int
    files: list[PackedOut]
    skipped: list[SkippedOut]
    links: int

    @classmethod
    def of(cls, parcel: Parcel) -> Self:
        return cls(
            as_zip=parcel.only is None,
            size_bytes=parcel.size,
            files=[PackedOut(name=item.name, size_bytes=item.size) for item in parcel.items],
            skipped=[SkippedOut(name=name, size_bytes=size, reason=why) for name, size, why in parcel.skipped],
            links=len(parcel.links),
        )


class ZipIn(In):
    """The files to send, in this order."""

    file_ids: Annotated[list[IdText], Field(min_length=1, max_length=1_000)]


class FilePatch(In):
    """What of a file can be changed."""

    path: PathText


class FolderOut(Out):
    """A folder, and what lies directly in it."""

    path: str
    name: str
    files: int
    size_bytes: int


class FoldersOut(Out):
    """All folders, each before those in it."""

    items: list[FolderOut]


class FolderMove(In):
    """A folder and the path that it is to have. A folder is renamed by moving it within its own."""

    path: PathText
    to: PathText


class FilesMove(In):
    """Files, and the folder that they are to lie in; `/` is the workspace itself."""

    file_ids: Annotated[list[IdText], Field(min_length=1, max_length=500)]
    folder: PathText


class MovedOut(Out):
    """How many files were moved, or put into the trash."""

    files: int


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
