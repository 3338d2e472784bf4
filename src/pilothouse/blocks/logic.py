"""Choosing and stepping."""

import operator
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any, Literal, cast

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
from pilothouse.graph.fitting import type_name
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, loads

Operator = Literal["==", "!=", ">", "<", ">=", "<="]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


class ConditionIn(BlockInput):
    value1: Annotated[AnyJson, Field(description="Left side.")]
    operator: Annotated[Operator, Field(description="How to compare.")]
    value2: Annotated[AnyJson, Field(description="Right side.")]
    yes_value: Annotated[AnyJson, Field(description="Given when true; the left side when left out.")] = None
    no_value: Annotated[AnyJson, Field(description="Given when false; the right side when left out.")] = None


class ConditionOut(BlockOutput):
    result: bool | None = None
    yes_output: AnyJson = None
    no_output: AnyJson = None


@block(
    id="715696a0-e1da-45c8-b209-c2fa9c3b0be6",
    name="Condition",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    happy_pins=("result", "yes_output"),
    examples=[
        Example(
            ask={"value1": 10, "operator": ">", "value2": " 5 ", "yes_value": "more", "no_value": "less"},
            fires=[("result", True), ("yes_output", "more")],
        ),
        Example(
            ask={"value1": "a", "operator": "==", "value2": "b"},
            fires=[("result", False), ("no_output", "b")],
        ),
        Example(ask={"value1": "a", "operator": "<", "value2": 1}, fires=[("error", str)]),
    ],
)
async def condition(ask: ConditionIn, ctx: BlockContext) -> ConditionOut:
    """Compare two values, and send one value on its way if it holds, else another."""
    left, right = comparable(ask.value1), comparable(ask.value2)
    try:
        result = compare(left, ask.operator, right)
    except TypeError:
        return ConditionOut(error=f"cannot compare {type_name(left)} {ask.operator} {type_name(right)}")
    if result:
        return ConditionOut(result=True, yes_output=ask.value1 if ask.yes_value is None else ask.yes_value)
    return ConditionOut(result=False, no_output=ask.value2 if ask.no_value is None else ask.no_value)


def comparable(value: Json) -> Json:
    """Text without its margins, and as a number when it reads as one."""
    if not isinstance(value, str):
        return value
    try:
        return coerce(value, {"type": "number"}, {})
    except NotConvertible:
        return value.strip()


def compare(left: Json, sign: str, right: Json) -> bool:
    """Raises `TypeError` when the two have no order. True is not 1 here."""
    same_kind = isinstance(left, bool) == isinstance(right, bool)
    if sign in ("==", "!="):
        return (same_kind and left == right) == (sign == "==")
    if not same_kind or left is None or isinstance(left, dict):
        raise TypeError(sign)
    return _ORDER[sign](left, right)


MAX_ITEMS = 10_000
MAX_ITEMS_TEXT = 1_000_000


class StepThroughItemsIn(BlockInput):
    items: list[AnyJson] = Field(default=[], description="A list to step through.")
    items_object: dict[str, AnyJson] = Field(default={}, description="An object to step through.")
    items_str: Annotated[str, Field(description="JSON text of a list or an object.")] = ""


class StepThroughItemsOut(BlockOutput):
    item: AnyJson = None
    key: AnyJson = None


@block(
    id="f66a3543-28d3-4ab5-8945-9b336371e2ce",
    name="Step through items",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    happy_pins=("item", "key"),
    examples=[
        Example(ask={"items": ["a", None]}, fires=[("item", "a"), ("key", 0), ("item", None), ("key", 1)]),
        Example(ask={"items_object": {"x": 1}}, fires=[("item", 1), ("key", "x")]),
        Example(ask={"items_str": "[7]"}, fires=[("item", 7), ("key", 0)]),
        Example(ask={"items": []}),
        Example(ask={"items_str": "[7"}, fires=[("error", str)]),
    ],
)
async def step_through_items(ask: StepThroughItemsIn, ctx: BlockContext) -> AsyncIterator[StepThroughItemsOut]:
    """Loop over a list or object: hand on its items one at a time."""
    try:
        parsed = parse_items(ask.items_str)
    except ValueError as fault:
        yield StepThroughItemsOut(error=str(fault))
        return
    sources = [ask.items, ask.items_object, parsed]
    if sum(len(source) for source in sources) > MAX_ITEMS:
        yield StepThroughItemsOut(error=f"more than {MAX_ITEMS:,} items")
        return
    for source in sources:
        for key, item in entries(source):
            yield StepThroughItemsOut(item=item, key=key)


def parse_items(text: str) -> list[Json] | dict[str, Json]:
    """Read the JSON text; raises `ValueError` with words for the user."""
    if not text.strip():
        return []
    if len(text) > MAX_ITEMS_TEXT:
        raise ValueError("items_str is larger than 1 MB")
    try:
        parsed = loads(text)
    except ValueError:
        raise ValueError("items_str is not JSON") from None
    if not isinstance(parsed, list | dict):
        raise ValueError("items_str is neither a list nor an object")
    return parsed


def entries(source: list[Json] | dict[str, Json]) -> Iterator[tuple[Json, Json]]:
    """Index or key with each element."""
    return iter(source.items()) if isinstance(source, dict) else cast(Iterator[tuple[Json, Json]], enumerate(source))
