"""Agent files that try to make whoever imports them do something."""

from pilothouse.kit.json import Json, JsonObject
from tests.graph.autogpt_files import (
    HOOK,
    INPUT,
    MISSING,
    OUTPUT,
    SUB,
    TEMPLATE,
    agent,
    doubler,
    link,
    node,
    sub_agent,
)

MCP = "a0a4b1c2-d3e4-4f56-a7b8-c9d0e1f2a3b4"
REQUEST = "6595ae1f-b924-42cb-9a41-551a0611c4b4"
CODE = "0b02b072-abe7-11ef-8372-fb5d162dd712"
INSTALLS = "45e78db5-03e9-447f-9395-308d712f5f08"  # reserved: no block installs code
METADATA = "http://169.254.169.254/latest/meta-data/"
ESCAPE = "{{ ().__class__.__mro__[1].__subclasses__() }}{% import 'os' as os %}${__import__('os').system('true')}"
CHILD = "0000aaaa-0000-4000-8000-000000000001"


def hostile_files() -> list[Json]:
    """In order: commands, addresses, code in every text, a class by name; then files that must be refused."""
    command: JsonObject = {"command": "sh", "args": ["-c", "touch /tmp/owned"], "transport": "stdio"}
    return [
        agent(
            "Commands",
            [
                node("mcp", MCP, server_url="stdio:sh -c true", selected_tool="x", tool_arguments=command),
                node("code", CODE, code="import os; os.system('true')", setup_commands=["true"]),
                node("install", INSTALLS, code="import os"),
                node("odd", MISSING, __class__="os.system", **command),
            ],
            [link("mcp", "result", "code", "code"), link("odd", "__class__", "odd", "__init__")],
        ),
        agent(
            "Addresses",
            [
                node("get", REQUEST, url=METADATA, method="GET", files=["file:///etc/passwd"]),
                node("hook", HOOK, payload={"$ref": METADATA}, constants={"$ref": "file:///etc/passwd"}),
            ],
            [],
            input_schema={"$ref": METADATA},
        ),
        agent(
            ESCAPE,
            [
                node("in", INPUT, name=ESCAPE, value=ESCAPE, title=ESCAPE),
                node("fill", TEMPLATE, format=ESCAPE, values={ESCAPE: ESCAPE}),
                node("out", OUTPUT, name="o", format=ESCAPE, value=1),
            ],
            [link("in", "result_@___class___@___mro__", "fill", "values_#___globals__")],
            description=ESCAPE,
            instructions=ESCAPE,
        ),
        {
            "format": "pilothouse.agent/1",
            "name": "Class",
            "nodes": [{"id": "a", "block": TEMPLATE, "inputs": {"format": "x", "py/object": "os.system"}}],
        },
        _ring(),
        agent("Twins", [node("a", TEMPLATE), node("a", TEMPLATE)], [], sub_graphs=[doubler(CHILD)]),
        agent("Crowd", [node(str(number), TEMPLATE) for number in range(1_200)], []),
        {"format": "pickle", "nodes": [], "code": "cos\nsystem\n(S'true'\ntR."},
        agent("Deep", [node("a", TEMPLATE, values=_deep())], []),
        agent("Children", [node("a", SUB)], [], sub_graphs=[doubler(f"child-{number}") for number in range(200)]),
    ]


def _ring() -> JsonObject:
    """Two agents that run each other."""
    left = {**agent("Left", [sub_agent("r", "right")], []), "id": "left", "version": 1}
    right = {**agent("Right", [sub_agent("l", "left")], []), "id": "right", "version": 1}
    return agent("Ring", [sub_agent("x", "left")], [], sub_graphs=[left, right])


def _deep() -> Json:
    value: Json = 1
    for _ in range(200):
        value = [value]
    return value
