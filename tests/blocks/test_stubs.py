"""Y2, Y4: what blocks give in a dry run, over the whole catalogue."""

import copy
from dataclasses import replace

import pytest

from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.stubs import check_inputs, made, stub
from pilothouse.graph.bare import BareCatalogue, bare_schema
from pilothouse.graph.catalogue import BlockSpec, Effects, Kind
from pilothouse.graph.fields import is_credentials, properties, required
from pilothouse.graph.values import coerce
from pilothouse.kit.json import Json, JsonObject, dumps
from tests.engine.toys import spec

CATALOGUE = Registry(test_blocks=True)
OUTSIDE = [
    found.id
    for found in CATALOGUE.values()
    if found.effects is not Effects.NONE or found.kind in (Kind.AI, Kind.MCP_TOOL)
]
SEND_WITH_KEY = "fff86bcd-e001-4bad-a7f6-2eae4720c8dc"


@pytest.mark.parametrize("block_id", OUTSIDE)
def test_y2_every_block_that_reaches_outside_has_a_stub_on_its_happy_pins(block_id: str):
    found = CATALOGUE[block_id]
    fired = stub(found)
    assert fired
    assert "error" not in dict(fired)
    for pin, value in fired:
        schema = properties(found.outputs)[pin]
        assert coerce(value, schema, found.outputs) == value
    assert dumps(fired) == dumps(stub(copy.deepcopy(found)))


def without_example(outputs: JsonObject, happy: tuple[str, ...] = ()) -> BlockSpec:
    pins: JsonObject = {**outputs, "error": {"type": "string"}}
    return replace(spec("toy", [], []), outputs={"type": "object", "properties": pins}, happy_pins=happy)


def test_y2_without_an_example_the_schema_makes_the_values_of_the_happy_pins():
    toy = without_example({"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}, ("b", "a"))
    assert stub(toy) == [("b", 1), ("a", "text")]
    assert stub(without_example({"a": {"type": "boolean"}})) == [("a", True)]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "default": 7, "enum": [1]}, 7),
        ({"enum": ["x", "y"]}, "x"),
        ({"type": "string", "examples": ["e"]}, "e"),
        ({"type": "string", "format": "date-time"}, "2026-01-01T12:00:00Z"),
        ({"type": "string", "format": "email"}, "someone@example.com"),
        ({"type": "string", "minLength": 6}, "texttt"),
        ({"type": "integer", "minimum": 10}, 10),
        ({"type": "number", "exclusiveMinimum": 3}, 4),
        ({"type": "integer", "maximum": 0}, 0),
        ({"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "integer"}}], "default": None}, [1]),
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}, {"a": 1}),
        ({"const": 5}, 5),
    ],
)
def test_y2_a_schema_makes_the_same_value_always(schema: JsonObject, value: Json):
    assert made(schema, {}) == value


def test_y2_a_schema_that_holds_itself_comes_to_an_end():
    root: JsonObject = {
        "$defs": {"T": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "required": ["t"]}}
    }
    assert isinstance(made({"$ref": "#/$defs/T"}, root), dict)


@pytest.mark.parametrize("block_id", sorted(CATALOGUE))
def test_y4_credentials_are_taken_out_of_a_copy(block_id: str):
    before = dumps(CATALOGUE[block_id].inputs)
    bare = BareCatalogue(CATALOGUE)[block_id].inputs
    assert not any(map(is_credentials, [*properties(bare), *required(bare)]))
    assert dumps(CATALOGUE[block_id].inputs) == before


def test_y4_a_block_is_judged_without_its_credentials_and_by_all_else():
    found = CATALOGUE[SEND_WITH_KEY]
    assert "credentials" in required(found.inputs)
    assert "credentials" not in required(bare_schema(found.inputs))
    check_inputs(found, {"url": "https://example.com", "credentials": {"id": "x"}})
    check_inputs(found, {"url": "https://example.com"})
    with pytest.raises(BlockFailed) as failed:
        check_inputs(found, {})
    assert (failed.value.code, failed.value.detail) == ("invalid_input", {"fields": {"url": "is required"}})
