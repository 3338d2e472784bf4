"""An agent's settings by HTTP."""

from typing import Annotated

from fastapi import Path

from pilothouse.base.http import In, Out, Reader, Writes, problems, scope
from pilothouse.base.http.bodies import ID_PATTERN
from pilothouse.features.agents import settings
from pilothouse.features.agents.errors import AgentNotFound
from pilothouse.features.agents.routes.twins import TwinRouter
from pilothouse.kit.ids import AgentId

router = TwinRouter("/agents", tags=["agents"])

AgentPath = Annotated[AgentId, Path(pattern=ID_PATTERN, max_length=36, json_schema_extra={"format": "uuid"})]


class AgentSettingsIn(In):
    """What to change; what is left out stays."""

    review_required: bool | None = None
    review_sensitive: bool | None = None


class AgentSettingsOut(Out):
    """Whether review blocks ask a person, and whether every block that is marked as sensitive does."""

    review_required: bool
    review_sensitive: bool


@router.get("/{agent_id}/settings", response_model=AgentSettingsOut, responses=problems(AgentNotFound))
@scope("agents:read")
async def get_agent_settings(agent_id: AgentPath, read: Reader) -> settings.AgentSettings:
    return await settings.get_agent_settings(read, agent_id)


@router.patch("/{agent_id}/settings", response_model=AgentSettingsOut, responses=problems(AgentNotFound))
@scope("agents:write")
async def change_agent_settings(agent_id: AgentPath, ask: AgentSettingsIn, work: Writes) -> settings.AgentSettings:
    return await settings.change_agent_settings(
        work, agent_id, review_required=ask.review_required, review_sensitive=ask.review_sensitive
    )
