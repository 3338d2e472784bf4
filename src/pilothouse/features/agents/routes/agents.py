"""Agents by HTTP, for the app and for programs with an API key."""

import re
from typing import Annotated

from fastapi import Path, Query, Request, Response

from pilothouse.base.http import Page, Paging, Reader, Writes, etag, problems, scope, seen_version, unchanged
from pilothouse.base.http.bodies import ID_PATTERN
from pilothouse.base.http.errors import PreconditionRequired, VersionConflict, VersionStale
from pilothouse.features.agents import editing, service, transfer
from pilothouse.features.agents.agent import AgentGraph, VersionGraph
from pilothouse.features.agents.errors import AgentInvalid, AgentNotFound, FormatUnsupported, VersionNotFound
from pilothouse.features.agents.installed import as_installed
from pilothouse.features.agents.routes.twins import Installed, TwinRouter
from pilothouse.features.agents.schemas import (
    MAX_VERSION,
    ActiveVersionIn,
    AgentDetail,
    AgentEdit,
    AgentIn,
    AgentOut,
    AgentSave,
    CoverageOut,
    DiffOut,
    EditOut,
    ImportIn,
    ImportOut,
    OpOut,
    PreviewOut,
    ReportOut,
    RollbackIn,
    ValidateAgentIn,
    ValidateIn,
    VersionDetail,
    VersionOut,
)
from pilothouse.graph.operations import OperationFailed
from pilothouse.kit.ids import AgentId

router = TwinRouter("/agents", tags=["agents"])


AgentPath = Annotated[AgentId, Path(pattern=ID_PATTERN, max_length=36, json_schema_extra={"format": "uuid"})]
VersionPath = Annotated[int, Path(ge=1, le=MAX_VERSION)]
VersionQuery = Annotated[int, Query(ge=1, le=MAX_VERSION)]
DiffFrom = Annotated[int, Query(alias="from", ge=1, le=MAX_VERSION)]
DiffTo = Annotated[int, Query(alias="to", ge=1, le=MAX_VERSION)]

_ABSENT = problems(AgentNotFound, VersionNotFound)
_CHANGES = (AgentNotFound, VersionStale, VersionConflict, PreconditionRequired, AgentInvalid)
_CHANGING = problems(*_CHANGES)
_UNCHANGED = {304: {"description": "The version that If-None-Match names is still the one."}, **_ABSENT}


def _detail(response: Response, found: AgentGraph) -> AgentDetail:
    response.headers["ETag"] = etag(found.version)
    return AgentDetail.model_validate(found)


@router.get("")
@scope("agents:read")
async def list_agents(read: Reader, paging: Paging) -> Page[AgentOut]:
    before = None if paging.after is None else str(paging.after)
    agents, cursor = paging.page(await service.list_agents(read, paging.fetch, before), lambda agent: agent.id)
    return Page(items=[AgentOut.model_validate(agent) for agent in agents], next_cursor=cursor)


@router.post("", status_code=201, responses=problems(AgentNotFound, VersionNotFound, AgentInvalid))
@scope("agents:write")
async def create_agent(ask: AgentIn, response: Response, work: Writes, installed: Installed) -> AgentDetail:
    origin = None if ask.forked_from is None else (ask.forked_from.agent_id, ask.forked_from.version)
    return _detail(response, await service.create_agent(work, installed, ask.graph, ask.note, forked_from=origin))


@router.post("/validate")
@scope("agents:read")
async def validate_document(ask: ValidateIn, read: Reader, installed: Installed) -> ReportOut:
    report = await service.validate_document(read, installed, ask.graph, ask.level, ask.inputs)
    return ReportOut.model_validate(report.to_json())


@router.post("/import", status_code=201, responses=problems(FormatUnsupported, AgentInvalid))
@scope("agents:write")
async def import_agent(ask: ImportIn, response: Response, work: Writes, installed: Installed) -> ImportOut:
    made = await transfer.import_agent(work, installed, ask.document)
    response.headers["ETag"] = etag(made.stored.version)
    report = CoverageOut.model_validate(made.coverage.to_json())
    return ImportOut(agent_id=made.stored.id, version=made.stored.version, report=report)


@router.post("/import/preview", responses=problems(FormatUnsupported, AgentInvalid))
@scope("agents:read")
async def preview_import(ask: ImportIn, read: Reader, installed: Installed) -> PreviewOut:
    made = await transfer.preview_import(read, installed, ask.document)
    report = CoverageOut.model_validate(made.coverage.to_json())
    return PreviewOut(name=made.name, description=made.description, report=report)


@router.get("/{agent_id}", response_model=AgentDetail, responses=_UNCHANGED)
@scope("agents:read")
async def get_agent(
    agent_id: AgentPath,
    request: Request,
    response: Response,
    read: Reader,
    installed: Installed,
    version: VersionQuery | None = None,
) -> AgentDetail | Response:
    found = as_installed(await service.get_agent(read, agent_id, version), installed)
    same = None if found.is_waiting else unchanged(request, found.version)
    return same or _detail(response, found)


@router.put("/{agent_id}", responses=_CHANGING)
@scope("agents:write")
async def save_agent(
    agent_id: AgentPath, ask: AgentSave, request: Request, response: Response, work: Writes, installed: Installed
) -> AgentDetail:
    seen = seen_version(request, ask.base_version)
    return _detail(response, await service.save_agent(work, installed, agent_id, ask.graph, seen, ask.note))


@router.patch("/{agent_id}", responses=problems(*_CHANGES, OperationFailed))
@scope("agents:write")
async def edit_agent(
    agent_id: AgentPath, ask: AgentEdit, request: Request, response: Response, work: Writes, installed: Installed
) -> EditOut:
    seen = seen_version(request, ask.base_version)
    edited = await editing.edit_agent(
        work, installed, agent_id, ask.ops, seen, save=ask.save, rebase=ask.rebase, note=ask.note
    )
    return EditOut(
        agent=_detail(response, edited.agent),
        saved=edited.saved,
        ops=[OpOut.model_validate(op) for op in edited.ops],
        nodes=dict(edited.nodes),
        report=ReportOut.model_validate(edited.report.to_json()),
    )


@router.delete("/{agent_id}", status_code=204, responses=_CHANGING)
@scope("agents:write")
async def delete_agent(agent_id: AgentPath, request: Request, work: Writes) -> None:
    await service.delete_agent(work, agent_id, seen_version(request))


@router.post("/{agent_id}/validate", responses=_ABSENT)
@scope("agents:read")
async def validate_agent(agent_id: AgentPath, ask: ValidateAgentIn, read: Reader, installed: Installed) -> ReportOut:
    report = await service.validate_agent(
        read, installed, agent_id, level=ask.level, version=ask.version, inputs=ask.inputs
    )
    return ReportOut.model_validate(report.to_json())


@router.get("/{agent_id}/versions", responses=_ABSENT)
@scope("agents:read")
async def list_versions(agent_id: AgentPath, read: Reader, paging: Paging) -> Page[VersionOut]:
    before = paging.after if isinstance(paging.after, int) else None
    found = await service.list_versions(read, agent_id, paging.fetch, before)
    versions, cursor = paging.page(found, lambda version: version.version)
    return Page(items=[VersionOut.model_validate(version) for version in versions], next_cursor=cursor)


@router.get("/{agent_id}/versions/{version}", response_model=VersionDetail, responses=_UNCHANGED)
@scope("agents:read")
async def get_version(
    agent_id: AgentPath, version: VersionPath, request: Request, response: Response, read: Reader
) -> VersionGraph | Response:
    found = await service.get_version(read, agent_id, version)
    response.headers["ETag"] = etag(version)
    return unchanged(request, version) or found


@router.get("/{agent_id}/diff", responses=_ABSENT)
@scope("agents:read")
async def diff_versions(
    agent_id: AgentPath,
    read: Reader,
    installed: Installed,
    from_version: DiffFrom,
    to_version: DiffTo,
    positions: bool = False,
) -> DiffOut:
    diff = await service.diff_versions(read, agent_id, from_version, to_version, positions=positions)
    operations = await service.operations_between_versions(
        read, installed, agent_id, from_version, to_version, positions=positions
    )
    return DiffOut(from_version=from_version, to_version=to_version, diff=diff, operations=operations)


@router.put("/{agent_id}/active-version", responses=_CHANGING)
@scope("agents:write")
async def set_active_version(
    agent_id: AgentPath, ask: ActiveVersionIn, request: Request, response: Response, work: Writes
) -> AgentDetail:
    seen = seen_version(request, ask.base_version)
    return _detail(response, await service.set_active_version(work, agent_id, ask.version, seen))


@router.post("/{agent_id}/rollback", responses=problems(AgentNotFound, VersionNotFound, AgentInvalid))
@scope("agents:write")
async def rollback_agent(
    agent_id: AgentPath, ask: RollbackIn, response: Response, work: Writes, installed: Installed
) -> AgentDetail:
    return _detail(response, await service.rollback_agent(work, installed, agent_id, ask.version, ask.note))


@router.get(
    "/{agent_id}/export",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "The canonical document."}, **_ABSENT},
)
@scope("agents:read")
async def export_agent(
    agent_id: AgentPath, read: Reader, installed: Installed, version: VersionQuery | None = None
) -> Response:
    file = await transfer.export_agent(read, installed, agent_id, version)
    headers = {"ETag": etag(file.version), "Content-Disposition": f'attachment; filename="{_file_name(file.name)}"'}
    return Response(file.text, media_type="application/json", headers=headers)


def _file_name(name: str) -> str:
    """Only characters that a header and every file system take."""
    return (re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60] or "agent") + ".json"
