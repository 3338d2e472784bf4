"""Our tools as Pydantic AI sees them. It never runs one: the ledger has, and the library is given what came out."""

from dataclasses import dataclass
from typing import Any, Final

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from pilothouse.autopilot.ledger import Ledger
from pilothouse.base.permissions import Permissions
from pilothouse.base.tools import Tool, ToolBox
from pilothouse.kit.json import Json

RETRIES: Final = 1_000_000  # ours are results, so that the library's budget is never the end of a turn
_ANYTHING = SchemaValidator(core_schema.any_schema())  # our own frame checks arguments, and answers with a result


@dataclass(slots=True)
class TurnTools(AbstractToolset[None]):
    """The tools of one turn."""

    ledger: Ledger

    @property
    def id(self) -> str:
        return "pilothouse"

    @property
    def tools(self) -> ToolBox:
        return self.ledger.tools

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {name: self._listed(tool) for name, tool in self.tools.items()}

    def _listed(self, tool: Tool) -> ToolsetTool[None]:
        about = ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.schema)
        return ToolsetTool(toolset=self, tool_def=about, max_retries=RETRIES, args_validator=_ANYTHING)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> Json:
        return self.ledger.record.results[ctx.tool_call_id or ""]


def permitted(tools: ToolBox, permissions: Permissions) -> ToolBox:
    """The tools that a turn may use: what it may not is as if it did not exist."""
    return ToolBox({name: tool for name, tool in tools.items() if permissions.allows_tool(name)})
