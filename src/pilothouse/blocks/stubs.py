"""What a block that reaches outside gives in a dry run: its first example, or values that its schema makes. Pure.

Equal blocks give equal values, on any machine and day. The pin `error` never fires.
"""

from collections.abc import Sequence
from typing import Final, cast

from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.runner import Fired, fit_inputs
from pilothouse.graph.bare import bare_schema, bare_values
from pilothouse.graph.catalogue import BlockSpec
from pilothouse.graph.fields import ERROR_PIN, properties, required
from pilothouse.graph.json_schema import as_list, as_object, item_schema, members_of, resolve, types_of
from pilothouse.kit.json import Json, JsonObject

MAX_LEVELS: Final = 8
_TEXTS: Final = {
    "date-time": "2026-01-01T12:00:00Z",
    "date": "2026-01-01",
    "time": "12:00:00",
    "duration": "PT1H",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-7000-8000-000000000001",
    "ipv4": "192.0.2.1",
}
_PLAIN: Final[dict[str, Json]] = {"string": "text", "boolean": True, "integer": 1, "number": 1, "null": None}


def check_inputs(spec: BlockSpec, inputs: JsonObject) -> None:
    """Judge the inputs as the block would, but for its credentials. Raises `BlockFailed`."""
    _, wrong = fit_inputs(bare_values(inputs), bare_schema(spec.inputs))
    if wrong:
        message = "; ".join(f"{pin}: {text}" for pin, text in wrong.items())
        raise BlockFailed("invalid_input", message, {"fields": dict[str, Json](wrong)})


def stub(spec: BlockSpec) -> Fired:
    """What the block is said to fire."""
    told = [(pin, value) for pin, value in _first_example(spec) if pin != ERROR_PIN]
    if told:
        return told
    pins = properties(spec.outputs)
    wanted = [pin for pin in spec.happy_pins or pins if pin in pins and pin != ERROR_PIN]
    return [(pin, made(pins[pin], spec.outputs)) for pin in wanted]


def _first_example(spec: BlockSpec) -> Sequence[tuple[str, Json]]:
    if not spec.examples:
        return []
    return [cast(tuple[str, Json], tuple(as_list(fired))) for fired in as_list(spec.examples[0].get("fires"))]


def made(schema: JsonObject, root: JsonObject, levels: int = MAX_LEVELS) -> Json:
    """A value that fits: default, first of an enumeration, example, else a fixed one by type and format."""
    schema = resolve(schema, root)
    members = [member for member in members_of(schema) if types_of(member) != ["null"]]
    if schema.get("default") is not None:
        return schema["default"]
    for name in ("enum", "examples"):
        if found := as_list(schema.get(name)):
            return found[0]
    for name in ("const", "example"):
        if name in schema:
            return schema[name]
    if members:
        return made(members[0], root, levels)
    kind = next((name for name in types_of(schema) if name != "null"), "string")
    if kind in ("object", "array"):
        return _container(kind, schema, root, levels - 1)
    if kind == "string":
        return _text(schema)
    return _number(schema) if kind in ("integer", "number") else _PLAIN[kind]


def _container(kind: str, schema: JsonObject, root: JsonObject, levels: int) -> Json:
    if kind == "array":
        return [made(item_schema(schema, 0), root, levels)] if levels else []
    fields, needed = as_object(schema.get("properties")), required(schema)
    return {name: made(as_object(fields.get(name)), root, levels) for name in needed} if levels else {}


def _text(schema: JsonObject) -> str:
    text = _TEXTS.get(str(schema.get("format")), "text")
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if isinstance(shortest, int):
        text = text.ljust(shortest, "t")
    return text[:longest] if isinstance(longest, int) else text


def _number(schema: JsonObject) -> Json:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    if isinstance(least, int | float) and least >= 1:
        return least if "minimum" in schema else least + 1
    if isinstance(most, int | float) and most < 1:
        return most if "maximum" in schema else most - 1
    return 1
