"""Tools for fault tests only: models are told of them when the setting `test_blocks` is on, never otherwise."""

import asyncio
import os
from typing import Annotated, Literal

from pydantic import Field

from pilothouse.base.tools import Effect, ToolBox, ToolContext, ToolResult

tools = ToolBox()

Path = Annotated[str, Field(description="The file to append to.")]
Text = Annotated[str, Field(description="What to append.")]
Seconds = Annotated[float, Field(ge=0, le=60, description="How long to take, before and again after.")]


class Appended(ToolResult):
    type: Literal["appended"] = "appended"
    text: str


@tools.tool(label="Appending", effect=Effect.OUTSIDE)
async def append_line(ctx: ToolContext, path: Path, text: Text, seconds: Seconds = 0) -> ToolResult:
    """Append `key text` to a file. Who reads it counts a key once."""
    return await _append(ctx, path, text, seconds)


@tools.tool(label="Appending once", effect=Effect.OUTSIDE, repeat_safe=False)
async def append_once(ctx: ToolContext, path: Path, text: Text, seconds: Seconds = 0) -> ToolResult:
    """Append `key text` to a file. Who reads it counts every line."""
    return await _append(ctx, path, text, seconds)


async def _append(ctx: ToolContext, path: str, text: str, seconds: float) -> ToolResult:
    await asyncio.sleep(seconds)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, f"{ctx.idempotency_key} {text}\n".encode())
        os.fsync(handle)
    finally:
        os.close(handle)
    await asyncio.sleep(seconds)
    return Appended(message="Appended.", text=text)
