"""The offline pilot as a Pydantic AI model: it streams like any other, through the same loop."""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

from pilothouse.autopilot.offline.pilot import Move, Say, next_move
from pilothouse.autopilot.offline.reading import Seen, see
from pilothouse.kit.json import dumps

NAME = "offline"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # it has no clock
_WORDS = re.compile(r"\S+\s*|\s+")


class OfflineModel(Model[Any]):
    """Driven by the messages alone: equal ones give equal calls and text."""

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return NAME

    @property
    def provider(self) -> None:
        return None

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        seen = see(messages)
        move = next_move(seen)
        parts = [TextPart(move.text)] if isinstance(move, Say) else [*_calls(move, seen)]
        return ModelResponse(parts, model_name=NAME, timestamp=_EPOCH, finish_reason=_finish(move))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        seen = see(messages)
        yield _OfflineStream(model_request_parameters=model_request_parameters, seen=seen, move=next_move(seen))


@dataclass
class _OfflineStream(StreamedResponse):
    seen: Seen
    move: Move

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        if isinstance(self.move, Say):
            for word in _WORDS.findall(self.move.text):
                for event in self._parts_manager.handle_text_delta(vendor_part_id="text", content=word):
                    yield event
        else:
            for call in _calls(self.move, self.seen):
                yield self._parts_manager.handle_part(vendor_part_id=call.tool_call_id, part=call)
        self.finish_reason = _finish(self.move)
        self.provider_details = {"finish_reason": self.finish_reason}

    async def close_stream(self) -> None:
        """There is nothing to close."""

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def provider_name(self) -> str:
        return NAME

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return _EPOCH


def _calls(move: Move, seen: Seen) -> list[ToolCallPart]:
    """Ids count what came before, so that they are the same when the call is made again."""
    assert not isinstance(move, Say)
    return [
        ToolCallPart(call.tool, dumps(call.arguments), tool_call_id=f"offline_{seen.length}_{n}")
        for n, call in enumerate(move)
    ]


def _finish(move: Move) -> Any:
    return "stop" if isinstance(move, Say) else "tool_call"
