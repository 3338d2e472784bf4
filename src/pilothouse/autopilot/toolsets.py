"""Our tools as Pydantic AI sees them. Each call is answered once: what the log knows is not done again."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from pilothouse.autopilot.breakers import STOP_AND_ASK, TOLD_TO_STOP, failures_like
from pilothouse.autopilot.record import TurnRecord
from pilothouse.base import failpoints
from pilothouse.base.tools import Tool, ToolBox, ToolContext
from pilothouse.kit.json import Json

PARALLEL_CALLS: Final = 8
RETRIES: Final = 1_000_000  # ours are results, so that the library's budget is never the end of a turn
INTERRUPTED: Final = "interrupted"
MAY_HAVE_HAPPENED: Final = "The process that ran this was lost. It may have happened; it was not done again."
_ANYTHING = SchemaValidator(core_schema.any_schema())  # our own frame checks arguments, and answers with a result


@dataclass(slots=True)
class TurnTools(AbstractToolset[None]):
    """The tools of one turn. `text_only` hides them all: the model is to speak."""

    tools: ToolBox
    record: TurnRecord
    context: ToolContext
    text_only: bool = False
    _seats: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL_CALLS))
    _before: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return "pilothouse"

    def begin_round(self) -> None:
        """What is used within a round counts from the next one on."""
        self._before = frozenset(self.record.tools_used)

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {} if self.text_only else {name: self._listed(tool) for name, tool in self.tools.items()}

    def _listed(self, tool: Tool) -> ToolsetTool[None]:
        about = ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.schema)
        return ToolsetTool(toolset=self, tool_def=about, max_retries=RETRIES, args_validator=_ANYTHING)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> Json:
        call_id = ctx.tool_call_id or ""
        if call_id in self.record.results:
            return self.record.results[call_id]
        ours = self.tools[name]
        if call_id in self.record.begun and not ours.repeat_safe:
            return await self.record.keep_failure(call_id, name, INTERRUPTED, MAY_HAVE_HAPPENED)
        if failures_like(self.record.own, name, tool_args) >= TOLD_TO_STOP - 1:
            return await self.record.keep_failure(call_id, name, "repeated_tool_failure", STOP_AND_ASK)
        async with self._seats:
            return await self._run(ours, call_id, tool_args)

    async def _run(self, tool: Tool, call_id: str, arguments: dict[str, Any]) -> Json:
        key = f"{self.context.turn_id}:{call_id}"
        told = replace(self.context, tool_call_id=call_id, idempotency_key=key, tools_used=self._before)
        began = time.monotonic()
        failpoints.hit("turn_call_committed")
        outcome = await tool.call(told, arguments)
        failpoints.hit("turn_tool_done")
        return await self.record.keep_result(call_id, tool.name, outcome, round((time.monotonic() - began) * 1000))


def permitted(tools: ToolBox, permissions: Mapping[str, Json] | None) -> ToolBox:
    """The tools that a turn may use: what it may not is as if it did not exist."""
    named = (permissions or {}).get("tools")
    if not isinstance(named, list):
        return tools
    excludes = bool((permissions or {}).get("tools_exclude"))
    return ToolBox({name: tool for name, tool in tools.items() if (name in named) is not excludes})
