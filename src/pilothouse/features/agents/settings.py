"""What its owner wants of an agent's runs, whatever the version. To live on the library entry."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from pilothouse.base.work import Read, Work
from pilothouse.features.agents import queries
from pilothouse.features.agents.events import AgentSettingsChanged
from pilothouse.features.agents.models import AgentRow
from pilothouse.kit.ids import AgentId

# The chat session that the actor builds this agent in. It is asked for, not kept: there is no pointer to go stale.
FindBuilderChat: TypeAlias = Callable[[Read, str], Awaitable[str | None]]


async def _no_chat(read: Read, agent_id: str) -> None:
    """Where nobody chats."""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Whom its runs ask before they go on, and where it is built."""

    review_required: bool  # review blocks ask a person
    review_sensitive: bool  # so does every block that is marked as sensitive
    builder_chat_session_id: str | None


async def get_agent_settings(
    read: Read, agent_id: AgentId, *, builder_chat: FindBuilderChat = _no_chat
) -> AgentSettings:
    agent = await queries.find_agent(read, agent_id)
    return _settings_of(agent, await builder_chat(read, agent.id))


async def change_agent_settings(
    work: Work,
    agent_id: AgentId,
    *,
    review_required: bool | None = None,
    review_sensitive: bool | None = None,
    builder_chat: FindBuilderChat = _no_chat,
) -> AgentSettings:
    """Set what is given; runs that have begun keep to what they began with."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    if review_required is not None:
        agent.review_required = review_required
    if review_sensitive is not None:
        agent.review_sensitive = review_sensitive
    await work.emit(AgentSettingsChanged(agent.id, agent.user_id))
    return _settings_of(agent, await builder_chat(work, agent.id))


async def mark_favourite(work: Work, agent_id: AgentId, *, favourite: bool) -> None:
    """Put an agent among its owner's favourites, or take it out; its runs and versions know nothing of it."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    agent.favourite = favourite


def _settings_of(agent: AgentRow, chat_id: str | None) -> AgentSettings:
    return AgentSettings(agent.review_required, agent.review_sensitive, chat_id)
