"""The model that steps of runs may ask, without a model library in processes where none does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from pilothouse.app.turns import load_autopilot
from pilothouse.base.committer import Committer
from pilothouse.features.models import ModelUnavailable, Spending, Stockroom, resolve_chat_model
from pilothouse.features.runs import ModelAsk

Answer: TypeAlias = Callable[[ModelAsk], Awaitable[str]]


@dataclass(slots=True)
class HouseModel:
    """One per process."""

    stockroom: Stockroom
    spending: Spending
    committer: Committer
    _answer: Answer | None = field(default=None)

    async def is_there(self, user_id: str) -> bool:
        try:
            return resolve_chat_model(await self.stockroom.stock_of(user_id), "fast").connection is not None
        except ModelUnavailable:
            return False

    async def answer(self, ask: ModelAsk) -> str:
        found = self._answer
        if found is None:
            autopilot = await asyncio.to_thread(load_autopilot)
            found = self._answer = autopilot.open_asking(self.stockroom, self.spending, self.committer)
        return await found(ask)
