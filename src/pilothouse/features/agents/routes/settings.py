"""An agent's settings by HTTP."""

from typing import Annotated

from fastapi import Depends, Path, Request

from pilothouse.base.http import In, Out, Reader, Writes, problems, scope
from pilothouse.base.http.bodies import ID_PATTERN
from pilothouse.features.agents import settings
from pilothouse.features.agents.errors import AgentNotFound
from pilothouse.features.agents.routes.twins import TwinRouter
from pilothouse.features.agents.settings import FindBuilderChat
from pilothouse.kit.ids import AgentId

router = TwinRouter("/agents", tags=["agents"])

AgentPath = Annotated[AgentId, Path(pattern=ID_PATTERN, max_length=36, json_schema_extra={"format": "uuid"})]


async def _builder_chat(request: Request) -> FindBuilderChat:
    return request.app.state.builder_chat


BuilderChat = Annotated[FindBuilderChat, Depends(_builder_chat)]


class AgentSettingsIn(In):
    """What to change; what is left out stays."""

    review_required: bool | None = None
    review_sensitive: bool | None = None


class AgentSettingsOut(Out):
    """Whether review blocks ask a person, whether every block that is marked as sensitive does, and the chat session
    in which its owner builds it, if there is one.
    """

    review_required: bool
    review_sensitive: bool
    builder_chat_session_id: str | None


@router.get("/{agent_id}/settings", response_model=AgentSettingsOut, responses=problems(AgentNotFound))
@scope("agents:read")
async def get_agent_settings(agent_id: AgentPath, read: Reader, builder_chat: BuilderChat) -> settings.AgentSettings:
    return await settings.get_agent_settings(read, agent_id, builder_chat=builder_chat)


@router.patch("/{agent_id}/settings", response_model=AgentSettingsOut, responses=problems(AgentNotFound))
@scope("agents:write")
async def change_agent_settings(
    agent_id: AgentPath, ask: AgentSettingsIn, work: Writes, builder_chat: BuilderChat
) -> settings.AgentSettings:
    return await settings.change_agent_settings(
        work,
        agent_id,
        review_required=ask.review_required,
        review_sensitive=ask.review_sensitive,
        builder_chat=builder_chat,
    )
