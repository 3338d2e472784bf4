"""Folders, old revisions and previews by HTTP: for the app, under `/api/workspace`."""

from typing import Annotated

from fastapi import Path, Request, Response

from pilothouse.base.http import CurrentActor, PathId, Reader, Router, Writes, problems, user
from pilothouse.base.work import Units
from pilothouse.features.files import folders, queries
from pilothouse.features.files.errors import (
    DeletionUnconfirmed,
    FileCorrupt,
    FolderCycle,
    FolderNotFound,
    NoPreview,
    PathInvalid,
    PathTaken,
    QuotaExceeded,
    RevisionNotFound,
    StoredFileNotFound,
    TooManyFiles,
)
from pilothouse.features.files.previews import SHOWN, check_previewable, text_preview
from pilothouse.features.files.routes.files import DOWNLOADED, PathQuery, cabinet_of, sent
from pilothouse.features.files.schemas import FileOut, FilesMove, FolderMove, FolderOut, FoldersOut, MovedOut
from pilothouse.features.files.sending import CSP

of_folders = Router("/api/workspace", tags=["files"])
Revision = Annotated[int, Path(ge=1, le=2**31 - 1)]
_MOVED = problems(FolderNotFound, FolderCycle, PathTaken, PathInvalid, TooManyFiles)


@of_folders.get("/folders")
@user
async def list_folders(read: Reader) -> FoldersOut:
    """The folders of the workspace. A folder is there while files lie below it."""
    return FoldersOut(items=[FolderOut.model_validate(folder) for folder in await folders.list_folders(read)])


@of_folders.post("/folders/move", responses=_MOVED)
@user
async def move_folder(ask: FolderMove, work: Writes) -> MovedOut:
    """Rename or move a folder with all that lies below it: everything, or nothing."""
    return MovedOut(files=await folders.move_folder(work, ask.path, ask.to))


@of_folders.delete("/folders", responses=problems(FolderNotFound, DeletionUnconfirmed, PathInvalid, TooManyFiles))
@user
async def delete_folder(work: Writes, path: PathQuery, confirm: bool = False) -> MovedOut:
    """Put all files below a folder into the trash. Without `confirm`, only says how many they are."""
    return MovedOut(files=await folders.delete_folder(work, path, confirm=confirm))


@of_folders.post("/move", responses=problems(StoredFileNotFound, PathTaken, PathInvalid))
@user
async def move_files(ask: FilesMove, work: Writes) -> MovedOut:
    """Put files into a folder: all of them, or none."""
    return MovedOut(files=len(await folders.move_files(work, ask.file_ids, ask.folder)))


@of_folders.get("/files/{file_id}/preview", responses=problems(StoredFileNotFound, NoPreview, FileCorrupt))
@user
async def preview_file(file_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """The first 64 KB of a text, as plain text."""
    file = await cabinet_of(request).find(actor.user_id, file_id)
    check_previewable(file)
    head = b"".join([chunk async for chunk in cabinet_of(request).chunks(file, 0, min(SHOWN, file.size_bytes))])
    headers = {"Cache-Control": "private, no-cache", "Content-Security-Policy": CSP}
    return Response(text_preview(head), media_type="text/plain", headers=headers)


@of_folders.get("/files/{file_id}/revisions/{revision}/download", response_class=Response, responses=DOWNLOADED)
@user
async def download_revision(
    file_id: PathId, revision: Revision, request: Request, actor: CurrentActor, inline: bool = False
) -> Response:
    """The bytes of a file as it was, of one of the revisions that `revisions` lists."""
    return await sent(request, await cabinet_of(request).find_revision(actor.user_id, file_id, revision), inline=inline)


@of_folders.post(
    "/files/{file_id}/revisions/{revision}/restore",
    responses=problems(StoredFileNotFound, RevisionNotFound, QuotaExceeded, FileCorrupt),
)
@user
async def restore_revision(file_id: PathId, revision: Revision, request: Request, actor: CurrentActor) -> FileOut:
    """Make a file what it was, as a new revision."""
    await cabinet_of(request).restore_revision(actor.user_id, file_id, revision)
    units: Units = request.app.state.units
    async with units.read(actor) as read:
        return FileOut.model_validate(await queries.get_file(read, file_id))
