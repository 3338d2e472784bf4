"""Makes room in a conversation that outgrows its model: asks for a summary, or cuts one, and logs it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Final

import structlog
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from pilothouse.autopilot.compaction import (
    SUMMARISE,
    SUMMARY_SECONDS,
    Plan,
    budget_of,
    clipped,
    last_compaction,
    plan_on_overflow,
    plan_when_full,
    reported,
    size_of,
    tokens,
    transcript,
    truncated,
    up_to,
    weight,
)
from pilothouse.autopilot.faults import require_whole
from pilothouse.autopilot.halves import mended
from pilothouse.autopilot.hearing import hear
from pilothouse.autopilot.history import model_messages
from pilothouse.autopilot.manner import plain_manner
from pilothouse.autopilot.models import Chosen
from pilothouse.autopilot.purse import Purse, Refusal
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.usage import Absence, Call, usage_of
from pilothouse.autopilot.windows import window_of
from pilothouse.base.egress import EgressDenied
from pilothouse.base.jobs.moves import micros
from pilothouse.base.tools import Tool
from pilothouse.features.chat import Event, events
from pilothouse.features.models import CostRow, insert_cost, worth_a_row
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dumps

log = structlog.get_logger()

READ_SHARE: Final = 0.5  # of the window, that a summary is made from


@dataclass(slots=True)
class Room:
    """One per claim of a turn. The whole is counted once per leg; from then on only what is added."""

    record: TurnRecord
    chosen: Chosen
    message_event: int  # of the message that the turn answers: it and all that follows stays word for word
    told_window: int | None  # by the settings
    overhead: int  # tokens of the prompt and the tools
    heard: Callable[[], None]
    seconds: float = SUMMARY_SECONDS
    purse: Purse = field(default_factory=Purse)
    absence: Absence = field(default_factory=Absence)  # of the whole turn: of its rounds and its title too
    abandoned: dict[str, int] = field(default_factory=dict[str, int])  # microdollars, by call that gave nothing
    _counted: int = 0  # events that are in `_size`
    _size: int = 0

    @property
    def window(self) -> int:
        """Of the model that answers now: a fallback may read less."""
        return window_of(self.chosen.slug, self.told_window)

    def count(self) -> int:
        """Tokens of the next call, by our count or the provider's."""
        self._counted, self._size = len(self.record.events), self.overhead + size_of(self.record.messages())
        return max(self._size, reported(self.record.events, self.record.turn_id))

    def estimate(self) -> int:
        """The same, from the last count and what was added since: a turn has many rounds."""
        self._size += sum(map(weight, self.record.events[self._counted :]))
        self._counted = len(self.record.events)
        return max(self._size, reported(self.record.events, self.record.turn_id))

    def plan(self, size: int | None = None) -> Plan | None:
        """What is to be done before the next call, if anything."""
        if self.chosen.is_offline:  # it reads everything, whatever the length
            return None
        known = self.estimate() if size is None else size
        return plan_when_full(self.record.events, self.message_event, known, self.window)

    async def refusal(self) -> Refusal | None:
        """Why the model may not be asked now: too little money is left."""
        record, spent = self.record, self.record.spent + sum(self.abandoned.values())
        return await self.purse.refusal(record.log.place.user_id, spent, self.chosen, unpriced=record.unpriced)

    async def make_if_full(self) -> None:
        if (plan := self.plan(self.count())) is not None:
            await self._compact(plan)
            self.count()

    async def make_after_overflow(self) -> bool:
        """Answers whether it makes sense to ask the model again."""
        size = self.overhead + size_of(self.record.messages())
        plan = plan_on_overflow(self.record.events, self.message_event, size, self.record.turn_id)
        if plan is not None:
            await self._compact(plan)
        return plan is not None

    async def _compact(self, plan: Plan) -> None:
        before, own = self.count(), (self.record.turn_id, self.record.readable_rounds)
        log_now = self.record.events
        kept = [event for event in log_now if event.id == 0 or event.id > plan.up_to_event]
        budget = budget_of(plan, self.overhead + size_of(model_messages(kept, *own)))
        summary = clipped(await self._summary(plan, budget), budget)
        draft = events.compaction(plan.up_to_event, summary, before, 0, plan.target, self.overhead)
        made = Event(0, draft.type, self.record.turn_id, 0, draft.data)
        after = self.overhead + size_of(model_messages([*log_now, made], *own))
        self.record.add(draft._replace(data=draft.data | {"tokens_after": after}))
        await self.record.log.barrier()
        log.info("turn.compacted", turn_id=self.record.turn_id, before=before, after=after, target=plan.target)

    async def _summary(self, plan: Plan, budget: int) -> str:
        """By the model, else cut by rule. What was summed up before is not summed up anew, only made shorter."""
        last = last_compaction(self.record.events)
        if last is not None and up_to(last) == plan.up_to_event:
            return str(last.data["summary"])
        earlier = [event for event in self.record.events if 0 < event.id <= plan.up_to_event]
        lines = transcript(model_messages(earlier, "", []))
        if not lines:
            return ""
        asked = truncated(lines, int(self.window * READ_SHARE))
        return await self._ask(asked) or truncated(lines, budget)

    async def _ask(self, conversation: str) -> str:
        """Empty when the model may not be asked, fails, is too slow or has nothing to say."""
        if self.chosen.is_offline or await self.refusal() is not None:
            return ""
        prompt = f"<conversation_history>{escape(conversation, quote=False)}</conversation_history>"
        try:
            async with asyncio.timeout(self.seconds):
                response = await self._response([ModelRequest(parts=[UserPromptPart(prompt)], instructions=SUMMARISE)])
            require_whole(response)
        except (AgentRunError, UserError, EgressDenied, TimeoutError) as error:
            log.warning("turn.not_summed_up", turn_id=self.record.turn_id, error=type(error).__name__)
            return ""
        return mended("".join(part.content for part in response.parts if isinstance(part, TextPart))).strip()

    def _keep_cost(self, row: CostRow) -> None:
        """With the compaction, in one commit: a call for a summary is paid like any other, also one that broke off."""
        record = self.record
        record.log.add_tokens(row.prompt_tokens + row.cache_read_tokens + row.cache_write_tokens, row.completion_tokens)
        if worth_a_row(row):
            record.log.write_also(insert_cost(row))
        record.add(usage_of(row))

    async def _response(self, asked: list[ModelMessage]) -> ModelResponse:
        record, manner = self.record, plain_manner(self.chosen.connection)
        call = Call(record.log.place.user_id, record.turn_id, record.step, micros(), new_id())
        return await hear(self.chosen, asked, manner, call, self._keep_cost, absence=self.absence, heard=self.heard)


@cache
def tool_tokens(tool: Tool) -> int:
    """What it takes to tell a model of a tool."""
    return tokens(tool.name + tool.description + dumps(tool.schema))
