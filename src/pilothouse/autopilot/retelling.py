"""A conversation for a turn that may use no tool: its calls are told in words. Pure.

Anthropic refuses calls and results beside an empty list of tools, and who is told of no tool should see none called.
"""

from collections.abc import Sequence
from html import escape

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)

from pilothouse.autopilot.compaction import transcript


def in_words(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The same conversation without a call: what each asked for and gave stands where its result stood, as a text.

    Calls that it ends in stay: they are to be answered before anybody reads it.
    """
    told: list[ModelMessage] = []
    asked: ModelResponse | None = None
    for message in messages:
        if isinstance(message, ModelRequest):
            _hear(told, _parts(asked, message.parts))
            continue
        asked = message
        if message is messages[-1]:
            told.append(message)
        elif (said := _without_calls(message)).parts:
            told.append(said)
    return told


def _without_calls(response: ModelResponse) -> ModelResponse:
    """Thoughts belong to the calls that they led to, and go with them."""
    if not response.tool_calls:
        return response
    return ModelResponse(parts=[part for part in response.parts if isinstance(part, TextPart)])


def _parts(asked: ModelResponse | None, parts: Sequence[ModelRequestPart]) -> list[ModelRequestPart]:
    results = [part for part in parts if isinstance(part, ToolReturnPart)]
    if asked is None or not results:
        return list(parts)
    calls = ModelResponse(parts=asked.tool_calls)
    lines = "\n".join(transcript([calls, ModelRequest(parts=results)]))
    work = UserPromptPart(f"<conversation_history>{escape(lines, quote=False)}</conversation_history>")
    return [work, *(part for part in parts if not isinstance(part, ToolReturnPart))]


def _hear(told: list[ModelMessage], parts: list[ModelRequestPart]) -> None:
    """A round in which nothing was said leaves two requests in a row: they are one."""
    if told and isinstance(last := told[-1], ModelRequest):
        told[-1] = ModelRequest(parts=[*last.parts, *parts])
    else:
        told.append(ModelRequest(parts=parts))
