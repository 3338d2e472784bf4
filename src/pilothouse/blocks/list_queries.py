"""Asking a list: which items, in what order, how much in all."""

import statistics
from functools import cmp_to_key
from math import isfinite
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from pilothouse.blocks.branches import holds, text_of
from pilothouse.blocks.calculator import LARGEST
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
from pilothouse.blocks.equality import distinct
from pilothouse.blocks.logic import comparable, compare
from pilothouse.blocks.patterns import BadPattern, Pattern, PatternTookTooLong, look
from pilothouse.kit.json import Json

Items: TypeAlias = Annotated[list[AnyJson], Field(alias="list", description="The list.")]
Key: TypeAlias = Annotated[
    str | None, Field(description="Look at this key of each item; at the item itself when left out.")
]


def value_at(item: Json, key: str | None) -> Json:
    """What to look at; null when the item has no such key."""
    if not key:
        return item
    return item.get(key) if isinstance(item, dict) else None


class FilterListIn(BlockInput):
    items: Items
    key: Key = None
    operator: Annotated[
        Literal["==", "!=", ">", "<", ">=", "<=", "contains", "starts_with", "ends_with", "matches", "is_empty"],
        Field(description="How to compare."),
    ]
    value: Annotated[AnyJson, Field(description="What to compare with.")] = None


class FilterListOut(BlockOutput):
    kept: list[AnyJson] | None = None
    dropped: list[AnyJson] | None = None


@block(
    id="b865ff2e-3b90-41e1-8174-c29f36ddae01",
    name="Filter list",
    categories={Category.DATA, Category.LOGIC},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"list": [{"n": 1}, {"n": "5"}, {}], "key": "n", "operator": ">", "value": 2},
            fires=[("kept", [{"n": "5"}]), ("dropped", [{"n": 1}, {}])],
        ),
        Example(
            ask={"list": ["", None, [], 0], "operator": "is_empty"}, fires=[("kept", ["", None, []]), ("dropped", [0])]
        ),
        Example(
            ask={"list": ["a1", "b2"], "operator": "matches", "value": "^a"},
            fires=[("kept", ["a1"]), ("dropped", ["b2"])],
        ),
        Example(ask={"list": ["a"], "operator": "matches", "value": "("}, fires=[("error", str)]),
    ],
)
async def filter_list(ask: FilterListIn, ctx: BlockContext) -> FilterListOut:
    """Keep the items of a list for which a comparison holds; what cannot be compared is dropped."""
    values = [value_at(item, ask.key) for item in ask.items]
    if ask.operator == "matches":
        try:
            verdicts = await matching(values, text_of(ask.value))
        except (BadPattern, PatternTookTooLong) as fault:
            return FilterListOut(error=str(fault))
    else:
        verdicts = [passes(value, ask.operator, ask.value) for value in values]
    pairs = list(zip(ask.items, verdicts, strict=True))
    return FilterListOut(
        kept=[item for item, passed in pairs if passed], dropped=[item for item, passed in pairs if not passed]
    )


async def matching(values: list[Json], pattern: str) -> list[bool]:
    """Whether the pattern is found in each; null holds nothing."""

    def search(rule: Pattern) -> list[bool]:
        return [value is not None and rule.search(text_of(value)) is not None for value in values]

    return await look(pattern, search)


def passes(value: Json, operator: str, other: Json) -> bool:
    if operator == "is_empty":
        return value is None or value in ("", [], {})
    if operator == "contains":
        return isinstance(value, str | list | dict) and holds(value, other)
    if operator in ("starts_with", "ends_with"):
        text = text_of(value)
        return text.startswith(text_of(other)) if operator == "starts_with" else text.endswith(text_of(other))
    try:
        return compare(comparable(value), operator, comparable(other))
    except TypeError:
        return False


class SortListIn(BlockInput):
    items: Items
    key: Key = None
    descending: Annotated[bool, Field(description="Largest first.")] = False


class SortListOut(BlockOutput):
    sorted_list: list[AnyJson] | None = None


@block(
    id="e74c5c15-c06b-422b-899d-ac8b91c64877",
    name="Sort list",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list": [3, "1", 2]}, fires=[("sorted_list", ["1", 2, 3])]),
        Example(
            ask={"list": [{"n": 1}, {}, {"n": 2}], "key": "n", "descending": True},
            fires=[("sorted_list", [{"n": 2}, {"n": 1}, {}])],
        ),
        Example(
            ask={"list": [1, "a"]}, fires=[("error", "the items have no order: values of different types are mixed")]
        ),
    ],
)
async def sort_list(ask: SortListIn, ctx: BlockContext) -> SortListOut:
    """Put a list in order; equal items stay as they were, those without a value come last."""
    values = [comparable(value_at(item, ask.key)) for item in ask.items]
    there = [index for index, value in enumerate(values) if value is not None]
    try:
        there.sort(key=cmp_to_key(lambda left, right: order(values[left], values[right])), reverse=ask.descending)
    except TypeError:
        return SortListOut(error="the items have no order: values of different types are mixed")
    missing = [index for index, value in enumerate(values) if value is None]
    return SortListOut(sorted_list=[ask.items[index] for index in (*there, *missing)])


def order(left: Json, right: Json) -> int:
    """Raises `TypeError` when the two have none."""
    return compare(left, ">", right) - compare(left, "<", right)


class AggregateIn(BlockInput):
    items: Items
    key: Key = None
    operation: Annotated[
        Literal["sum", "average", "min", "max", "median", "count", "distinct"], Field(description="What to work out.")
    ]


class AggregateOut(BlockOutput):
    result: AnyJson = None


@block(
    id="0c174ab2-4265-4b8f-973b-3b5b568f44fa",
    name="Aggregate",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list": [{"n": 1}, {"n": "2"}, {}], "key": "n", "operation": "sum"}, fires=[("result", 3)]),
        Example(ask={"list": [1, 2], "operation": "average"}, fires=[("result", 1.5)]),
        Example(ask={"list": ["b", "a", None], "operation": "min"}, fires=[("result", "a")]),
        Example(ask={"list": [1, 5], "operation": "max"}, fires=[("result", 5)]),
        Example(ask={"list": [3, 1, 2], "operation": "median"}, fires=[("result", 2)]),
        Example(ask={"list": [1, None, 1], "operation": "count"}, fires=[("result", 2)]),
        Example(ask={"list": [2, 1, 2.0], "operation": "distinct"}, fires=[("result", [2, 1])]),
        Example(ask={"list": [], "operation": "sum"}, fires=[("result", 0)]),
        Example(ask={"list": [None], "operation": "average"}, fires=[("error", "there is no value")]),
        Example(ask={"list": ["a"], "operation": "sum"}, fires=[("error", "'a' is not a number")]),
    ],
)
async def aggregate(ask: AggregateIn, ctx: BlockContext) -> AggregateOut:
    """Work out the sum, average, minimum, maximum, median, count or distinct values of a list; nulls are left out."""
    values: list[Json] = [value for item in ask.items if (value := value_at(item, ask.key)) is not None]
    try:
        return AggregateOut(result=aggregated(ask.operation, values))
    except ValueError as fault:
        return AggregateOut(error=str(fault))
    except OverflowError:
        return AggregateOut(error="the result is too large")


def aggregated(operation: str, values: list[Json]) -> Json:
    """Raises `ValueError` with words for the user, `OverflowError` for what is no number any more."""
    if operation == "count":
        return len(values)
    if operation == "distinct":
        return distinct(values)
    if operation == "sum":
        return writable(sum(numbers(values)))
    if not values:
        raise ValueError("there is no value")
    if operation in ("min", "max"):
        return extreme(values, operation)
    worked = statistics.fmean(numbers(values)) if operation == "average" else statistics.median(numbers(values))
    return writable(worked)


def numbers(values: list[Json]) -> list[int | float]:
    found: list[int | float] = []
    for value in values:
        number = comparable(value)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"{text_of(value)[:40]!r} is not a number")
        found.append(number)
    return found


def extreme(values: list[Json], operation: str) -> Json:
    best = values[0]
    for value in values[1:]:
        try:
            if compare(comparable(value), "<" if operation == "min" else ">", comparable(best)):
                best = value
        except TypeError:
            raise ValueError("the items have no order: values of different types are mixed") from None
    return best


def writable(number: int | float) -> int | float:
    if abs(number) > LARGEST if isinstance(number, int) else not isfinite(number):
        raise OverflowError
    return number
