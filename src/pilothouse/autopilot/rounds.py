"""The rounds of a turn: the model, its tools, the model again; from wherever the log says that the turn stands."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, cast

import structlog
from pydantic_ai import Agent, CallToolsNode, ModelRequestNode
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import FunctionToolResultEvent, ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.run import AgentRun
from pydantic_ai.usage import UsageLimits

from pilothouse.autopilot.breakers import tripped
from pilothouse.autopilot.context import CLOSING, message_text, system_prompt
from pilothouse.autopilot.faults import ATTEMPTS, fault_of, pause_before, require_whole
from pilothouse.autopilot.models import Chosen
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.stream import DELTA_SECONDS, ResponseStream
from pilothouse.autopilot.toolsets import RETRIES, TurnTools
from pilothouse.autopilot.usage import usage_of
from pilothouse.base import failpoints
from pilothouse.base.jobs.lease import LeaseLost
from pilothouse.base.jobs.worker import Hold
from pilothouse.kit.ids import new_id

log = structlog.get_logger()

MAX_ROUNDS: Final = 100
CLOSING_TEXT: Final = "Done. The results of the steps above are all there is to say."


class End(Enum):
    """How a leg of the way ended."""

    ANSWERED = "answered"
    HANDED_ON = "handed on"  # the process stops; another worker goes on


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn cannot go on."""

    code: str
    message: str


@dataclass(slots=True)
class Rounds:
    """The rounds of one turn, by one claim of it."""

    hold: Hold
    record: TurnRecord
    tools: TurnTools
    chosen: Chosen
    heard: Callable[[], None]  # something happened: the turn is not idle

    async def run(self) -> End | Failed:
        """Rounds until the model has answered, through transient failures; then see that something was said."""
        while not self.record.is_answered:
            end = await self._try()
            if end is not End.ANSWERED:
                return end
        if not self.record.ends_silently:
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
            except UserError as error:  # the library knows beforehand that this model cannot be asked
                log.warning("turn.model_refused", turn_id=self.record.turn_id, error=str(error))
                return Failed("model_unavailable", "This model cannot be used as it is configured.")
            except AgentRunError as error:
                failures = failures + 1 if len(self.record.rounds) == made else 1
                made = len(self.record.rounds)
                fault = fault_of(error)
                log.warning("turn.model_failed", turn_id=self.record.turn_id, code=fault.code, error=_name(error))
                self.record.reset_step()
                if not fault.transient:
                    return Failed(fault.code, fault.message)
                if failures >= ATTEMPTS:
                    return Failed("all_attempts_exhausted", replace(fault, code="all_attempts_exhausted").message)
                await asyncio.sleep(pause_before(failures, fault))

    async def _leg(self, *, closing: bool) -> End | Failed:
        """One run of the library's loop over what the log says."""
        self.record.reset_step()
        self.record.finish_answered_step()
        if self.record.rounds and not closing and not self.record.log.parts.calls:
            await self.record.take_follow_ups()  # between two rounds, where the last worker was lost
        messages = self.record.messages()
        if closing:
            messages = _asked_to_close(messages)
        model = await asyncio.to_thread(self.chosen.model)  # the first time, a provider's library is loaded
        agent = Agent[None, str](model, instructions=system_prompt(), retries=RETRIES, deps_type=type(None))
        limits = UsageLimits(request_limit=None)
        async with agent.iter(
            message_history=messages,
            toolsets=[self.tools],
            usage_limits=limits,
            model_settings=self.chosen.settings,
        ) as run:
            node: Any = run.next_node
            while not Agent.is_end_node(node):
                if Agent.is_model_request_node(node):
                    if len(self.record.rounds) >= MAX_ROUNDS:
                        return Failed("max_rounds", f"The turn took more than {MAX_ROUNDS} rounds.")
                    node = await self._ask_model(run, node, closing=closing)
                    if self.record.is_answered:
                        return End.ANSWERED
                elif Agent.is_call_tools_node(node):
                    node = await self._run_tools(run, node)
                    if (why := tripped(self.record.own, self.tools.tools)) is not None:
                        return Failed(*why)
                    if self.hold.stopping.is_set():
                        return End.HANDED_ON
                    await self._hear(node)
                else:
                    node = await run.next(node)
        return End.ANSWERED

    async def _ask_model(self, run: AgentRun[None, str], node: ModelRequestNode[None, str], *, closing: bool) -> Any:
        self._require_lease()
        self.tools.text_only = closing or self.record.step >= MAX_ROUNDS
        self.record.begin_step()
        stream = ResponseStream(new_id)
        async with node.stream(run.ctx) as provider:
            await self._relay(cast(Any, provider), stream)
        called = await run.next(node)
        assert Agent.is_call_tools_node(called)
        response = called.model_response
        require_whole(response)
        self.record.name_calls(response)
        await self.record.keep_response(response, stream, usage_of(response, self.chosen))
        return called

    async def _relay(self, provider: Any, stream: ResponseStream) -> None:
        """Log what comes, in pieces that are neither too small nor too late."""
        loop = asyncio.get_running_loop()
        later: asyncio.TimerHandle | None = None

        def flush() -> None:
            nonlocal later
            later = None
            with suppress(LeaseLost):  # whoever writes next is told
                self.record.add(*stream.flush(loop.time()))

        try:
            async for event in provider:
                self.heard()
                self.record.add(*stream.feed(event, loop.time()))
                if later is None and stream.open is not None and stream.open.since is not None:
                    later = loop.call_later(DELTA_SECONDS, flush)
                failpoints.hit("turn_mid_stream")
        finally:
            if later is not None:
                later.cancel()

    async def _run_tools(self, run: AgentRun[None, str], node: CallToolsNode[None, str]) -> Any:
        """The calls of a round, in parallel."""
        self._require_lease()
        self.tools.begin_round()
        async with node.stream(run.ctx) as happened:
            async for event in happened:
                self.heard()
                if isinstance(event, FunctionToolResultEvent):
                    await self._note_refused(event)
        asked = await run.next(node)
        self.record.finish_step()
        await self.record.log.barrier()
        failpoints.hit("turn_between_rounds")
        return asked

    async def _hear(self, asked: Any) -> None:
        """What the user wrote meanwhile, after the results."""
        texts = await self.record.take_follow_ups()
        if texts and Agent.is_model_request_node(asked):
            request = asked.request
            request.parts = [*request.parts, *(UserPromptPart(message_text(text)) for text in texts)]

    async def _note_refused(self, event: FunctionToolResultEvent) -> None:
        """A call that never reached a tool: there is none of that name, or its arguments are no JSON."""
        part = event.part
        if part.tool_call_id in self.record.results:
            return
        known = part.tool_name in self.tools.tools
        code = "invalid_arguments" if known else "unknown_tool"
        message = "The arguments are not a JSON object." if known else f"There is no tool '{part.tool_name}'."
        await self.record.keep_failure(part.tool_call_id, part.tool_name, code, message)

    def _require_lease(self) -> None:
        if not self.hold.lease.may_act():
            raise LeaseLost


def _name(error: AgentRunError) -> str:
    """Its message may hold what the provider said about a key; its name does not."""
    return type(error).__name__


def _asked_to_close(messages: list[ModelMessage]) -> list[ModelMessage]:
    """The conversation with a last request, to which the only answer is a sentence."""
    if messages and isinstance(last := messages[-1], ModelRequest):
        return [*messages[:-1], ModelRequest(parts=[*last.parts, UserPromptPart(CLOSING)])]
    return [*messages, ModelRequest(parts=[UserPromptPart(CLOSING)])]
