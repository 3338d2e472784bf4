"""The rounds of a turn: the model, its tools, the model again; from wherever the log says that the turn stands."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import structlog
from pydantic_ai import Agent, CallToolsNode, ModelRequestNode, RunContext
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.result import AgentStream
from pydantic_ai.run import AgentRun
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from pilothouse.autopilot.abandoned import abandoned_row, kept_row, lost_row
from pilothouse.autopilot.answering import answer_calls, refuse_calls, require_lease
from pilothouse.autopilot.attachments import look_at_files, unnamed_files
from pilothouse.autopilot.breakers import tripped
from pilothouse.autopilot.ends import End, Failed
from pilothouse.autopilot.faults import (
    ATTEMPTS,
    FALLS_BACK,
    OF_THE_MODEL,
    fault_of,
    pause_before,
    reading,
    require_whole,
)
from pilothouse.autopilot.history import asked_to_close, without_calls
from pilothouse.autopilot.manner import speaking
from pilothouse.autopilot.models import Chosen, fallback_notice
from pilothouse.autopilot.pictures import can_see, look_at_pictures
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.relaying import SILENCE_SECONDS, listening, relay
from pilothouse.autopilot.retelling import in_words
from pilothouse.autopilot.room import Room
from pilothouse.autopilot.stream import ResponseStream
from pilothouse.autopilot.toolsets import RETRIES, TurnTools
from pilothouse.autopilot.usage import Call, counted, usage_of
from pilothouse.base import failpoints
from pilothouse.base.egress import EgressDenied
from pilothouse.base.jobs.lease import LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import Hold
from pilothouse.features.chat import events
from pilothouse.features.models import CostRow, insert_cost, worth_a_row
from pilothouse.kit.ids import new_id

log = structlog.get_logger()

MAX_ROUNDS: Final = 100
CLOSING_TEXT: Final = "Done. The results of the steps above are all there is to say."


@dataclass(slots=True)
class Rounds:
    """The rounds of one turn, by one claim of it."""

    hold: Hold
    record: TurnRecord
    tools: TurnTools
    chosen: Chosen
    heard: Callable[[], None]  # something happened: the turn is not idle
    room: Room
    instructions: str
    sees: bool | None = None  # whether the model takes pictures, as the settings tell
    silence_seconds: float = SILENCE_SECONDS
    text_only: bool = False  # the model is to speak, and to call nothing

    async def run(self) -> End | Failed:
        """As far as the chosen model gets; where it fails for good, the fallback goes on, if there is one."""
        end = await self._run()
        while isinstance(end, Failed) and (other := self._fallback_of(end)) is not None:
            self.record.add(fallback_notice(other))
            self.chosen, self.room = other, replace(self.room, chosen=other)
            end = await self._run()
        if isinstance(end, Failed) and end.code in OF_THE_MODEL and self.record.is_answered and self.record.has_output:
            self.record.say(CLOSING_TEXT)  # the work is done: that nobody could be asked for a last word is no failure
            return End.ANSWERED
        return end

    def _fallback_of(self, failed: Failed) -> Chosen | None:
        return self.chosen.fallback() if failed.code in FALLS_BACK else None

    async def _run(self) -> End | Failed:
        """Rounds until the model has answered, through transient failures; then see that something was said."""
        self.record.model = self.chosen.slug
        while not self.record.is_answered:
            end = await self._try()
            if end not in (End.ANSWERED, End.AGAIN):
                return end
        if not self.record.ends_silently or self.record.has_said(CLOSING_TEXT):
            return End.ANSWERED
        if not self.record.has_output:
            return Failed("empty_completion", "The model gave no answer.")
        if not self.record.was_asked_to_close:
            end = await self._try(closing=True)
            if end is not End.ANSWERED or not self.record.ends_silently:
                return end
        self.record.say(CLOSING_TEXT)
        return End.ANSWERED

    async def _try(self, *, closing: bool = False) -> End | Failed:
        """A leg, again and again while the provider fails; what was done is kept."""
        failures, made = 0, len(self.record.rounds)
        while True:
            try:
                return await self._leg(closing=closing)
            except (UserError, EgressDenied) as error:  # it is known beforehand that this model cannot be asked
                log.warning("turn.model_refused", turn_id=self.record.turn_id, error=_name(error))
                return Failed("model_unavailable", "This model cannot be used as it is configured.")
            except AgentRunError as error:
                failures = failures + 1 if len(self.record.rounds) == made else 1
                made = len(self.record.rounds)
                fault = fault_of(error)
                log.warning("turn.model_failed", turn_id=self.record.turn_id, code=fault.code, error=_name(error))
                self.record.reset_step()
                self.heard()  # the next try has all of its time again
                if fault.code == "context_overflow" and await self.room.make_after_overflow():
                    continue
                if not fault.transient:
                    return Failed(fault.code, fault.message)
                if failures >= ATTEMPTS:
                    return Failed("all_attempts_exhausted", replace(fault, code="all_attempts_exhausted").message)
                await asyncio.sleep(pause_before(failures, fault))

    async def _leg(self, *, closing: bool) -> End | Failed:
        """One run of the library's loop over what the log says."""
        self._take_back_lost()
        self.record.finish_answered_step()
        if not closing:
            await self._hear_what_waited()
        await self._look()
        require_lease(self.hold)
        await self.room.make_if_full()
        model = await asyncio.to_thread(self.chosen.model)  # the first time, a provider's library is loaded
        agent = Agent[None, str](model, instructions=self.instructions, retries=RETRIES, deps_type=type(None))
        limits = UsageLimits(request_limit=None)
        async with agent.iter(
            message_history=self._conversation(closing=closing),
            toolsets=[self.tools],
            usage_limits=limits,
            model_settings=self._settings,
        ) as run:
            node: Any = run.next_node
            while not Agent.is_end_node(node):
                if Agent.is_model_request_node(node):
                    if (stopped := await self._stop_before_asking()) is not None:
                        return stopped
                    node = await self._ask_model(run, node, closing=closing)
                    if self.record.is_answered:
                        return End.ANSWERED
                elif Agent.is_call_tools_node(node):
                    calls = node.model_response.tool_calls
                    if (stopped := await self._answer_calls(calls)) is not None:
                        return stopped
                    refused = await refuse_calls(self.record, self.tools.tools, calls)
                    node = await self._hand_over(run, node)
                    if (stopped := await self._stop_to_hear(refused=refused)) is not None:
                        return stopped
                else:
                    node = await run.next(node)
        return End.ANSWERED

    def _conversation(self, *, closing: bool) -> list[ModelMessage]:
        """As the model reads it. One that is told of no tool is shown no call either."""
        messages = self.record.messages()
        if not self.tools.tools and not self.chosen.is_offline:
            messages = in_words(messages)
        return asked_to_close(messages) if closing else messages

    async def _ask_model(self, run: AgentRun[None, str], node: ModelRequestNode[None, str], *, closing: bool) -> Any:
        require_lease(self.hold)
        self.text_only = closing or self.record.step >= MAX_ROUNDS
        self.record.begin_step()
        heard: AgentStream[None, str] | None = None
        kept, stream = False, ResponseStream(new_id)
        try:
            async with listening(self.silence_seconds, self.heard) as spoke, AsyncExitStack() as stack:
                with reading():
                    heard = await stack.enter_async_context(node.stream(run.ctx))
                await relay(cast(Any, heard), stream, self.record, spoke)
            with reading():
                called = await run.next(node)
            assert Agent.is_call_tools_node(called)
            if self.text_only:  # some servers do not know that word, and call all the same
                called.model_response.parts = without_calls(called.model_response)
            await self._keep(called.model_response, stream)
            kept = True
            return called
        except asyncio.CancelledError:
            if heard is None:  # nobody knows how far it got
                self._pay_for_abandoned(ModelResponse(parts=[], model_name=self.chosen.resolved.name))
            raise
        finally:
            if heard is not None and not kept:
                self._pay_for_abandoned(heard.response)

    def _settings(self, _: RunContext[None]) -> ModelSettings:
        return speaking(self.chosen.settings) if self.text_only else self.chosen.settings or ModelSettings()

    async def _keep(self, response: ModelResponse, stream: ResponseStream) -> None:
        require_whole(response)
        response.usage = counted(response.usage)
        self.record.name_calls(response)
        row = kept_row(self.record.messages, self.room.overhead, response, self.chosen, self._call())
        self.room.absence.note(row, self.chosen)
        costs = [insert_cost(row)] if worth_a_row(row) and not self.chosen.is_offline else []
        await self.record.keep_response(response, stream, usage_of(row), *costs)

    def _pay_for_abandoned(self, heard: ModelResponse) -> None:
        """Under the id of what it began to say: should that not land, whoever goes on pays for the same call."""
        begun = self.record.cut_off()
        attempt = new_id() if begun is None else begun[0]
        self._pay(abandoned_row(self.record.messages(), self.room.overhead, heard, self.chosen, self._call(attempt)))

    def _take_back_lost(self) -> None:
        """A worker before this one died while the model spoke. What it had heard is on disk, what it cost is not."""
        begun = self.record.cut_off()
        if begun is not None and not self.chosen.is_offline:
            self._pay(lost_row(self.record.messages(), self.room.overhead, begun[1], self.chosen, self._call(begun[0])))
        self.record.reset_step()

    def _pay(self, row: CostRow) -> None:
        """Lands with what ends the turn or takes the step back."""
        if row.cost_u:
            with suppress(LeaseLost):  # whoever goes on makes the call again, and pays for that
                self.record.log.write_also(insert_cost(row))
                self.room.abandoned[row.call_id] = row.cost_u

    async def _stop_before_asking(self) -> End | Failed | None:
        """Why the model is not asked now: it may not be, or the conversation is too long."""
        if (refused := await self._refusal()) is not None:
            return refused
        return None if self.room.plan() is None else End.AGAIN

    async def _refusal(self) -> Failed | None:
        """Why this turn may not ask the model any more: it runs in circles, too many rounds, too little money."""
        if (why := tripped(self.record.own, self.tools.tools)) is not None:
            return Failed(*why)
        if len(self.record.rounds) >= MAX_ROUNDS:
            return Failed("max_rounds", f"The turn took more than {MAX_ROUNDS} rounds.")
        refusal = await self.room.refusal()
        return None if refusal is None else Failed(*refusal)

    def _call(self, attempt: str = "") -> Call:
        return Call(self.record.log.place.user_id, self.record.turn_id, self.record.step, micros(), attempt)

    async def _answer_calls(self, calls: Sequence[ToolCallPart]) -> End | None:
        return await answer_calls(self.hold, self.record, self.tools.ledger, calls, self.heard)

    async def _hand_over(self, run: AgentRun[None, str], node: CallToolsNode[None, str]) -> Any:
        """Give the library the results."""
        async with node.stream(run.ctx) as happened:
            async for _ in happened:
                self.heard()
        asked = await run.next(node)
        self.record.finish_step()
        await self.record.log.barrier()
        failpoints.hit("turn_between_rounds")
        return asked

    async def _look(self) -> None:
        """Fetch the pictures of the conversation, for a model that can see; a fallback may be blind."""
        about = (self.tools.ledger.context, self.record.events, self.record.pictures)
        self.record.pictures = await look_at_pictures(*about, sees=can_see(self.chosen.slug, self.sees))

    async def _hear_what_waited(self) -> None:
        """Between two rounds, behind the results. Of a turn that asks nobody it stays pending."""
        between = self.record.rounds and self.record.log.parts.step is None
        if between and await self._refusal() is None:
            await self.record.take_follow_ups()
        if ids := unnamed_files(self.record.own):
            blocks, notices = await look_at_files(self.tools.ledger.context, ids)
            self.record.add(*notices, events.context(blocks))

    async def _stop_to_hear(self, *, refused: bool) -> End | Failed | None:
        """Whether the user wrote something meanwhile: the next leg reads it in the log, as one after a loss would. So
        does the model read what calls were told that we `refused`: the library has words of its own for them.
        """
        if self.hold.stopping.is_set():
            return End.HANDED_ON
        if (refusal := await self._refusal()) is not None:
            return refusal
        return End.AGAIN if refused or await self.record.log.hears_pending() else None


def _name(error: Exception) -> str:
    """Its message may hold what the provider said about a key; its name does not."""
    return type(error).__name__
