"""One call beside the conversation, heard to its end: a summary, a title, a question of a run."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import StreamedResponse

from pilothouse.autopilot.abandoned import abandoned_row, kept_row
from pilothouse.autopilot.faults import reading
from pilothouse.autopilot.models import Chosen
from pilothouse.autopilot.usage import Absence, Call
from pilothouse.features.models import CostRow

if TYPE_CHECKING:
    from pydantic_ai.settings import ModelSettings

Note: TypeAlias = Callable[[CostRow], None]


async def hear(
    chosen: Chosen,
    asked: list[ModelMessage],
    settings: "ModelSettings | None",
    call: Call,
    note: Note,
    *,
    absence: Absence,
    heard: Callable[[], None] = lambda: None,
) -> ModelResponse:
    """The response, whole or not. Whatever comes of the call, `note` is told what it has cost: providers charge also
    for one that breaks off, that nobody waits for any more, or that is cancelled.
    """
    model = await asyncio.to_thread(chosen.model)
    stream: StreamedResponse | None = None
    done = False
    try:
        with reading():
            async with model_request_stream(model, asked, model_settings=settings) as stream:
                async for _ in stream:
                    heard()
        done = True
        return stream.get()
    except asyncio.CancelledError:
        if stream is None:  # nobody knows how far it got
            nothing = ModelResponse(parts=[], model_name=chosen.resolved.name)
            note(abandoned_row(asked, 0, nothing, chosen, call))
        raise
    finally:
        if stream is not None and done:
            row = kept_row(lambda: asked, 0, stream.get(), chosen, call)
            absence.note(row, chosen)
            note(row)
        elif stream is not None:
            note(abandoned_row(asked, 0, stream.get(), chosen, call))
