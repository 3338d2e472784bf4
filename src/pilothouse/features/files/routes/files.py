"""Files by HTTP: for the app under `/api/workspace`, for programs with a key under `/api/v1`."""

from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from pilothouse.base.http import CurrentActor, Paging, PathId, Reader, Router, Writes, problems, scope, user
from pilothouse.base.work import Units
from pilothouse.features.files import queries, service
from pilothouse.features.files.cabinet import Cabinet, KeptFile, NewFile
from pilothouse.features.files.disposition import disposition, shown_type
from pilothouse.features.files.errors import (
    DiskNearlyFull,
    FileCorrupt,
    FileTooLarge,
    PathInvalid,
    PathTaken,
    QuotaExceeded,
    RangeUnsatisfiable,
    StoredFileNotFound,
    UploadBroken,
)
from pilothouse.features.files.models import StoredFile
from pilothouse.features.files.parcels import item_of, packed
from pilothouse.features.files.paths import MAX_PATH
from pilothouse.features.files.queries import FileFilter
from pilothouse.features.files.ranges import asked_span, is_tagged
from pilothouse.features.files.schemas import (
    FileOut,
    FilePage,
    FilePatch,
    ParcelOut,
    RevisionOut,
    RevisionsOut,
    UsageOut,
    ZipIn,
)
from pilothouse.features.files.sending import CSP, begun, sending

_UPLOAD_PROBLEMS = problems(UploadBroken, PathTaken, FileTooLarge, QuotaExceeded, PathInvalid, DiskNearlyFull)
DOWNLOADED: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file's bytes.", "content": {"application/octet-stream": {}}},
    206: {"description": "The range that was asked for.", "content": {"application/octet-stream": {}}},
    304: {"description": "It is still what If-None-Match names."},
    **problems(StoredFileNotFound, RangeUnsatisfiable, FileCorrupt),
}
_ZIPPED: dict[int | str, dict[str, Any]] = {
    200: {"description": "The zip, the one file, or the plan.", "content": {"application/zip": {}}},
    **problems(StoredFileNotFound, FileCorrupt),
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "description": "The file itself. Its media type counts as far as its content agrees.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
PathQuery = Annotated[str, Query(min_length=1, max_length=MAX_PATH)]


class FileRouter(Router):
    """Puts each route where the app finds it and where programs do."""

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        for door in ("/api/workspace/files", "/api/v1/files"):
            super().add_api_route(f"{door}{path}", endpoint, **options)


router = FileRouter(tags=["files"])
of_the_app = Router("/api/workspace", tags=["files"])


def cabinet_of(request: Request) -> Cabinet:
    return request.app.state.cabinet


@router.get("")
@scope("files:read")
async def list_files(
    request: Request,
    read: Reader,
    paging: Paging,
    folder: Annotated[str | None, Query(max_length=MAX_PATH)] = None,
    below: Annotated[str | None, Query(max_length=MAX_PATH)] = None,
    origin: Literal["upload", "run", "session"] | None = None,
    type: Annotated[str | None, Query(max_length=200)] = None,
    text: Annotated[str | None, Query(max_length=200)] = None,
    deleted: bool = False,
) -> FilePage:
    """Files, newest first, and how full the workspace is. `deleted` lists the trash instead."""
    which = FileFilter(folder, below, origin, type, text, deleted)
    before = None if paging.after is None else str(paging.after)
    rows, cursor = paging.page(await queries.page_of_files(read, which, paging.fetch, before), lambda row: row.id)
    items = [FileOut.model_validate(row) for row in rows]
    return FilePage(items=items, next_cursor=cursor, usage=await _usage(request, read))


@router.post("", status_code=201, responses=_UPLOAD_PROBLEMS, openapi_extra=_BODY)
@scope("files:write")
async def upload_file(request: Request, actor: CurrentActor, path: PathQuery, overwrite: bool = False) -> FileOut:
    """Store the request's body as a file. It is there with all its bytes, or not at all."""
    length = request.headers.get("content-length")
    size = int(length) if length is not None and length.isdigit() else None
    ask = NewFile(path, "upload", request.headers.get("content-type"), overwrite, size)
    file_id = await cabinet_of(request).put(actor.user_id, ask, _body(request))
    units: Units = request.app.state.units
    async with units.read(actor) as read:
        return FileOut.model_validate(await queries.get_file(read, file_id))


async def _body(request: Request) -> AsyncGenerator[bytes]:
    try:
        async for chunk in request.stream():
            yield chunk
    except ClientDisconnect as error:
        raise UploadBroken from error


@router.get("/{file_id}", response_model=FileOut, responses=problems(StoredFileNotFound))
@scope("files:read")
async def get_file(file_id: PathId, read: Reader) -> StoredFile:
    """What is known of a file."""
    return await queries.get_file(read, file_id)


@router.delete("/{file_id}", status_code=204, responses=problems(StoredFileNotFound))
@scope("files:write")
async def delete_file(file_id: PathId, work: Writes) -> None:
    """Put a file into the trash, where it is kept for 30 days."""
    await service.delete_file(work, file_id)


@router.get("/{file_id}/download", response_class=Response, responses=DOWNLOADED)
@scope("files:read")
async def download_file(file_id: PathId, request: Request, actor: CurrentActor, inline: bool = False) -> Response:
    """The bytes of a file, to be saved. `inline` lets a browser show it, if it is of a kind that cannot run."""
    file = await cabinet_of(request).find(actor.user_id, file_id)
    return await sent(request, file, inline=inline)


async def sent(request: Request, file: KeptFile, *, inline: bool) -> Response:
    """The answer to whoever may have this file."""
    tag = f'"{file.sha256}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Content-Security-Policy": CSP}
    if is_tagged(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    shown = shown_type(file.mime_type) if inline and not file.type_mismatch else None
    headers["Content-Disposition"] = disposition(file.name, inline=shown is not None)
    headers["Content-Type"] = shown or file.mime_type
    headers["Accept-Ranges"] = "bytes"
    asked = request.headers.get("range") if request.headers.get("if-range", tag) == tag else None
    span = asked_span(asked, file.size_bytes)
    start, end = span or (0, file.size_bytes)
    headers["Content-Length"] = str(end - start)
    if span is not None:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{file.size_bytes}"
    chunks = await begun(cabinet_of(request).chunks(file, start, end))
    return StreamingResponse(chunks, 200 if span is None else 206, headers)


@of_the_app.patch(
    "/files/{file_id}", response_model=FileOut, responses=problems(StoredFileNotFound, PathTaken, PathInvalid)
)
@user
async def move_file(file_id: PathId, ask: FilePatch, work: Writes) -> StoredFile:
    """Give a file another path. Its id stays."""
    return await service.move_file(work, file_id, ask.path)


@of_the_app.post(
    "/files/{file_id}/restore", response_model=FileOut, responses=problems(StoredFileNotFound, PathTaken, QuotaExceeded)
)
@user
async def restore_file(file_id: PathId, request: Request, work: Writes) -> StoredFile:
    """Take a file out of the trash."""
    return await service.restore_file(work, file_id, cabinet_of(request).limits)


@of_the_app.get("/files/{file_id}/revisions", responses=problems(StoredFileNotFound))
@user
async def list_revisions(file_id: PathId, read: Reader) -> RevisionsOut:
    """What a file was before, newest first; the last 20 are kept."""
    await queries.get_file(read, file_id)
    return RevisionsOut(items=[RevisionOut.model_validate(row) for row in await queries.list_revisions(read, file_id)])


@of_the_app.post("/zip", response_model=ParcelOut, responses=_ZIPPED)
@user
async def zip_files(request: Request, actor: CurrentActor, ask: ZipIn, plan: bool = False) -> Response | ParcelOut:
    """Several files as one zip, made while it is sent; one as itself. `plan` only tells what would be left out."""
    cabinet = cabinet_of(request)
    wanted = dict.fromkeys(ask.file_ids)
    found = await cabinet.find_many(actor.user_id, [*wanted])
    if len(found) < len(wanted):
        raise StoredFileNotFound
    parcel = packed([item_of(file) for file in found], cabinet.limits)
    if plan:
        return ParcelOut.of(parcel)
    going = await sending(cabinet, parcel, "files.zip")
    return StreamingResponse(going.chunks, 200, going.headers)


@of_the_app.get("/usage")
@user
async def get_workspace_usage(request: Request, read: Reader) -> UsageOut:
    """How full the workspace is."""
    return await _usage(request, read)


async def _usage(request: Request, read: Reader) -> UsageOut:
    limits = cabinet_of(request).limits
    used = await queries.get_usage(read)
    return UsageOut(**used._asdict(), limit_bytes=limits.quota_bytes, max_file_bytes=limits.max_file_bytes)
