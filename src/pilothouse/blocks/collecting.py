"""Gathering what a fan-out scattered."""

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
    Join,
    block,
)


class CollectItemsIn(BlockInput):
    item: Annotated[AnyJson, Field(description="Link what gives the items here, one at a time.")]
    count: Annotated[int, Field(ge=0, description="How many items make a list; the latest value holds.")]


class CollectItemsOut(BlockOutput):
    list: AnyJson = None


@block(
    id="740510bb-602b-4f0d-b65c-992eb8e9cebe",
    name="Collect items",
    categories={Category.LOGIC, Category.DATA},
    effects=Effects.NONE,
    join=Join.COLLECT,
    examples=[
        Example(ask={"item": ["a", "b"], "count": 2}, fires=[("list", ["a", "b"])]),
        Example(ask={"item": [], "count": 0}, fires=[("list", [])]),
        Example(ask={"item": "alone", "count": 1}, fires=[("list", ["alone"])]),
        Example(ask={"item": [], "count": -1}, fails="invalid_input"),
    ],
)
async def collect_items(ask: CollectItemsIn, ctx: BlockContext) -> CollectItemsOut:
    """Wait for so many items, then give them as one list, in the order they came. Further items make a next list."""
    return CollectItemsOut(list=ask.item if isinstance(ask.item, list) else [ask.item])
