"""Tools of other servers."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    Kind,
    block,
)
from pilothouse.blocks.credentials import ApiKey, CredentialRef, credentials_field
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.json import Json, JsonObject, dumps
from pilothouse.kit.outside import ToolAnswer, ToolCall

SECONDS = 120.0
MAX_SAID = 2_000
_ASK: JsonObject = {"server_url": "https://tools.example.com/mcp", "selected_tool": "add"}
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}


def _none_if_empty(value: object) -> object:
    return value or None  # imported agents say {} where nothing was chosen


class MCPToolIn(BlockInput):
    """The fields of the chosen tool are pins too."""

    model_config = ConfigDict(extra="allow")

    server_url: Annotated[
        str, Field(description="Address of an MCP server (streamable HTTP).", json_schema_extra={"address": "url"})
    ]
    selected_tool: Annotated[str, Field(description="Name of the tool.")] = ""
    tool_input_schema: dict[str, AnyJson] = Field(
        default={}, description="What the tool takes, as JSON schema.", json_schema_extra={"hidden": True}
    )
    tool_description: Annotated[str, Field(description="What the tool does.", json_schema_extra={"hidden": True})] = ""
    tool_arguments: dict[str, AnyJson] = Field(default={}, description="Values for the tool, by field.")
    credentials: Annotated[CredentialRef | None, BeforeValidator(_none_if_empty)] = credentials_field(
        "mcp", types=("api_key",), optional=True, description="Token for the server, sent as bearer."
    )


class MCPToolOut(BlockOutput):
    result: AnyJson = None


@block(
    id="a0a4b1c2-d3e4-4f56-a7b8-c9d0e1f2a3b4",
    name="MCP tool",
    categories={Category.DEVELOPER_TOOLS},
    kind=Kind.MCP_TOOL,
    effects=Effects.WRITES,
    at_least_once=True,
    timeout_s=180.0,
    happy_pins=("result",),
    examples=[
        Example(
            ask={**_ASK, "tool_arguments": {"a": 1, "b": 2}},
            outside=[ToolAnswer({"result": 3})],
            fires=[("result", {"result": 3})],
        ),
        Example(
            ask={**_ASK, "tool_input_schema": _SCHEMA, "a": 1, "tool_arguments": {"a": 5, "b": 2}},
            outside=[ToolAnswer("3")],
            fires=[("result", "3")],
        ),
        Example(
            ask={**_ASK, "tool_arguments": {"a": 1, "b": "x"}},
            outside=[ToolAnswer("b is no number", failed=True)],
            fires=[("error", "the tool failed: b is no number")],
        ),
        Example(
            ask={**_ASK, "tool_input_schema": _SCHEMA, "a": 1},
            fires=[("error", "the tool needs a value for b")],
        ),
        Example(ask={"server_url": "https://tools.example.com/mcp"}, fires=[("error", "choose a tool of this server")]),
    ],
)
async def mcp_tool(ask: MCPToolIn, ctx: BlockContext) -> MCPToolOut:
    """Call a tool of an MCP server. What it takes can be linked field by field, or given as one object."""
    if not ask.selected_tool:
        return MCPToolOut(error="choose a tool of this server")
    arguments = arguments_of(ask)
    missing = [str(name) for name in as_list(ask.tool_input_schema.get("required")) if name not in arguments]
    if missing:
        return MCPToolOut(error=f"the tool needs a value for {', '.join(missing)}")
    opened = ctx.credentials.get("credentials")
    token = opened.key if isinstance(opened, ApiKey) else None
    call = ToolCall(ask.server_url, ask.selected_tool, arguments, token, ctx.idempotency_key(), SECONDS)
    answer = await ctx.outside.call_tool(call)
    if answer.failed:
        return MCPToolOut(error=f"the tool failed: {_text(answer.value)[:MAX_SAID]}")
    return MCPToolOut(result=answer.value)


def arguments_of(ask: MCPToolIn) -> JsonObject:
    """The one object, and over it what pins of the tool's fields brought."""
    fields = as_object(ask.tool_input_schema.get("properties"))
    brought: dict[str, Json] = {
        name: value for name, value in (ask.model_extra or {}).items() if name in fields or not fields
    }
    return {**ask.tool_arguments, **brought}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)
