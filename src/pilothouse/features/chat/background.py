"""A session's background work, as its tools see it. What runs in this very process is known to the turn alone."""

from abc import ABC, abstractmethod

from pilothouse.base.deferred import Deferred
from pilothouse.base.reader import Reader
from pilothouse.base.tools import Outcome, ToolContext
from pilothouse.features.chat.writes.parking import COLUMNS, Parked, parked_of


class Background(ABC):
    """One per claim of a turn; AutoPilot hands it to the tools."""

    @abstractmethod
    async def ended(self, ctx: ToolContext, work: Parked, seconds: float) -> Outcome | None:
        """What the work gave, if it has ended; local work is waited for so long."""

    @abstractmethod
    def waits_for(self, work: Parked) -> Deferred | None:
        """The job whose end is the work's; None for local work."""

    @abstractmethod
    async def stop(self, ctx: ToolContext, work: Parked) -> bool:
        """Cancel it; answers False when it ended first."""

    @abstractmethod
    async def take(self, ctx: ToolContext, work: Parked) -> bool:
        """Give the result to this call, and to no other."""


async def list_parked(reader: Reader, session_id: str, key: str) -> list[Parked]:
    """What is there for this call, oldest first: finished work that nobody has read included."""
    rows = await reader.rows(
        f"select {COLUMNS} from chat_background where session_id=?1 and (taken_by is null or taken_by=?2)"
        " order by started_at, id",
        session_id,
        key,
    )
    return [parked_of(row) for row in rows]
