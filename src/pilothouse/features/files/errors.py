"""What can go wrong with files."""

from pilothouse.kit.errors import (
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
    TooLarge,
    Unavailable,
    UpstreamError,
    UserError,
)


class StoredFileNotFound(NotFound):
    """There is no such file."""


class PathInvalid(Invalid):
    """This cannot be the path of a file."""

    wire_code = "invalid_path"
    hint = "A path begins with `/`; no part of it is empty, `.` or `..`, or holds a backslash or a control character."


class PathTaken(Conflict):
    """There is a file under this path already."""

    wire_code = "already_exists"
    hint = "Choose another path, or say `overwrite`: the file then gets a new revision."


class FolderNotFound(NotFound):
    """There is no such folder."""


class FolderCycle(Conflict):
    """A folder cannot be moved into itself."""


class DeletionUnconfirmed(Conflict):
    """All files in this folder would be put into the trash."""

    hint = "Ask the user, then call again with `confirm=true`. `detail` says how many files they are."


class TooManyFiles(TooLarge):
    """This folder holds more files than can be moved or deleted at once."""

    hint = "Move or delete the folders in it first."


class RevisionNotFound(NotFound):
    """This revision of the file is not kept."""


class NoPreview(UserError):
    """There is no preview of this kind of file."""

    status = 415


class FileTooLarge(TooLarge):
    """This file is larger than a file may be."""

    wire_code = "too_large"


class QuotaExceeded(TooLarge):
    """There is no room for this in the workspace."""

    hint = "Delete files that are not needed any more."


class DiskNearlyFull(Unavailable):
    """The disk of this installation is nearly full, so no files are taken in."""

    wire_code = "unavailable"
    hint = "Nothing was stored. The operator has to make room."


class FileCorrupt(UpstreamError):
    """What is stored of this file is not what was written. Restore it from a backup."""

    retryable = False
    wire_code = "file_corrupt"


class UploadBroken(BadRequest):
    """The upload ended before all of it was here. Nothing was stored."""


class RangeUnsatisfiable(UserError):
    """The file has no such range."""

    status = 416
    wire_code = "range_not_satisfiable"


class ReferenceInvalid(Invalid):
    """This refers to no file that can be used."""

    wire_code = "invalid_reference"
