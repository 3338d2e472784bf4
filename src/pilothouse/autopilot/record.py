"""What has happened in this turn, in memory and in the log at once: written here, read back by whoever goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic_ai.messages import INVALID_JSON_KEY, BinaryContent, ModelMessage, ModelResponse, TextPart, ToolCallPart

from pilothouse.autopilot.halves import mend
from pilothouse.autopilot.history import (
    as_read_by,
    error_content,
    model_messages,
    raw_response,
    read_response,
    sign,
)
from pilothouse.autopilot.pictures import Pictures
from pilothouse.autopilot.stream import ResponseStream
from pilothouse.base.committer import Write
from pilothouse.base.deferred import Deferred
from pilothouse.base.tools import Outcome
from pilothouse.features.chat import Draft, Event, OpenTurn, TurnLog, events, follow_up_of, for_model
from pilothouse.features.files import SHELVE, Shelved
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject, dumps

_RESULTS = (events.TOOL_OUTPUT_AVAILABLE, events.TOOL_OUTPUT_ERROR)
_BLOCKS = (events.TEXT_START, events.REASONING_START)
_DELTAS = (events.TEXT_DELTA, events.REASONING_DELTA)


@dataclass(slots=True)
class TurnRecord:
    """One per claim of a turn. After a crash the next one is made from the log and knows the same."""

    turn_id: str
    log: TurnLog
    events: list[Event]
    rounds: list[Json]
    results: dict[str, Json] = field(default_factory=dict[str, Json])  # the model's copies, by call
    waits: dict[str, Deferred] = field(default_factory=dict[str, Deferred])  # calls whose result is not there yet
    begun: frozenset[str] = frozenset()  # calls that an earlier claim may have begun
    tools_used: set[str] = field(default_factory=set[str])  # in this session, with success
    model: str = ""  # the one that answers now
    pictures: Pictures = field(default_factory=dict[str, BinaryContent])  # that the model is shown

    @classmethod
    def of(cls, turn: OpenTurn) -> "TurnRecord":
        record = cls(turn.turn.id, turn.log, list(turn.events), list(turn.rounds))
        for event in turn.events:
            record._notice(event)
        calls = [event for event in turn.own_events if event.type == events.TOOL_INPUT_AVAILABLE]
        record.begun = frozenset(str(event.data["tool_call_id"]) for event in calls)
        record.waits = {call: Deferred.of(told) for call, told in turn.waits.items() if call not in record.results}
        return record

    def messages(self) -> list[ModelMessage]:
        return model_messages(self.events, self.turn_id, self.readable_rounds, self.pictures)

    @property
    def readable_rounds(self) -> list[Json]:
        """The rounds of this turn as the model that answers now may read them: another may have made some."""
        return [as_read_by(self.model, raw) for raw in self.rounds]

    @property
    def own(self) -> list[Event]:
        return [event for event in self.events if event.turn_id == self.turn_id]

    def since(self, event_id: int) -> list[Event]:
        """The events from this one on; what this claim has added has no number yet."""
        return [event for event in self.events if event.id == 0 or event.id >= event_id]

    def has(self, kind: str, code: str | None = None) -> bool:
        """Whether the session's log has such an event."""
        return any(event.type == kind and (code is None or event.data.get("code") == code) for event in self.events)

    def add(self, *drafts: Draft) -> None:
        self.log.add(*drafts)
        self._remember(drafts)

    def _remember(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            event = Event(0, draft.type, self.turn_id, 0, draft.data)
            self.events.append(event)
            self._notice(event)

    def _notice(self, event: Event) -> None:
        if event.type not in _RESULTS:
            return
        data = event.data
        if event.type == events.TOOL_OUTPUT_AVAILABLE and data["success"]:
            self.tools_used.add(str(data["tool"]))
        if event.turn_id == self.turn_id:
            content = for_model(data) if "output" in data else error_content(data)
            self.results.setdefault(str(data["tool_call_id"]), content)

    @property
    def spent(self) -> int:
        """What this turn has cost so far, in microdollars; calls that gave nothing are not in it."""
        costs = [event.data.get("cost_microdollars") for event in self.own if event.type == events.USAGE]
        return sum(cost for cost in costs if isinstance(cost, int))

    @property
    def unpriced(self) -> bool:
        """Whether nobody knows what a call of this turn has cost."""
        return any(event.type == events.USAGE and event.data.get("cost_microdollars") is None for event in self.own)

    @property
    def paid_calls(self) -> set[str]:
        """The ids of the calls that `spent` counts."""
        return {str(event.data["call_id"]) for event in self.own if event.type == events.USAGE}

    # A round: one model call, then its tools.

    @property
    def step(self) -> int:
        """The number of the round that is to be made."""
        return len(self.rounds) + 1

    def begin_step(self) -> None:
        if self.log.parts.step is None:
            self.add(events.start_step(self.step))

    def reset_step(self) -> None:
        """Take back what a model call that was cut off had begun. Its blocks get their end first."""
        begun = [str(event.data["id"]) for event in self._of_open_step() if event.type in _BLOCKS]
        closing = [draft for draft in self.log.parts.close() if draft.type in (events.TEXT_END, events.REASONING_END)]
        if begun:
            self.add(*closing, events.step_reset(begun))

    def cut_off(self) -> tuple[str, str] | None:
        """Of a model call that has no end yet: the id of its first block, and what it has said."""
        own = self._of_open_step()
        first = next((str(event.data["id"]) for event in own if event.type in _BLOCKS), None)
        said = "".join(str(event.data["delta"]) for event in own if event.type in _DELTAS)
        return None if first is None else (first, said)

    def _of_open_step(self) -> list[Event]:
        """The events since this round's model call began; none when its response was kept."""
        if self.log.parts.step != self.step:
            return []
        own = self.own
        marks = (events.START_STEP, events.STEP_RESET)
        last = max((place for place, event in enumerate(own) if event.type in marks), default=-1)
        return own[last + 1 :]

    def name_calls(self, response: ModelResponse) -> None:
        """See that no two calls of the session have one id: some servers count from zero in every response."""
        known = {str(event.data["tool_call_id"]) for event in self.events if event.type == events.TOOL_INPUT_AVAILABLE}
        for number, call in enumerate(response.tool_calls):
            if not call.tool_call_id or call.tool_call_id in known:
                call.tool_call_id = f"{call.tool_call_id}_{len(known)}_{number}"
            known.add(call.tool_call_id)

    async def keep_response(self, response: ModelResponse, stream: ResponseStream, usage: Draft, *also: Write) -> None:
        """The round is made: its end, its cost, its calls and the raw response land together, before any tool runs."""
        mend(response)
        sign(response, self.model)
        raw = raw_response(response)
        self.log.save_round(self.step, raw)
        self.log.write_also(*also)
        self.log.add_tokens(response.usage.input_tokens, response.usage.output_tokens)
        self.add(*stream.close(), usage)
        self.rounds.append(raw)
        for call in response.tool_calls:
            key = f"{self.turn_id}:{call.tool_call_id}"
            self.add(
                events.tool_input_start(call.tool_call_id, call.tool_name),
                events.tool_input_available(call.tool_call_id, call.tool_name, _told(call), key),
            )
        if not response.tool_calls:
            self.finish_step(usage.data)
        await self.log.barrier()

    async def keep_wait(self, call_id: str, waiting: Deferred) -> None:
        """The call has no result yet. On disk before anybody looks again, so that no end is missed."""
        self.waits[call_id] = waiting
        self.log.begin_wait(call_id, waiting.job_id, waiting.as_json())
        await self.log.barrier()

    def tool_of(self, call_id: str) -> str:
        """The tool that a call is of."""
        return self.log.parts.calls[call_id]

    async def keep_result(
        self, call_id: str, tool: str, outcome: Outcome, duration_ms: int, file: Shelved | None = None
    ) -> Json:
        """Log a result as soon as it is there, the first of a call; answers the model's copy. A file that has the
        whole of it appears with the event that names it.
        """
        if call_id in self.results:
            return self.results[call_id]
        self._end_wait(call_id)
        named = None if file is None else (file.file_id, file.place.path)
        self.add(
            events.tool_output_available(
                call_id, tool, outcome.output, success=outcome.success, duration_ms=duration_ms, file=named
            )
        )
        if file is not None:
            self.log.write_also((SHELVE, (file,)))
        await self.log.barrier()
        return self.results[call_id]

    def _end_wait(self, call_id: str) -> None:
        if self.waits.pop(call_id, None) is not None:
            self.log.end_wait(call_id)

    async def keep_failure(self, call_id: str, tool: str, code: str, message: str) -> Json:
        if call_id not in self.results:
            self._end_wait(call_id)
            self.add(events.tool_output_error(call_id, tool, code, message))
            await self.log.barrier()
        return self.results[call_id]

    def finish_step(self, usage: JsonObject | None = None) -> None:
        if (step := self.log.parts.step) is not None:
            self.add(events.finish_step(step, usage))

    def finish_answered_step(self) -> None:
        """End the step of a round that was done when its worker was lost."""
        step = self.log.parts.step
        if step is not None and step < self.step and not self.log.parts.calls:
            self.finish_step()

    async def take_follow_ups(self) -> None:
        """What the user wrote meanwhile is part of the turn now, right behind the results of its last round."""
        made = [] if self.last is None else self.last.tool_calls
        after = made[-1].tool_call_id if made else None
        if drained := await self.log.drain_pending(after):
            self._remember([follow_up_of(drained, after)])  # the log has it already

    # How it ends.

    @property
    def last(self) -> ModelResponse | None:
        return read_response(self.rounds[-1]) if self.rounds else None

    @property
    def is_answered(self) -> bool:
        """Whether the last response asks for nothing more."""
        return self.last is not None and not self.last.tool_calls

    @property
    def ends_silently(self) -> bool:
        return not any(isinstance(part, TextPart) and part.content.strip() for part in (self.last or _EMPTY).parts)

    @property
    def was_asked_to_close(self) -> bool:
        """Whether the response before the last one had ended silently too."""
        return len(self.rounds) > 1 and not read_response(self.rounds[-2]).tool_calls

    @property
    def has_output(self) -> bool:
        return any(read_response(raw).parts for raw in self.rounds)

    def has_said(self, text: str) -> bool:
        return any(event.type == events.TEXT_END and event.data["text"] == text for event in self.own)

    def say(self, text: str) -> None:
        """A text that no model wrote; once, though the worker that said it may be lost before the end."""
        if self.has_said(text):
            return
        block_id, inside = new_id(), self.log.parts.step is not None
        if not inside:
            self.add(events.start_step(self.step))
        self.add(events.text_start(block_id), events.text_delta(block_id, text, 0), events.text_end(block_id, text))
        self.finish_step()


_EMPTY = ModelResponse(parts=[])


def arguments_of(call: ToolCallPart) -> JsonObject | None:
    """The arguments; None when what came is no JSON object."""
    try:
        return cast(JsonObject, call.args_as_dict(raise_if_invalid=True))
    except (ValueError, AssertionError):
        return None


def _told(call: ToolCallPart) -> JsonObject:
    """The arguments as the log tells them: what is no JSON, or cannot be kept, is told as it came."""
    asked = cast(JsonObject, call.args_as_dict())
    return asked if can_be_kept(asked) else {INVALID_JSON_KEY: str(call.args)}


def can_be_kept(asked: JsonObject) -> bool:
    """Models may make up numbers of any length; what we store holds 64 bits."""
    try:
        dumps(asked)
    except TypeError:
        return False
    return True
