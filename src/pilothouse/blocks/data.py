"""Keeping, making and shaping data."""

from collections.abc import AsyncIterator, Iterator
from math import ceil
from typing import Annotated

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
from pilothouse.kit.json import Json, dumps


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


class CreateDictionaryIn(BlockInput):
    values: Annotated[dict[str, AnyJson], Field(description="Keys and values.")]


class CreateDictionaryOut(BlockOutput):
    dictionary: dict[str, AnyJson] | None = None


@block(
    id="b924ddf4-de4f-4b56-9a85-358930dcbc91",
    name="Create dictionary",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[Example(ask={"values": {"a": 1, "b": [2]}}, fires=[("dictionary", {"a": 1, "b": [2]})])],
)
async def create_dictionary(ask: CreateDictionaryIn, ctx: BlockContext) -> CreateDictionaryOut:
    """Make one object out of several values."""
    return CreateDictionaryOut(dictionary=ask.values)


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
