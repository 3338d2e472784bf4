"""One list: making it, looking into it and changing a copy. No block changes what it was given."""

from collections.abc import AsyncIterator, Iterator
from math import ceil
from typing import Annotated, TypeAlias

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
from pilothouse.blocks.equality import index_of
from pilothouse.kit.json import Json, dumps

# The pin is called `list`; a field of that name would hide the type.
TheList: TypeAlias = Annotated[list[AnyJson], Field(alias="list", description="The list.")]


class CreateListIn(BlockInput):
    values: Annotated[list[AnyJson], Field(description="The values, in order.")]
    max_size: Annotated[int | None, Field(ge=1, description="Cut into lists of at most this many values.")] = None
    max_tokens: Annotated[int | None, Field(ge=1, description="Cut into lists of about this many tokens.")] = None


class CreateListOut(BlockOutput):
    chunk: list[AnyJson] | None = Field(default=None, alias="list")


@block(
    id="a912d5c7-6e00-4542-b2a9-8034136930e4",
    name="Create list",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"values": [1, "b"]}, fires=[("list", [1, "b"])]),
        Example(ask={"values": [1, 2, 3], "max_size": 2}, fires=[("list", [1, 2]), ("list", [3])]),
        Example(ask={"values": ["a" * 30, "b"], "max_tokens": 4}, fires=[("list", ["a" * 30]), ("list", ["b"])]),
        Example(ask={"values": []}, fires=[("list", [])]),
        Example(ask={"values": [1], "max_size": 0}, fails="invalid_input"),
    ],
)
async def create_list(ask: CreateListIn, ctx: BlockContext) -> AsyncIterator[CreateListOut]:
    """Make one list out of several values, or several lists of bounded size."""
    if not ask.values:
        yield CreateListOut(list=[])
    for part in chunks(ask.values, ask.max_size, ask.max_tokens):
        yield CreateListOut(list=part)


def chunks(values: list[Json], max_size: int | None, max_tokens: int | None) -> Iterator[list[Json]]:
    """Cut a list; a value that alone is over the token limit gets a list of its own."""
    part: list[Json] = []
    used = 0
    for value in values:
        cost = tokens_in(value) if max_tokens else 0
        full = len(part) == max_size or (max_tokens is not None and used + cost > max_tokens)
        if part and full:
            yield part
            part, used = [], 0
        part.append(value)
        used += cost
    if part:
        yield part


def tokens_in(value: Json) -> int:
    """A guess that needs no model's vocabulary: four characters a token."""
    return ceil(len(value if isinstance(value, str) else dumps(value)) / 4)


class AddToListIn(BlockInput):
    old: list[AnyJson] = Field(default=[], alias="list", description="The list to add to; a new one when left out.")
    entry: Annotated[AnyJson, Field(description="One value to add; null adds none.")] = None
    entries: list[AnyJson] = Field(default=[], description="Values to add, before the one above.")
    position: Annotated[int | None, Field(description="Where to put them; at the end when left out.")] = None


class UpdatedListOut(BlockOutput):
    updated_list: list[AnyJson] | None = None


@block(
    id="aeb08fc1-2fc1-4141-bc8e-f758f183a822",
    name="Add to list",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list": [1], "entries": [2, 3], "entry": 4}, fires=[("updated_list", [1, 2, 3, 4])]),
        Example(ask={"list": [1, 9], "entry": 5, "position": 1}, fires=[("updated_list", [1, 5, 9])]),
        Example(ask={"list": [1, 9], "entry": 5, "position": -1}, fires=[("updated_list", [1, 5, 9])]),
        Example(ask={"entry": "a"}, fires=[("updated_list", ["a"])]),
        Example(ask={"list": [1]}, fires=[("updated_list", [1])]),
    ],
)
async def add_to_list(ask: AddToListIn, ctx: BlockContext) -> UpdatedListOut:
    """Add values to a list, at its end or at a position."""
    more = [*ask.entries, *([] if ask.entry is None else [ask.entry])]
    at = len(ask.old) if ask.position is None else ask.position
    return UpdatedListOut(updated_list=[*ask.old[:at], *more, *ask.old[at:]])


class FindInListIn(BlockInput):
    items: TheList
    value: Annotated[AnyJson, Field(description="What to look for.")]


class FindInListOut(BlockOutput):
    index: int | None = None
    found: bool | None = None
    not_found_value: AnyJson = None


@block(
    id="5e2c6d0a-1e37-489f-b1d0-8e1812b23333",
    name="Find in list",
    categories={Category.DATA},
    effects=Effects.NONE,
    happy_pins=("index", "found"),
    examples=[
        Example(ask={"list": ["a", {"b": 1}], "value": {"b": 1}}, fires=[("index", 1), ("found", True)]),
        Example(ask={"list": [1], "value": True}, fires=[("found", False), ("not_found_value", True)]),
        Example(ask={"list": [None], "value": None}, fires=[("index", 0), ("found", True)]),
    ],
)
async def find_in_list(ask: FindInListIn, ctx: BlockContext) -> FindInListOut:
    """Tell where a value stands in a list."""
    index = index_of(ask.items, ask.value)
    if index is None:
        return FindInListOut(found=False, not_found_value=ask.value)
    return FindInListOut(index=index, found=True)


class GetListItemIn(BlockInput):
    items: TheList
    index: Annotated[int, Field(description="Counted from 0; from the end when negative.")]


class GetListItemOut(BlockOutput):
    item: AnyJson = None


@block(
    id="262ca24c-1025-43cf-a578-534e23234e97",
    name="Get list item",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list": ["a", "b"], "index": 1}, fires=[("item", "b")]),
        Example(ask={"list": ["a", None], "index": -1}, fires=[("item", None)]),
        Example(ask={"list": ["a"], "index": 1}, fires=[("error", "there is no item 1 in a list of 1")]),
        Example(ask={"list": [], "index": -1}, fires=[("error", "there is no item -1 in a list of 0")]),
    ],
)
async def get_list_item(ask: GetListItemIn, ctx: BlockContext) -> GetListItemOut:
    """Take one item of a list by its index."""
    if not has_index(ask.items, ask.index):
        return GetListItemOut(error=no_such_item(ask.items, ask.index))
    return GetListItemOut(item=ask.items[ask.index])


def has_index(items: list[Json], index: int) -> bool:
    return -len(items) <= index < len(items)


def no_such_item(items: list[Json], index: int) -> str:
    return f"there is no item {index} in a list of {len(items)}"


class RemoveFromListIn(BlockInput):
    items: TheList
    value: Annotated[AnyJson, Field(description="The first item equal to this is removed.")] = None
    index: Annotated[int | None, Field(description="Or the item at this index, whatever it is.")] = None
    return_item: Annotated[bool, Field(description="Hand on what was removed, too.")] = False


class RemoveFromListOut(BlockOutput):
    updated_list: list[AnyJson] | None = None
    removed_item: AnyJson = None


@block(
    id="d93c5a93-ac7e-41c1-ae5c-ef67e6e9b826",
    name="Remove from list",
    categories={Category.DATA},
    effects=Effects.NONE,
    happy_pins=("updated_list",),
    examples=[
        Example(ask={"list": [1, 2, 1], "value": 1}, fires=[("updated_list", [2, 1])]),
        Example(
            ask={"list": [1, 2], "value": 1, "index": -1, "return_item": True},
            fires=[("updated_list", [1]), ("removed_item", 2)],
        ),
        Example(ask={"list": [1], "index": 3}, fires=[("error", "there is no item 3 in a list of 1")]),
        Example(ask={"list": [1], "value": 2}, fires=[("error", "the list does not hold that value")]),
    ],
)
async def remove_from_list(ask: RemoveFromListIn, ctx: BlockContext) -> RemoveFromListOut:
    """Take one item out of a list, by its value or by its index."""
    index = index_of(ask.items, ask.value) if ask.index is None else ask.index
    if index is None:
        return RemoveFromListOut(error="the list does not hold that value")
    if not has_index(ask.items, index):
        return RemoveFromListOut(error=no_such_item(ask.items, index))
    rest = list(ask.items)
    removed = rest.pop(index)
    if ask.return_item:
        return RemoveFromListOut(updated_list=rest, removed_item=removed)
    return RemoveFromListOut(updated_list=rest)


class ReplaceListItemIn(BlockInput):
    items: TheList
    index: Annotated[int, Field(description="Counted from 0; from the end when negative.")]
    value: Annotated[AnyJson, Field(description="What to put there.")]


class ReplaceListItemOut(BlockOutput):
    updated_list: list[AnyJson] | None = None
    old_item: AnyJson = None


@block(
    id="fbf62922-bea1-4a3d-8bac-23587f810b38",
    name="Replace list item",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list": [1, 2], "index": -1, "value": "b"}, fires=[("updated_list", [1, "b"]), ("old_item", 2)]),
        Example(ask={"list": [1], "index": 1, "value": "b"}, fires=[("error", "there is no item 1 in a list of 1")]),
    ],
)
async def replace_list_item(ask: ReplaceListItemIn, ctx: BlockContext) -> ReplaceListItemOut:
    """Put another value in the place of an item."""
    if not has_index(ask.items, ask.index):
        return ReplaceListItemOut(error=no_such_item(ask.items, ask.index))
    changed = list(ask.items)
    changed[ask.index] = ask.value
    return ReplaceListItemOut(updated_list=changed, old_item=ask.items[ask.index])


class ReverseListOrderIn(BlockInput):
    input_list: Annotated[list[AnyJson], Field(description="The list.")]


class ReverseListOrderOut(BlockOutput):
    reversed_list: list[AnyJson] | None = None


@block(
    id="422cb708-3109-4277-bfe3-bc2ae5812777",
    name="Reverse list order",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[Example(ask={"input_list": [1, 2, 3]}, fires=[("reversed_list", [3, 2, 1])])],
)
async def reverse_list_order(ask: ReverseListOrderIn, ctx: BlockContext) -> ReverseListOrderOut:
    """Turn a list round."""
    return ReverseListOrderOut(reversed_list=ask.input_list[::-1])


class ListIsEmptyIn(BlockInput):
    items: TheList


class ListIsEmptyOut(BlockOutput):
    is_empty: bool | None = None


@block(
    id="896ed73b-27d0-41be-813c-c1c1dc856c03",
    name="List is empty",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"list": []}, fires=[("is_empty", True)]),
        Example(ask={"list": [None]}, fires=[("is_empty", False)]),
    ],
)
async def list_is_empty(ask: ListIsEmptyIn, ctx: BlockContext) -> ListIsEmptyOut:
    """Tell whether a list has no items."""
    return ListIsEmptyOut(is_empty=not ask.items)
