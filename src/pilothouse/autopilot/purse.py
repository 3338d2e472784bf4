"""What may still be spent, asked before every model call: a limit is overshot by one call at most."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

from pilothouse.autopilot.models import Chosen
from pilothouse.autopilot.usage import has_price
from pilothouse.features.models import BudgetExceeded, PriceUnknown, Spending
from pilothouse.kit.errors import PilothouseError

CEILING: Final = "This turn has cost as much as one turn may."


class Refusal(NamedTuple):
    """The code and the words with which the turn ends."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Purse:
    """One per process. Without `spending` nothing is limited."""

    spending: Spending | None = None

    async def refusal(self, user_id: str, spent: int, chosen: Chosen, *, unpriced: bool = False) -> Refusal | None:
        """Why this call may not be made; `spent` is what the turn has cost. A failing read fails the call.

        `unpriced`: what a call before this one has cost turned out to be unknown.
        """
        if self.spending is None or not self.spending.limits.any_set:
            return None
        limits = self.spending.limits
        if limits.per_turn and spent >= limits.per_turn:
            return Refusal(BudgetExceeded.code_of(), CEILING)
        if unpriced or not has_price(chosen):
            return Refusal(PriceUnknown.code_of(), PriceUnknown().message)
        try:
            await self.spending.check(user_id)
        except BudgetExceeded as exceeded:
            return Refusal(exceeded.code, f"{exceeded.message} It starts anew at {exceeded.facts['resets_at']}.")
        return None

    async def given_up(self, turn_id: str, told: Collection[str]) -> dict[str, int]:
        """What calls of earlier claims have cost that the session's log does not tell of: they gave nothing."""
        if self.spending is None or not self.spending.limits.per_turn:
            return {}
        paid = await self.spending.of_job(turn_id)
        return {call_id: cost for call_id, cost in paid.items() if call_id not in told}

    async def refusal_of_next(self, user_id: str) -> Refusal | None:
        """Why no further turn may begin by itself; where that cannot be found out, none may."""
        if self.spending is None:
            return None
        try:
            await self.spending.check(user_id)
        except PilothouseError as error:
            return Refusal(error.code, f"What still waits was not answered. {error.message}")
        return None
