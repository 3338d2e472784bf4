"""One question to the model that chats, outside of any conversation."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from pilothouse.autopilot.faults import fault_of, require_whole
from pilothouse.autopilot.hearing import Note, hear
from pilothouse.autopilot.models import Chosen, Models
from pilothouse.autopilot.purse import Purse
from pilothouse.autopilot.usage import Absence, Call
from pilothouse.base.jobs.moves import micros
from pilothouse.features.models import BudgetExceeded, CostRow, ModelUnavailable, PriceUnknown, worth_a_row
from pilothouse.features.runs import ModelAsk
from pilothouse.kit.errors import UpstreamError, UpstreamRefused, UpstreamTimeout

ANSWER_SECONDS: Final = 120.0
Pay: TypeAlias = Callable[[CostRow], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asking:
    """One per process that works."""

    models: Models
    pay: Pay
    purse: Purse = field(default_factory=Purse)
    seconds: float = ANSWER_SECONDS

    async def answer(self, ask: ModelAsk) -> str:
        """The model's words. Raises `ModelUnavailable`, `BudgetExceeded`, `PriceUnknown`, `UpstreamError`."""
        chosen = await self.models.choose(ask.user_id, "fast")
        if chosen.is_offline:
            raise ModelUnavailable("No model is connected.")
        if (refusal := await self.purse.refusal(ask.user_id, 0, chosen)) is not None:
            raise (PriceUnknown if refusal.code == PriceUnknown.code_of() else BudgetExceeded)(refusal.message)
        paid: list[CostRow] = []
        try:
            response = await self._response(chosen, ask, paid.append)
        finally:  # also for an answer that broke off, or that nobody waits for any more
            for row in filter(worth_a_row, paid):
                await self.pay(row)
        _require_whole(response)
        return "".join(part.content for part in response.parts if isinstance(part, TextPart))

    async def _response(self, chosen: Chosen, ask: ModelAsk, note: Note) -> ModelResponse:
        """Judged by what kind of failure it is; nothing that the provider said is passed on."""
        instructions = ask.instructions.strip() or None  # an empty one would be marked for the cache, and refused
        asked: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(ask.text)], instructions=instructions)]
        call = Call(ask.user_id, ask.run_id, ask.step_id, micros(), f"ask{ask.attempt}")
        try:
            async with asyncio.timeout(self.seconds):
                return await hear(chosen, asked, chosen.settings, call, note, absence=Absence())
        except TimeoutError:
            raise UpstreamTimeout("The model took too long.") from None
        except UserError:
            raise ModelUnavailable from None
        except AgentRunError as error:
            raise _failure(error) from None


def _require_whole(response: ModelResponse) -> None:
    try:
        require_whole(response)
    except AgentRunError as error:
        raise _failure(error) from None


def _failure(error: AgentRunError) -> UpstreamError:
    fault = fault_of(error)
    return (UpstreamError if fault.transient else UpstreamRefused)(fault.message)
