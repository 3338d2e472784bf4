"""The graph document as OpenAPI tells it, so that clients get types for it. `graph/parse.py` is what decides."""

from typing import Annotated, Any, Final, TypeAlias

from pydantic import JsonValue, WithJsonSchema

from pilothouse.graph.operations import KNOWN

_Schema: TypeAlias = dict[str, Any]

_TEXT: Final = {"type": "string"}
_POSITION: Final = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_RETRY: Final = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "max_attempts": {"type": "integer", "minimum": 1, "maximum": 10},
        "backoff_s": {"type": "number", "minimum": 0, "maximum": 86_400},
        "factor": {"type": "number", "minimum": 1, "maximum": 100},
        "max_backoff_s": {"type": "number", "minimum": 0, "maximum": 86_400},
        "jitter": {"type": "number", "minimum": 0, "maximum": 1},
        "on": {"type": "string", "enum": ["retryable", "any"]},
    },
}
_POLICY: Final = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "retry": _RETRY,
        "timeout_s": {"type": "number", "minimum": 1, "maximum": 86_400},
        "on_error": {"type": "string", "enum": ["continue", "fail"]},
        "ordered": {"type": "boolean"},
    },
}
_NODE: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "block"],
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "block": {"type": "string", "format": "uuid"},
        "name": _TEXT,
        "inputs": {"type": "object", "additionalProperties": True},
        "position": _POSITION,
        "policy": _POLICY,
        "optional_credentials": {"type": "boolean"},
        "placeholder": {"type": "boolean", "description": "Kept from an import; it refuses to run."},
    },
}
LINK: Final[_Schema] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["from", "out", "to", "in"],
    "properties": {"from": _TEXT, "out": _TEXT, "to": _TEXT, "in": _TEXT, "static": {"type": "boolean"}},
}
GRAPH: Final[_Schema] = {
    "type": "object",
    "title": "Graph",
    "additionalProperties": False,
    "properties": {
        "format": {"type": "string", "enum": ["pilothouse.agent/1"]},
        "id": _TEXT,
        "version": {"type": "integer", "minimum": 1},
        "name": _TEXT,
        "description": _TEXT,
        "instructions": _TEXT,
        "recommended_schedule_cron": _TEXT,
        "nodes": {"type": "array", "items": _NODE, "maxItems": 1000},
        "links": {"type": "array", "items": LINK, "maxItems": 5000},
        "sub_agents": {"type": "array", "items": {"type": "object", "additionalProperties": True}, "maxItems": 50},
    },
}

OPERATION: Final[_Schema] = {
    "type": "object",
    "title": "Operation",
    "required": ["op"],
    "additionalProperties": False,
    "description": "One change. A node is named by its id or, made by operation i of the same edit, as `@i`.",
    "properties": {
        "op": {"type": "string", "enum": list(KNOWN)},
        "node": _TEXT,
        "block": {"type": "string", "description": "The id of a block, or its name."},
        "id": _TEXT,
        "name": _TEXT,
        "inputs": {"type": "object", "additionalProperties": True},
        "position": _POSITION,
        "patch": {"type": "object", "additionalProperties": True, "description": "A merge patch: null takes away."},
        "field": {
            "anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}],
            "description": "A pin, or a pin and the keys inside its value: `values.name`, or `[values, name]`.",
        },
        "value": {},
        "keep_unknown": {"type": "boolean", "description": "Take a literal that the block does not know."},
        "from": _TEXT,
        "out": _TEXT,
        "to": _TEXT,
        "in": _TEXT,
        "static": {"type": "boolean"},
    },
}

Graph: TypeAlias = Annotated[dict[str, JsonValue], WithJsonSchema(GRAPH)]
LinkShape: TypeAlias = Annotated[dict[str, JsonValue], WithJsonSchema(LINK)]
OperationShape: TypeAlias = Annotated[dict[str, JsonValue], WithJsonSchema(OPERATION)]
