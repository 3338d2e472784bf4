"""A small catalogue in the shape that pydantic's schemas give."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from pilothouse.graph.catalogue import BlockSpec, Effects, Kind
from pilothouse.graph.document import Document, Link, Node
from pilothouse.kit.json import Json, JsonObject

Raw: TypeAlias = dict[str, Any]  # JSON that a test reaches into

FETCH = "00000000-0000-4000-8000-000000000001"
TEXT_IN = "00000000-0000-4000-8000-000000000002"
NUMBER_IN = "00000000-0000-4000-8000-000000000003"
OUT = "00000000-0000-4000-8000-000000000004"
NOTE = "00000000-0000-4000-8000-000000000005"
HOOK = "00000000-0000-4000-8000-000000000006"
OFF = "00000000-0000-4000-8000-000000000007"
CHOICE_IN = "00000000-0000-4000-8000-000000000008"
SUB = "00000000-0000-4000-8000-000000000009"
MAIL = "00000000-0000-4000-8000-00000000000a"
UNKNOWN = "00000000-0000-4000-8000-00000000dead"


def block(block_id: str, name: str, inputs: JsonObject, outputs: JsonObject, **rest: Any) -> BlockSpec:
    required: list[Json] = rest.pop("required", [])
    return BlockSpec(
        id=block_id,
        name=name,
        description=name,
        categories=("BASIC",),
        kind=rest.pop("kind", Kind.STANDARD),
        effects=Effects.NONE,
        static_output=False,
        streams=True,
        sensitive=False,
        cpu_heavy=False,
        timeout_s=None,
        inputs={
            "type": "object",
            "properties": inputs,
            "required": required,
            "additionalProperties": False,
            "$defs": {"Mode": {"enum": ["fast", "safe"], "type": "string"}},
        },
        outputs={
            "type": "object",
            "properties": {**outputs, "error": {"type": "string"}},
            "additionalProperties": False,
        },
        happy_pins=(),
        examples=(),
        **rest,
    )


def _input(block_id: str, name: str, value: JsonObject, **more: JsonObject) -> BlockSpec:
    fields: JsonObject = {
        "name": {"type": "string"},
        "value": value,
        "title": {"type": "string", "default": ""},
        "description": {"type": "string", "default": ""},
        "required": {"type": "boolean", "default": True},
    }
    fields.update(more)
    return block(block_id, name, fields, {"result": value}, kind=Kind.INPUT, required=["name"])


CATALOGUE = {
    spec.id: spec
    for spec in (
        block(
            FETCH,
            "Fetch",
            {
                "url": {"type": "string", "minLength": 1},
                "limit": {"type": "integer", "exclusiveMinimum": 0, "maximum": 100, "default": 10},
                "mode": {"$ref": "#/$defs/Mode", "default": "fast"},
                "headers": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}},
                "token_credentials": {"type": "object"},
                "proxy": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                "proxy_user": {"type": "string", "depends_on": ["proxy"], "default": ""},
            },
            {"text": {"type": "string"}, "links": {"type": "array", "items": {"type": "string"}}},
            required=["url"],
        ),
        _input(TEXT_IN, "Text", {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
        _input(NUMBER_IN, "Number", {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None}),
        _input(
            CHOICE_IN,
            "Choice",
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            options={"type": "array", "items": {}, "default": []},
        ),
        block(
            OUT,
            "Output",
            {"name": {"type": "string"}, "value": {}},
            {"output": {}, "name": {"type": "string"}},
            kind=Kind.OUTPUT,
            required=["name", "value"],
        ),
        block(NOTE, "Note", {"text": {"type": "string"}}, {}, kind=Kind.NOTE, required=["text"]),
        block(HOOK, "Hook", {"payload": {}}, {"payload": {}}, kind=Kind.TRIGGER, required=["payload"]),
        block(
            SUB,
            "Run agent",
            {
                "graph_id": {"type": "string"},
                "graph_version": {"type": "integer"},
                "inputs": {"type": "object"},
                "input_schema": {"type": "object"},
                "nodes_input_masks": {"type": "object"},
            },
            {},
            kind=Kind.AGENT,
            required=["graph_id", "graph_version", "inputs", "input_schema"],
        ),
        block(
            MAIL,
            "Mail",
            {
                "smtp_credentials": {
                    "type": "object",
                    "credentials_provider": ["smtp"],
                    "credentials_types": ["user_password"],
                    "credentials_scopes": ["mail.send"],
                }
            },
            {},
            required=["smtp_credentials"],
        ),
        block(OFF, "Off", {}, {}, disabled=True, reason="The operator switched it off."),
    )
}


def doc(nodes: Sequence[Node], links: Sequence[Link] = (), **more: Any) -> Document:
    return Document("Test", nodes=tuple(nodes), links=tuple(links), **more)


def fetch(node_id: str = "f", **inputs: Json) -> Node:
    return Node(node_id, FETCH, inputs={"url": "https://a.test"} | inputs)


def sub(node_id: str, agent_id: str, version: int = 1, **inputs: Json) -> Node:
    own: JsonObject = {"graph_id": agent_id, "graph_version": version, "inputs": {}, "input_schema": {}}
    return Node(node_id, SUB, inputs=own | inputs)
