"""AutoPilot's door to files. A relative path lies in the session's own folder, one that begins with `/` in the user's
workspace.
"""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import AsyncGenerator
from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, Field, StringConstraints

from pilothouse.base.tools import Effect, InvalidArguments, ToolBox, ToolContext, ToolResult
from pilothouse.features.files import queries, service
from pilothouse.features.files.cabinet import Cabinet, KeptFile, NewFile
from pilothouse.features.files.errors import FileTooLarge
from pilothouse.features.files.paths import checked_parts, checked_place, session_folder
from pilothouse.features.files.queries import FileFilter
from pilothouse.kit.ids import child_id
from pilothouse.kit.json import fitting

tools = ToolBox()

MAX_INLINE = 32 * 1024
MAX_LENGTH = 50_000
MAX_JSON = 65_000  # characters of the JSON in which a part is told: models are shown 70,000 at most
MAX_TEXT_FILE = 16 * 1024 * 1024

Whole = Annotated[str, StringConstraints(strip_whitespace=False)]  # a file may end in a line's end
FileId = Annotated[str | None, Field(description="A file's id; else give its path.")]
FilePath = Annotated[
    str | None, Field(max_length=1024, description="`notes.md` of this session, `/notes.md` of the workspace.")
]


class _Facts(TypedDict):
    file_id: str
    name: str
    path: str
    mime_type: str
    size_bytes: int
    download_url: str


class FileFacts(BaseModel):
    """A file."""

    file_id: str
    name: str
    path: str
    mime_type: str
    size_bytes: int
    download_url: str


class WorkspaceFileContent(ToolResult, FileFacts):
    """What a file holds, or a part of it."""

    type: Literal["workspace_file_content"] = "workspace_file_content"
    content: str
    truncated: bool
    next_offset: int | None


class WorkspaceFileMetadata(ToolResult, FileFacts):
    """A file that is too large to be shown at once, or no text."""

    type: Literal["workspace_file_metadata"] = "workspace_file_metadata"


class WorkspaceFileWritten(ToolResult, FileFacts):
    """A file that was written."""

    type: Literal["workspace_file_written"] = "workspace_file_written"
    revision: int


class WorkspaceFileDeleted(ToolResult):
    """A file that is in the trash now."""

    type: Literal["workspace_file_deleted"] = "workspace_file_deleted"
    file_id: str
    path: str


class WorkspaceFileList(ToolResult):
    """Files, newest first."""

    type: Literal["workspace_file_list"] = "workspace_file_list"
    files: list[dict[str, str | int]]
    truncated: bool


@tools.tool(label="Listing files")
async def list_workspace_files(
    ctx: ToolContext,
    path_prefix: Annotated[str, Field(max_length=1024, description="A folder; empty for all.")] = "",
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
    include_all_sessions: Annotated[bool, Field(description="Also files of other sessions and of runs.")] = False,
) -> ToolResult:
    """List the files of this session and of the user's workspace, newest first."""
    below = None
    if path_prefix:
        whole = path_prefix if path_prefix.startswith("/") else f"{session_folder(ctx.session_id)}/{path_prefix}"
        below = "/" + "/".join(checked_parts(whole.rstrip("/") or "/"))
    which = FileFilter(below=below, session_id=None if include_all_sessions else ctx.session_id)
    async with ctx.read() as read:
        rows = await queries.page_of_files(read, which, limit + 1, None)
    files: list[dict[str, str | int]] = [
        {
            "file_id": row.id,
            "name": row.name,
            "path": row.path,
            "mime_type": row.mime_type,
            "size_bytes": row.size_bytes,
        }
        for row in rows[:limit]
    ]
    told = "There are no files." if not files else f"{len(files)} files."
    return WorkspaceFileList(message=told, files=files, truncated=len(rows) > limit)


@tools.tool(label="Reading a file")
async def read_workspace_file(
    ctx: ToolContext,
    file_id: FileId = None,
    path: FilePath = None,
    offset: Annotated[int, Field(ge=0, description="Characters to leave out at the beginning.")] = 0,
    length: Annotated[int, Field(ge=1, le=MAX_LENGTH, description="Characters to read.")] = MAX_LENGTH,
) -> ToolResult:
    """Read a text file. A file over 32 KB is described first; read it in parts with `offset` and `length`."""
    cabinet = ctx.part(Cabinet)
    file = await _named(ctx, file_id, path)
    text = None if file.type_mismatch else await _text(cabinet, file)
    asked_for_part = offset > 0 or length < MAX_LENGTH
    if text is None or (file.size_bytes > MAX_INLINE and not asked_for_part):
        why = "It is no text." if text is None else "It is large: read it in parts with offset and length."
        return WorkspaceFileMetadata(message=f"{file.name}, {file.size_bytes} bytes. {why}", **_facts(file))
    content = fitting(text[offset : offset + length], MAX_JSON)
    end = offset + len(content)
    more = end < len(text)
    told = f"{file.name}, characters {offset} to {end} of {len(text)}."
    return WorkspaceFileContent(
        message=told, content=content, truncated=more, next_offset=end if more else None, **_facts(file)
    )


@tools.tool(label="Writing a file", effect=Effect.WRITE)
async def write_workspace_file(
    ctx: ToolContext,
    path: Annotated[str, Field(min_length=1, max_length=1024, description="`notes.md`, or `/notes.md` to keep it.")],
    content: Annotated[Whole | None, Field(description="The text of the file.")] = None,
    content_base64: Annotated[str | None, Field(description="Its bytes, for what is no text.")] = None,
    mime_type: Annotated[str | None, Field(max_length=200)] = None,
    overwrite: Annotated[bool, Field(description="Give a file that is there a new revision.")] = False,
) -> ToolResult:
    """Write a file. It lies in this session's folder, or, with a path that begins with `/`, in the workspace."""
    given = _given(content, content_base64)
    own_id = child_id(ctx.turn_id, f"file/{ctx.idempotency_key}")  # made again, it is the same file
    ask = NewFile(path, "session", mime_type, overwrite, len(given), session_folder(ctx.session_id), own_id)
    cabinet = ctx.part(Cabinet)
    file_id = await cabinet.put(ctx.actor.user_id, ask, _whole(given))
    file = await cabinet.find(ctx.actor.user_id, file_id)
    return WorkspaceFileWritten(message=f"{file.path} was written.", revision=file.revision, **_facts(file))


@tools.tool(label="Deleting a file", effect=Effect.WRITE)
async def delete_workspace_file(ctx: ToolContext, file_id: FileId = None, path: FilePath = None) -> ToolResult:
    """Put a file into the trash, from where the user can take it back for 30 days."""
    file = await _named(ctx, file_id, path)
    async with ctx.write() as work:
        await service.delete_file(work, file.id)
    return WorkspaceFileDeleted(message=f"{file.path} is in the trash.", file_id=file.id, path=file.path)


async def _named(ctx: ToolContext, file_id: str | None, path: str | None) -> KeptFile:
    cabinet, user_id = ctx.part(Cabinet), ctx.actor.user_id
    if (file_id is None) == (path is None):
        raise InvalidArguments("Give a file_id or a path.")
    if file_id is not None:
        return await cabinet.find(user_id, file_id)
    return await cabinet.find_at(user_id, checked_place(path or "", session_folder(ctx.session_id)))


async def _text(cabinet: Cabinet, file: KeptFile) -> str | None:
    try:
        return (await cabinet.read(file, MAX_TEXT_FILE)).decode("utf-8-sig")
    except (FileTooLarge, UnicodeDecodeError):
        return None


def _given(content: str | None, content_base64: str | None) -> bytes:
    if (content is None) == (content_base64 is None):
        raise InvalidArguments("Give content or content_base64.")
    try:
        return b64decode(content_base64, validate=True) if content_base64 is not None else (content or "").encode()
    except (NotBase64, ValueError):
        raise InvalidArguments("content_base64 is not base64.") from None


def _facts(file: KeptFile) -> _Facts:
    return {
        "file_id": file.id,
        "name": file.name,
        "path": file.path,
        "mime_type": file.mime_type,
        "size_bytes": file.size_bytes,
        "download_url": f"/api/workspace/files/{file.id}/download",
    }


async def _whole(content: bytes) -> AsyncGenerator[bytes]:
    yield content
