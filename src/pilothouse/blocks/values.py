"""Any value: keeping it, converting it, writing it as JSON, counting what is in it."""

from typing import Annotated, Literal

from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, dumps, loads


class StoreValueIn(BlockInput):
    input: Annotated[AnyJson, Field(description="Starts the block; handed on when there is no data.")]
    data: Annotated[AnyJson, Field(description="A constant to hand on instead.")] = None


class StoreValueOut(BlockOutput):
    output: AnyJson = None


@block(
    id="1ff065e9-88e8-4358-9d82-8dc91f622ba9",
    name="Store value",
    categories={Category.BASIC},
    effects=Effects.NONE,
    static_output=True,
    examples=[
        Example(ask={"input": "a"}, fires=[("output", "a")]),
        Example(ask={"input": "a", "data": {"b": 1}}, fires=[("output", {"b": 1})]),
        Example(ask={"input": None}, fires=[("output", None)]),
    ],
)
async def store_value(ask: StoreValueIn, ctx: BlockContext) -> StoreValueOut:
    """Keep a value, so that it can be used again and again."""
    return StoreValueOut(output=ask.input if ask.data is None else ask.data)


class PrintToConsoleIn(BlockInput):
    text: Annotated[AnyJson, Field(description="What to note in the run's log.")]


class PrintToConsoleOut(BlockOutput):
    output: AnyJson = None
    status: str | None = None


@block(
    id="f3b1c1b2-4c4f-4f0d-8d2f-4c4f0d8d2f4c",
    name="Print to console",
    categories={Category.BASIC},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "Hello"}, fires=[("output", "Hello"), ("status", "printed")]),
        Example(ask={"text": {"a": 1}}, fires=[("output", {"a": 1}), ("status", "printed")]),
    ],
)
async def print_to_console(ask: PrintToConsoleIn, ctx: BlockContext) -> PrintToConsoleOut:
    """Note a value in the run's log, to see what passes here."""
    ctx.log.info(ask.text if isinstance(ask.text, str) else dumps(ask.text))
    return PrintToConsoleOut(output=ask.text, status="printed")


TYPES = {"string": "string", "number": "number", "boolean": "boolean", "list": "array", "dictionary": "object"}


class ConvertIn(BlockInput):
    value: Annotated[AnyJson, Field(description="What to convert.")]
    type: Annotated[
        Literal["string", "number", "boolean", "list", "dictionary"], Field(description="What to make of it.")
    ]


class ConvertOut(BlockOutput):
    value: AnyJson = None


@block(
    id="95d1b990-ce13-4d88-9737-ba5c2070c97b",
    name="Universal type converter",
    categories={Category.BASIC},
    effects=Effects.NONE,
    examples=[
        Example(ask={"value": "12", "type": "number"}, fires=[("value", 12)]),
        Example(ask={"value": {"a": 1}, "type": "string"}, fires=[("value", '{"a":1}')]),
        Example(ask={"value": "Yes", "type": "boolean"}, fires=[("value", True)]),
        Example(ask={"value": {"a": 1}, "type": "list"}, fires=[("value", [["a", 1]])]),
        Example(ask={"value": ["x"], "type": "dictionary"}, fires=[("value", {"0": "x"})]),
        Example(ask={"value": "many", "type": "number"}, fires=[("error", str)]),
        Example(ask={"value": None, "type": "string"}, fires=[("error", str)]),
    ],
)
async def universal_type_converter(ask: ConvertIn, ctx: BlockContext) -> ConvertOut:
    """Convert a value to text, a number, true or false, a list or an object, by the same rules as pins do."""
    try:
        return ConvertOut(value=coerce(ask.value, {"type": TYPES[ask.type]}, {}))
    except NotConvertible as fault:
        return ConvertOut(error=f"cannot be made a {ask.type}: {fault}")


class CountItemsIn(BlockInput):
    collection: Annotated[AnyJson, Field(description="A list, an object or text.")]


class CountItemsOut(BlockOutput):
    count: int | None = None


@block(
    id="3c9c2f42-b0c3-435f-ba35-05f7a25c772a",
    name="Count items",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    examples=[
        Example(ask={"collection": [1, None]}, fires=[("count", 2)]),
        Example(ask={"collection": {"a": 1}}, fires=[("count", 1)]),
        Example(ask={"collection": "abc"}, fires=[("count", 3)]),
        Example(ask={"collection": 5}, fires=[("count", -1)]),
        Example(ask={"collection": None}, fires=[("count", -1)]),
    ],
)
async def count_items(ask: CountItemsIn, ctx: BlockContext) -> CountItemsOut:
    """Count the items of a list, the keys of an object or the characters of a text; -1 for anything else."""
    return CountItemsOut(count=len(ask.collection) if isinstance(ask.collection, list | dict | str) else -1)


class JsonEncoderIn(BlockInput):
    data: Annotated[AnyJson, Field(description="What to write.")]


class JsonEncoderOut(BlockOutput):
    json_str: str | None = None


@block(
    id="9a9d20c5-5b4d-4e94-8022-83b6cb72648a",
    name="JSON encoder",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"data": {"a": [1, None]}}, fires=[("json_str", '{"a":[1,null]}')]),
        Example(ask={"data": "ü"}, fires=[("json_str", '"ü"')]),
    ],
)
async def json_encoder(ask: JsonEncoderIn, ctx: BlockContext) -> JsonEncoderOut:
    """Write a value as JSON text."""
    return JsonEncoderOut(json_str=dumps(ask.data))


class JsonDecoderIn(BlockInput):
    json_str: Annotated[str, Field(description="JSON text.", json_schema_extra={"format": "json"})]


class JsonDecoderOut(BlockOutput):
    data: AnyJson = None


@block(
    id="2b935639-65bc-48fd-9f88-823cd706fcd9",
    name="JSON decoder",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"json_str": '{"a": [1, null]}'}, fires=[("data", {"a": [1, None]})]),
        Example(ask={"json_str": "null"}, fires=[("data", None)]),
        Example(ask={"json_str": "{"}, fires=[("error", str)]),
    ],
)
async def json_decoder(ask: JsonDecoderIn, ctx: BlockContext) -> JsonDecoderOut:
    """Parse JSON text into a value."""
    try:
        data: Json = loads(ask.json_str)
    except ValueError as fault:
        return JsonDecoderOut(error=f"not JSON: {fault}")
    return JsonDecoderOut(data=data)
