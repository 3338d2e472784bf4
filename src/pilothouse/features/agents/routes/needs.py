"""What an agent needs before it can run, by HTTP."""

from pilothouse.base.http import Out, Reader, problems, scope
from pilothouse.features.agents import needs
from pilothouse.features.agents.errors import AgentNotFound, VersionNotFound
from pilothouse.features.agents.routes.agents import AgentPath, VersionQuery
from pilothouse.features.agents.routes.twins import Installed, TwinRouter

router = TwinRouter("/agents", tags=["agents"])


class CredentialNeedOut(Out):
    """One choice to make: a credential of one of these providers and types, sent to the run under `key`."""

    key: str
    providers: list[str]
    types: list[str]
    scopes: list[str]
    required: bool
    nodes: list[str]


class CredentialNeedsOut(Out):
    items: list[CredentialNeedOut]


@router.get("/{agent_id}/needs", responses=problems(AgentNotFound, VersionNotFound))
@scope("agents:read")
async def list_needs(
    agent_id: AgentPath, read: Reader, installed: Installed, version: VersionQuery | None = None
) -> CredentialNeedsOut:
    """The credentials that a run of it must be given, each need once."""
    found = await needs.list_needs(read, installed, agent_id, version)
    return CredentialNeedsOut(items=[CredentialNeedOut.model_validate(need) for need in found])
