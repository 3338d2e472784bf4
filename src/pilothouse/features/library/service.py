"""What people do with their library. Every door calls these."""

from pilothouse.base.work import Work
from pilothouse.features import agents
from pilothouse.features.library.entry import Entry
from pilothouse.features.library.queries import get_entry
from pilothouse.kit.ids import AgentId


async def change_entry(work: Work, agent_id: AgentId, *, favourite: bool | None = None) -> Entry:
    """Set what is given. Raises `AgentNotFound`."""
    if favourite is not None:
        await agents.mark_favourite(work, agent_id, favourite=favourite)
        await work.session.flush()  # the entry is read by a statement of our own, which sees only what is written
    return await get_entry(work, agent_id)
