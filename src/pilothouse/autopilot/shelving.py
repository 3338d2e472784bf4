"""A result that is too long for models is a file of the session as well, so that it can be read, and used, as one."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import structlog

from pilothouse.base.tools import ToolContext
from pilothouse.features.chat import MAX_TOOL_TEXT, whole_copy
from pilothouse.features.files import Cabinet, NewFile, Shelved, session_folder
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.ids import child_id
from pilothouse.kit.json import JsonObject

log = structlog.get_logger()


@asynccontextmanager
async def shelved_result(ctx: ToolContext, tool: str, output: JsonObject) -> AsyncGenerator[Shelved | None]:
    """What makes the file appear; whoever logs the result lands it in the same write. None: models are shown all of
    it, or there is no room for a file: the result then is cut all the same, and `read_tool_result` has the rest.
    """
    text = whole_copy(output)
    async with AsyncExitStack() as stack:
        file = None
        if len(text) > MAX_TOOL_TEXT:
            try:
                file = await stack.enter_async_context(_taken_in(ctx, tool, text.encode()))
            except (PilothouseError, OSError) as error:
                log.warning("turn.result_without_file", turn_id=ctx.turn_id, tool=tool, error=type(error).__name__)
        yield file


def _taken_in(ctx: ToolContext, tool: str, content: bytes) -> AbstractAsyncContextManager[Shelved]:
    file_id = child_id(ctx.turn_id, f"result/{ctx.tool_call_id}")  # the same one when the call is made again
    path = f"tool-results/{tool}-{file_id[-12:]}.json"
    size, folder = len(content), session_folder(ctx.session_id)
    ask = NewFile(path, "session", "application/json", size=size, within=folder, file_id=file_id)
    return ctx.part(Cabinet).take_in(ctx.actor.user_id, ask, _whole(content))


async def _whole(content: bytes) -> AsyncGenerator[bytes]:
    yield content
