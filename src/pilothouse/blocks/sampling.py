"""Some items instead of all."""

from random import Random
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
from pilothouse.blocks.sampling_methods import METHODS, BadSample
from pilothouse.kit.json import Json

MAX_KEPT = 100_000
ROWS: list[Json] = [{"g": "a", "w": 1}, {"g": "a", "w": 0}, {"g": "b", "w": 2}, {"g": "b", "w": 0}]


class DataSamplingIn(BlockInput):
    data: Annotated[dict[str, AnyJson] | list[AnyJson], Field(description="The items; an object counts as one.")]
    sample_size: Annotated[int, Field(ge=1, le=MAX_KEPT, description="How many to take.")] = 10
    sampling_method: Annotated[
        Literal["random", "systematic", "top", "bottom", "stratified", "weighted", "reservoir", "cluster"],
        Field(description="How to choose."),
    ] = "random"
    accumulate: Annotated[
        bool, Field(description="Choose from all that this node was given in this run, not only from this.")
    ] = False
    random_seed: Annotated[int | None, Field(description="Equal seeds choose equally.")] = None
    stratify_key: Annotated[str | None, Field(description="Key that groups the items, for stratified.")] = None
    weight_key: Annotated[str | None, Field(description="Key that weighs the items, for weighted.")] = None
    cluster_key: Annotated[str | None, Field(description="Key that groups the items, for cluster.")] = None


class DataSamplingOut(BlockOutput):
    sampled_data: list[AnyJson] | None = None
    sample_indices: list[int] | None = None


@block(
    id="4a448883-71fa-49cf-91cf-70d793bd7d87",
    name="Data sampling",
    categories={Category.LOGIC, Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"data": [{"n": 1}, {"n": 2}, {"n": 3}], "sample_size": 2, "sampling_method": "top"},
            fires=[("sampled_data", [{"n": 1}, {"n": 2}]), ("sample_indices", [0, 1])],
        ),
        Example(
            ask={"data": [[1], [2], [3]], "sample_size": 1, "sampling_method": "bottom"},
            fires=[("sampled_data", [[3]]), ("sample_indices", [2])],
        ),
        Example(
            ask={"data": {"a": 1}, "random_seed": 1}, fires=[("sampled_data", [{"a": 1}]), ("sample_indices", [0])]
        ),
        Example(
            ask={"data": ROWS, "sample_size": 2, "sampling_method": "weighted", "weight_key": "w", "random_seed": 1},
            fires=[("sampled_data", list), ("sample_indices", [2, 0])],
        ),
        Example(
            ask={"data": ROWS, "sampling_method": "cluster"}, fires=[("error", "cluster sampling needs cluster_key")]
        ),
        Example(
            ask={"data": ROWS, "sampling_method": "stratified", "stratify_key": "x"},
            fires=[("error", "item 0 has no 'x'")],
        ),
    ],
)
async def data_sampling(ask: DataSamplingIn, ctx: BlockContext) -> DataSamplingOut:
    """Choose some items out of many."""
    items: list[Json] = [*ask.data] if isinstance(ask.data, list) else [ask.data]
    if not ask.accumulate:
        return sampled(ask, items, ctx.random)
    async with ctx.memory.alone():
        kept = await ctx.memory.get(f"sampling {ctx.node_id}", "run")
        items = [*(kept if isinstance(kept, list) else []), *items]
        if len(items) > MAX_KEPT:
            return DataSamplingOut(error=f"more than {MAX_KEPT:,} items were kept")
        chosen = sampled(ask, items, ctx.random)
        if chosen.error is None:
            ctx.memory.put(f"sampling {ctx.node_id}", items, "run")
    return chosen


def sampled(ask: DataSamplingIn, items: list[Json], chance: Random) -> DataSamplingOut:
    key = {"stratified": ask.stratify_key, "weighted": ask.weight_key, "cluster": ask.cluster_key}
    name = ask.sampling_method
    if name in key and not key[name]:
        word = {"stratified": "stratify_key", "weighted": "weight_key", "cluster": "cluster_key"}[name]
        return DataSamplingOut(error=f"{name} sampling needs {word}")
    random = chance if ask.random_seed is None else Random(ask.random_seed)
    try:
        indices = METHODS[name](items, min(ask.sample_size, len(items)), random, key.get(name) or "")
    except BadSample as fault:
        return DataSamplingOut(error=str(fault))
    return DataSamplingOut(sampled_data=[items[index] for index in indices], sample_indices=indices)
