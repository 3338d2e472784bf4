"""AutoPilot's door to its own earlier results: one that was too long to be shown whole can be read on."""

from typing import Annotated, Literal

from pydantic import Field

from pilothouse.base.tools import ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import events, queries
from pilothouse.features.chat.copies import whole_copy
from pilothouse.features.chat.errors import CallNotFound
from pilothouse.features.chat.limits import MAX_TOOL_READ, MAX_TOOL_READ_JSON
from pilothouse.features.chat.outcomes import AT_MOST
from pilothouse.features.chat.service import Chat
from pilothouse.kit.json import fitting

tools = ToolBox()


class ToolResultText(ToolResult):
    """A part of a result, as JSON text."""

    type: Literal["tool_result_text"] = "tool_result_text"
    tool_call_id: str
    tool: str
    offset: int
    total: int
    content: str
    truncated: bool


@tools.tool(label="Reading a long result")
async def read_tool_result(
    ctx: ToolContext,
    tool_call_id: Annotated[str, Field(min_length=1, description="Of a result that was cut.")],
    offset: Annotated[int, Field(ge=0, description="The first character.")] = 0,
    length: Annotated[int, Field(ge=1, le=MAX_TOOL_READ)] = MAX_TOOL_READ,
) -> ToolResult:
    """Read more of a result of this session that was too long to be shown whole."""
    log = await queries.read_events(ctx.part(Chat).reader, ctx.session_id, 0, AT_MOST)
    kept = (event.data for event in log if event.type == events.TOOL_OUTPUT_AVAILABLE)
    found = next((data for data in kept if data["tool_call_id"] == tool_call_id), None)
    if found is None:
        raise CallNotFound
    text = whole_copy(found["output"])
    content = fitting(text[offset : offset + length], MAX_TOOL_READ_JSON)
    return ToolResultText(
        message=f"Characters {offset} to {offset + len(content)} of {len(text)}.",
        tool_call_id=tool_call_id,
        tool=str(found["tool"]),
        offset=offset,
        total=len(text),
        content=content,
        truncated=offset + len(content) < len(text),
    )
