"""Writes the page about tools from their declarations: `python -m pilothouse.autopilot.reference`."""

import sys
from collections.abc import Iterator
from typing import cast

from pydantic.fields import FieldInfo

from pilothouse.autopilot import all_tools, testing
from pilothouse.base.tools import Tool, ToolResult
from pilothouse.kit.json import JsonObject

HEAD = """# AutoPilot's tools

Made from the declarations in `features/*/tools.py`; do not edit. `*` marks what is required. Every result has `type`,
`message` and `session_id`; a failure is the result `error`. *Repeats*: whether a call that may have happened is made
again, with the same idempotency key, when its worker is lost.
"""


def page() -> str:
    tools = all_tools()
    parts = [HEAD, *(_tool(tool) for tool in tools.values()), "## Result types\n\n| `type` | Fields |\n|---|---|\n"]
    return "\n".join(parts) + "".join(sorted(_results()))


def _tool(tool: Tool) -> str:
    facts = f"*{tool.label}* · {tool.effect} · {'repeats' if tool.repeat_safe else 'does not repeat'}"
    cap = "caps itself" if tool.timeout_seconds is None else f"{tool.timeout_seconds:g} s"
    lines = [f"## {tool.name}\n", f"{tool.description}\n", f"{facts} · {cap}\n"]
    rows = [_argument(name, schema, tool) for name, schema in _properties(tool).items()]
    if rows:
        lines += ["| Argument | Type | |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _properties(tool: Tool) -> dict[str, JsonObject]:
    return cast(dict[str, JsonObject], tool.schema.get("properties", {}))


def _argument(name: str, schema: JsonObject, tool: Tool) -> str:
    mark = "*" if tool.arguments.model_fields[name].is_required() else ""
    return f"| `{name}`{mark} | {_kind(schema)} | {schema.get('description', '')} |"


def _kind(schema: JsonObject) -> str:
    options = cast(list[JsonObject], schema.get("anyOf", [schema]))
    return " or ".join(str(option.get("type", "any")) for option in options)


def _results() -> Iterator[str]:
    for result in ToolResult.__subclasses__():
        if result.__module__ == testing.__name__:
            continue  # nobody is told of these
        fields = [name for name in result.model_fields if name not in ToolResult.model_fields and name != "type"]
        yield f"| {_type_of(result.model_fields['type'])} | {', '.join(fields)} |\n"


def _type_of(field: FieldInfo) -> str:
    return str(field.default)


if __name__ == "__main__":
    sys.stdout.write(page())
