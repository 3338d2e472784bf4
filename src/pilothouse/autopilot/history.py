"""From the session's log to the model's messages. Pure: the log is the truth, and this is one reading of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from pilothouse.autopilot.compaction import last_compaction, recap, shortened, up_to
from pilothouse.autopilot.context import CLOSING, follow_up_block, message_text, page_context, rendered
from pilothouse.autopilot.pictures import Pictures
from pilothouse.features.chat import Event, events, for_model
from pilothouse.kit.json import Json, JsonObject

RETRYING: Final = (
    "The last attempt to answer this broke off. What was finished stands above: go on from there, and do not do again"
    " what was done."
)
_MADE_BY: Final = "made_by"


def raw_response(response: ModelResponse) -> Json:
    """A response as it is kept until its turn ends."""
    return cast(list[Json], ModelMessagesTypeAdapter.dump_python([response], mode="json"))[0]


def sign(response: ModelResponse, model: str) -> None:
    """Note whose answer it is: what the provider calls itself in it is not what it was asked under."""
    response.metadata = {**(response.metadata or {}), _MADE_BY: model}


def as_read_by(model: str, raw: Json) -> Json:
    """A kept response as this model may read it: thoughts go back only to the one that had them."""
    kept = cast(JsonObject, raw)
    if cast(JsonObject, kept.get("metadata") or {}).get(_MADE_BY, model) == model:
        return raw
    said = [part for part in cast(list[JsonObject], kept["parts"]) if part["part_kind"] != "thinking"]
    return {**kept, "parts": list[Json](said)}


def read_response(raw: Json) -> ModelResponse:
    return cast(ModelResponse, ModelMessagesTypeAdapter.validate_python([raw])[0])


@dataclass(slots=True)
class _Round:
    """One model response and what its calls gave."""

    step: int = 0
    texts: dict[str, str] = field(default_factory=dict[str, str])
    calls: dict[str, tuple[str, Any]] = field(default_factory=dict[str, tuple[str, Any]])
    results: dict[str, Json] = field(default_factory=dict[str, Json])

    def take(self, event: Event) -> None:
        data = event.data
        match event.type:
            case events.TEXT_END:
                self.texts[str(data["id"])] = str(data["text"])
            case events.TOOL_INPUT_AVAILABLE:
                self.calls[str(data["tool_call_id"])] = (str(data["tool"]), data["input"])
            case events.TOOL_OUTPUT_AVAILABLE:
                self.results.setdefault(str(data["tool_call_id"]), for_model(data))
            case events.TOOL_OUTPUT_ERROR:
                self.results.setdefault(str(data["tool_call_id"]), error_content(data))
            case events.STEP_RESET:
                for part_id in cast(list[str], data["part_ids"]):
                    self.texts.pop(part_id, None)
                    self.calls.pop(part_id, None)
            case _:
                pass

    @property
    def is_answered(self) -> bool:
        return all(call_id in self.results for call_id in self.calls)

    def returns(self) -> list[ModelRequestPart]:
        return [ToolReturnPart(tool, self.results[call_id], call_id) for call_id, (tool, _) in self.calls.items()]

    def response(self) -> ModelResponse | None:
        """As the log tells it; calls that lack a result are left out with all of their round's."""
        parts: list[TextPart | ToolCallPart] = [TextPart(text) for text in self.texts.values() if text]
        if self.is_answered:
            parts += [ToolCallPart(tool, asked, call_id) for call_id, (tool, asked) in self.calls.items()]
        return ModelResponse(parts) if parts else None


def error_content(data: JsonObject) -> JsonObject:
    """What a call that gave no result of its own tells the model."""
    return {"type": "error", "code": data["code"], "message": data["message"]}


@dataclass(slots=True)
class _Opening:
    """What a turn begins with: its message, what was pending by then, and what the server says beside it."""

    data: JsonObject
    before: list[str] = field(default_factory=list[str])
    after: list[str] = field(default_factory=list[str])
    pages: list[str] = field(default_factory=list[str])  # that the user looked at while writing what was pending
    beside: str = ""
    again: bool = False  # it was heard before, and work on it stands in between
    files: list[str] = field(default_factory=list[str])  # that came with it and with what was pending

    def merge(self, data: JsonObject) -> None:
        """By arrival: what came no later than the message goes first; an unknown time is the earliest."""
        texts = cast(list[str], data["texts"])
        arrivals = cast(list[int | None], data.get("arrivals") or [None] * len(texts))
        for text, arrival in zip(texts, arrivals, strict=True):
            late = (arrival or 0) > cast(int, self.data.get("arrival_at") or 0)
            (self.after if late else self.before).append(message_text(text))
        told = (page_context(context) for context in cast(list[Json], data.get("contexts") or []))
        self.pages = [*self.pages, *(page for page in told if page)]
        self.files = [*self.files, *_files_of(data)]

    def texts(self) -> list[str]:
        """The user has the last word."""
        said = "\n\n".join(text for text in (*self.before, message_text(str(self.data["text"])), *self.after) if text)
        if self.again:
            return [*self.pages, self.beside, RETRYING, said]
        return [page_context(self.data.get("context")), *self.pages, self.beside, said]


class _Folder:
    def __init__(self, turn_id: str, rounds: Sequence[Json], pictures: Pictures) -> None:
        self.messages: list[ModelMessage] = []
        self._pictures = pictures
        self._turn_id = turn_id
        self._raw = rounds
        self._open: _Round | None = None
        self._opening: _Opening | None = None
        self._last: _Opening | None = None  # the opening that was heard last
        self._since = 0  # parts of messages when it had been heard

    def take(self, event: Event) -> None:
        own = event.turn_id == self._turn_id
        match event.type:
            case events.USER_MESSAGE:
                self._close(own=False)
                self._opening = _Opening(event.data, files=cast(list[str], event.data.get("file_ids") or []))
            case events.TURN_QUEUED if "retries" in event.data:
                self._close(own=False)
                self._opening = self._hear_again()
            case events.CONTEXT if own and self._opening is not None:
                self._opening.beside = rendered(cast(list[JsonObject], event.data["blocks"]))
            case events.CONTEXT if self._opening is None:  # beside a follow-up: a part of the conversation
                self.hear(rendered(cast(list[JsonObject], event.data["blocks"])))
            case events.FOLLOW_UP if self._opening is not None:
                self._opening.merge(event.data)
            case events.FOLLOW_UP:
                told = cast(list[Json], event.data.get("contexts") or [])
                self.hear(follow_up_block(cast(list[str], event.data["texts"]), told), files=_files_of(event.data))
            case events.COMPACTION if event.data.get("target"):
                fits = cast(int, event.data["target"]) - cast(int, event.data["overhead"])
                self.messages = shortened(self.messages, fits)
            case events.START_STEP:
                self._close(own=own)
                self._open = _Round(step=cast(int, event.data["step"]))
            case events.FINISH_STEP | events.TURN_ENDED:
                self._close(own=own)
            case _ if self._open is not None:
                self._open.take(event)
            case _:
                pass

    def finish(self) -> list[ModelMessage]:
        self._close(own=True)
        return self.messages

    def _hear_again(self) -> _Opening | None:
        """The last message is answered again; if nothing came of it yet, it moves here instead of being said twice."""
        last = self._last
        if last is None:
            return None
        grown = self._size() > self._since
        request = self.messages[-1] if self.messages else None
        if not grown and isinstance(request, ModelRequest):
            heard = said_parts(last.texts(), last.files, self._pictures)
            request.parts = request.parts[: len(request.parts) - len(heard)]
            if not request.parts:
                self.messages.pop()
        return replace(last, before=[*last.before], after=[*last.after], beside="", again=last.again or grown)

    def _size(self) -> int:
        return sum(len(message.parts) for message in self.messages)

    def hear(self, *texts: str, files: Sequence[str] = ()) -> None:
        self._request(said_parts(texts, files, self._pictures))

    def _request(self, parts: Sequence[ModelRequestPart]) -> None:
        if not parts:
            return
        if self.messages and isinstance(last := self.messages[-1], ModelRequest):
            last.parts = [*last.parts, *parts]
        else:
            self.messages.append(ModelRequest(parts=list(parts)))

    def _close(self, *, own: bool) -> None:
        opening, self._opening = self._opening, None
        if opening is not None:
            self.hear(*opening.texts(), files=opening.files)
            self._last, self._since = opening, self._size()
        done, self._open = self._open, None
        if done is None:
            return
        response = self._raw_of(done) if own else done.response()
        if response is None or not (response.tool_calls or _visible(response)):
            return
        self.messages.append(response)
        if done.calls and done.is_answered:
            self._request(done.returns())

    def _raw_of(self, done: _Round) -> ModelResponse | None:
        """What the provider sent, with the signatures that it wants back; None for a call that was cut off."""
        return read_response(self._raw[done.step - 1]) if 0 < done.step <= len(self._raw) else None


def _files_of(follow_up: JsonObject) -> list[str]:
    return [one for each in cast(list[list[str]], follow_up.get("file_ids") or []) for one in each]


def said_parts(texts: Sequence[str], files: Sequence[str], pictures: Pictures) -> list[ModelRequestPart]:
    """What a person said, after the pictures that came with it and that this model is shown."""
    shown = [pictures[file_id] for file_id in files if file_id in pictures]
    return [*([UserPromptPart(shown)] if shown else []), *(UserPromptPart(text) for text in texts if text)]


def model_messages(
    log: Iterable[Event], turn_id: str, rounds: Sequence[Json], pictures: Pictures = MappingProxyType({})
) -> list[ModelMessage]:
    """The conversation so far. Ends in a request, or in a response of this turn whose calls are to be run.

    What the last compaction covers is its summary; what this claim has added has no number yet, and comes after it.
    """
    told = list(log)
    compaction = last_compaction(told)
    folder = _Folder(turn_id, rounds, pictures)
    if compaction is not None:
        folder.hear(recap(told, compaction))
    for event in told:
        if event.id == 0 or event.id > up_to(compaction):
            folder.take(event)
    return folder.finish()


def _visible(response: ModelResponse) -> bool:
    return any(isinstance(part, TextPart) and part.content.strip() for part in response.parts)


def without_calls(response: ModelResponse) -> list[ModelResponsePart]:
    """Of a round in which the model was only to speak."""
    return [part for part in response.parts if not isinstance(part, ToolCallPart)]


def asked_to_close(messages: list[ModelMessage]) -> list[ModelMessage]:
    """The conversation with a last request, to which the only answer is a sentence."""
    if messages and isinstance(last := messages[-1], ModelRequest):
        return [*messages[:-1], ModelRequest(parts=[*last.parts, UserPromptPart(CLOSING)])]
    return [*messages, ModelRequest(parts=[UserPromptPart(CLOSING)])]
