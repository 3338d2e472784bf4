"""Several lists made one. No block changes what it was given."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated, TypeAlias, cast

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
from pilothouse.blocks.equality import distinct, identity
from pilothouse.kit.json import Json

# Any items, so that what is no list is told and not silently made one.
Lists: TypeAlias = Annotated[list[AnyJson], Field(description="The lists; null ones are left out.")]
Items: TypeAlias = Annotated[list[AnyJson] | None, Field(description="A list; null counts as empty.")]
_NOTHING = cast(Json, object())


def lists_in(values: list[Json]) -> list[list[Json]]:
    """Those that are not null; raises `ValueError` for what is no list."""
    for index, value in enumerate(values):
        if value is not None and not isinstance(value, list):
            raise ValueError(f"item {index} is no list")
    return [value for value in values if isinstance(value, list)]


class ConcatenateListsIn(BlockInput):
    lists: Lists
    deduplicate: Annotated[bool, Field(description="Keep each value once.")] = False
    remove_none: Annotated[bool, Field(description="Leave null values out.")] = False


class ConcatenateListsOut(BlockOutput):
    concatenated_list: list[AnyJson] | None = None
    length: int | None = None


@block(
    id="3cf9298b-5817-4141-9d80-7c2cc5199c8e",
    name="Concatenate lists",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"lists": [[1], None, [2, 1]]}, fires=[("concatenated_list", [1, 2, 1]), ("length", 3)]),
        Example(
            ask={"lists": [[1, None], [1.0, True]], "deduplicate": True, "remove_none": True},
            fires=[("concatenated_list", [1, True]), ("length", 2)],
        ),
        Example(ask={"lists": [[1], "no"]}, fires=[("error", "item 1 is no list")]),
    ],
)
async def concatenate_lists(ask: ConcatenateListsIn, ctx: BlockContext) -> ConcatenateListsOut:
    """Join lists end to end."""
    try:
        parts = lists_in(ask.lists)
    except ValueError as fault:
        return ConcatenateListsOut(error=str(fault))
    joined = [item for part in parts for item in part if item is not None or not ask.remove_none]
    if ask.deduplicate:
        joined = distinct(joined)
    return ConcatenateListsOut(concatenated_list=joined, length=len(joined))


class InterleaveListsIn(BlockInput):
    lists: Lists


class InterleaveListsOut(BlockOutput):
    interleaved_list: list[AnyJson] | None = None
    length: int | None = None


@block(
    id="9f616084-1d9f-4f8e-bc00-5b9d2a75cd75",
    name="Interleave lists",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"lists": [[1, 2, 3], None, ["a"]]}, fires=[("interleaved_list", [1, "a", 2, 3]), ("length", 4)]),
        Example(ask={"lists": [{"a": 1}]}, fires=[("error", "item 0 is no list")]),
    ],
)
async def interleave_lists(ask: InterleaveListsIn, ctx: BlockContext) -> InterleaveListsOut:
    """Take an item of each list in turn, until all are used up."""
    try:
        rows = zip_longest(*lists_in(ask.lists), fillvalue=_NOTHING)
    except ValueError as fault:
        return InterleaveListsOut(error=str(fault))
    woven = [item for row in rows for item in row if item is not _NOTHING]
    return InterleaveListsOut(interleaved_list=woven, length=len(woven))


class ZipListsIn(BlockInput):
    lists: Lists
    pad_to_longest: Annotated[bool, Field(description="Go on to the end of the longest list.")] = False
    fill_value: Annotated[AnyJson, Field(description="Stands where a shorter list has ended.")] = None


class ZipListsOut(BlockOutput):
    zipped_list: list[AnyJson] | None = None
    length: int | None = None


@block(
    id="0d0e684f-5cb9-4c4b-b8d1-47a0860e0c07",
    name="Zip lists",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"lists": [[1, 2], ["a", "b", "c"]]}, fires=[("zipped_list", [[1, "a"], [2, "b"]]), ("length", 2)]),
        Example(
            ask={"lists": [[1], ["a", "b"]], "pad_to_longest": True, "fill_value": 0},
            fires=[("zipped_list", [[1, "a"], [0, "b"]]), ("length", 2)],
        ),
        Example(ask={"lists": [[1], None]}, fires=[("zipped_list", [[1]]), ("length", 1)]),
        Example(ask={"lists": [5]}, fires=[("error", "item 0 is no list")]),
    ],
)
async def zip_lists(ask: ZipListsIn, ctx: BlockContext) -> ZipListsOut:
    """Put the first items of all lists together, then the second ones, and so on."""
    try:
        lists = lists_in(ask.lists)
    except ValueError as fault:
        return ZipListsOut(error=str(fault))
    shortest = min((len(part) for part in lists), default=0)
    padded = zip_longest(*lists, fillvalue=ask.fill_value)
    rows: list[Json] = [[*row] for index, row in enumerate(padded) if ask.pad_to_longest or index < shortest]
    return ZipListsOut(zipped_list=rows, length=len(rows))


class FlattenListIn(BlockInput):
    nested_list: Annotated[list[AnyJson], Field(description="A list that holds lists.")]
    max_depth: Annotated[int, Field(ge=-1, description="How many levels to take away; -1 takes all.")] = -1


class FlattenListOut(BlockOutput):
    flattened_list: list[AnyJson] | None = None
    length: int | None = None
    original_depth: int | None = None


@block(
    id="cc45bb0f-d035-4756-96a7-fe3e36254b4d",
    name="Flatten list",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"nested_list": [1, [2, [3]]]},
            fires=[("flattened_list", [1, 2, 3]), ("length", 3), ("original_depth", 3)],
        ),
        Example(
            ask={"nested_list": [1, [2, [3]]], "max_depth": 1},
            fires=[("flattened_list", [1, 2, [3]]), ("length", 3), ("original_depth", 3)],
        ),
        Example(
            ask={"nested_list": [[]], "max_depth": 0},
            fires=[("flattened_list", [[]]), ("length", 1), ("original_depth", 2)],
        ),
        Example(ask={"nested_list": [], "max_depth": -2}, fails="invalid_input"),
    ],
)
async def flatten_list(ask: FlattenListIn, ctx: BlockContext) -> FlattenListOut:
    """Take the items of inner lists out into one list."""
    flat = list(flattened(ask.nested_list, ask.max_depth))
    return FlattenListOut(flattened_list=flat, length=len(flat), original_depth=levels(ask.nested_list))


def flattened(items: list[Json], depth: int) -> Iterator[Json]:
    """Items with so many levels of lists taken away; a negative number takes all."""
    for item in items:
        if isinstance(item, list) and depth != 0:
            yield from flattened(item, depth - 1)
        else:
            yield item


def levels(items: list[Json]) -> int:
    return 1 + max((levels(item) for item in items if isinstance(item, list)), default=0)


class ListDifferenceIn(BlockInput):
    list_a: Items
    list_b: Items
    symmetric: Annotated[bool, Field(description="Also take what only the second list holds.")] = False


class ListDifferenceOut(BlockOutput):
    difference: list[AnyJson] | None = None
    length: int | None = None


@block(
    id="05309873-9d61-447e-96b5-b804e2511829",
    name="List difference",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"list_a": [1, 2, {"a": 1}, 2], "list_b": [{"a": 1}]}, fires=[("difference", [1, 2, 2]), ("length", 3)]
        ),
        Example(
            ask={"list_a": [1, 2], "list_b": [2, 3], "symmetric": True}, fires=[("difference", [1, 3]), ("length", 2)]
        ),
        Example(ask={"list_a": [1], "list_b": None}, fires=[("difference", [1]), ("length", 1)]),
    ],
)
async def list_difference(ask: ListDifferenceIn, ctx: BlockContext) -> ListDifferenceOut:
    """Take the items of a list that another list does not hold."""
    first, second = ask.list_a or [], ask.list_b or []
    left = without(first, second) + (without(second, first) if ask.symmetric else [])
    return ListDifferenceOut(difference=left, length=len(left))


def without(items: list[Json], others: list[Json]) -> list[Json]:
    known = {identity(other) for other in others}
    return [item for item in items if identity(item) not in known]


class ListIntersectionIn(BlockInput):
    list_a: Items
    list_b: Items


class ListIntersectionOut(BlockOutput):
    intersection: list[AnyJson] | None = None
    length: int | None = None


@block(
    id="b6eb08b6-dbe3-411b-b9b4-2508cb311a1f",
    name="List intersection",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list_a": [1, 2, 3, 2], "list_b": [2, 3.0]}, fires=[("intersection", [2, 3]), ("length", 2)]),
        Example(ask={"list_a": None, "list_b": [2]}, fires=[("intersection", []), ("length", 0)]),
    ],
)
async def list_intersection(ask: ListIntersectionIn, ctx: BlockContext) -> ListIntersectionOut:
    """Take the items that two lists share, each once."""
    known = {identity(item) for item in ask.list_b or []}
    shared = distinct(item for item in ask.list_a or [] if identity(item) in known)
    return ListIntersectionOut(intersection=shared, length=len(shared))
