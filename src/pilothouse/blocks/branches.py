"""Sending a value one way or another."""

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
from pilothouse.blocks.equality import index_of, same
from pilothouse.graph.fitting import type_name
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, dumps


class BranchOut(BlockOutput):
    result: bool | None = None
    yes_output: AnyJson = None
    no_output: AnyJson = None


def branch(result: bool, yes_value: Json, no_value: Json, otherwise: Json) -> BranchOut:
    """Fire the result, then the value of that branch; `otherwise` stands for one that was not given."""
    if result:
        return BranchOut(result=True, yes_output=otherwise if yes_value is None else yes_value)
    return BranchOut(result=False, no_output=otherwise if no_value is None else no_value)


class IfInputMatchesIn(BlockInput):
    input: Annotated[AnyJson, Field(description="What came in.")]
    value: Annotated[AnyJson, Field(description="What it should be; read as the type of the input.")]
    yes_value: Annotated[AnyJson, Field(description="Given when they match; the input when left out.")] = None
    no_value: Annotated[AnyJson, Field(description="Given when they differ; the input when left out.")] = None


@block(
    id="6dbbc4b3-ca6c-42b6-b508-da52d23e13f2",
    name="If input matches",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    happy_pins=("result", "yes_output"),
    examples=[
        Example(ask={"input": 10, "value": "10"}, fires=[("result", True), ("yes_output", 10)]),
        Example(ask={"input": "a", "value": "b", "no_value": "x"}, fires=[("result", False), ("no_output", "x")]),
        Example(ask={"input": True, "value": "yes", "yes_value": 1}, fires=[("result", True), ("yes_output", 1)]),
        Example(ask={"input": [1], "value": "[1]"}, fires=[("result", True), ("yes_output", [1])]),
        Example(ask={"input": 10, "value": "ten"}, fires=[("result", False), ("no_output", 10)]),
        Example(ask={"input": None, "value": "a", "no_value": 0}, fires=[("result", False), ("no_output", 0)]),
    ],
)
async def if_input_matches(ask: IfInputMatchesIn, ctx: BlockContext) -> BranchOut:
    """Tell whether the input equals a value, and send one value on its way if so, else another."""
    return branch(matches(ask.input, ask.value), ask.yes_value, ask.no_value, ask.input)


def matches(given: Json, value: Json) -> bool:
    """Compared after making the value what the other is; what cannot be made so is another."""
    if given is None:
        return value is None
    kind = "number" if isinstance(given, int | float) and not isinstance(given, bool) else type_name(given)
    try:
        return same(given, coerce(value, {"type": kind}, {}))
    except NotConvertible:
        return False


class ContainsValueIn(BlockInput):
    value: Annotated[AnyJson, Field(description="What to look for.")]
    place: Annotated[
        AnyJson, Field(alias="in", description="Text that may hold it, a list of values, or an object with keys.")
    ]
    yes_value: Annotated[AnyJson, Field(description="Given when it is there; the value when left out.")] = None
    no_value: Annotated[AnyJson, Field(description="Given when it is not; the value when left out.")] = None


@block(
    id="f7f3fd42-9375-4f6a-86a6-27fdd33b1885",
    name="Contains value",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    happy_pins=("result", "yes_output"),
    examples=[
        Example(ask={"value": "ell", "in": "hello"}, fires=[("result", True), ("yes_output", "ell")]),
        Example(ask={"value": 1, "in": [True, 2], "no_value": "no"}, fires=[("result", False), ("no_output", "no")]),
        Example(ask={"value": "a", "in": {"a": None}, "yes_value": 1}, fires=[("result", True), ("yes_output", 1)]),
        Example(ask={"value": 4, "in": "24"}, fires=[("result", True), ("yes_output", 4)]),
        Example(ask={"value": "a", "in": 5}, fires=[("error", "only text, lists and objects hold something")]),
    ],
)
async def contains_value(ask: ContainsValueIn, ctx: BlockContext) -> BranchOut:
    """Tell whether a text, a list or an object holds a value."""
    if not isinstance(ask.place, str | list | dict):
        return BranchOut(error="only text, lists and objects hold something")
    return branch(holds(ask.place, ask.value), ask.yes_value, ask.no_value, ask.value)


def holds(place: str | list[Json] | dict[str, Json], value: Json) -> bool:
    if isinstance(place, list):
        return index_of(place, value) is not None
    return text_of(value) in place


def text_of(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)


class SwitchIn(BlockInput):
    value: Annotated[AnyJson, Field(description="What decides.")]
    cases: Annotated[
        dict[str, AnyJson], Field(description="What to hand on in each case; null hands the value itself on.")
    ]


class SwitchOut(BlockOutput):
    matched: dict[str, AnyJson] | None = None
    default: AnyJson = None


@block(
    id="8eccb23d-a775-44a3-9b78-5b8631490c17",
    name="Switch",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    happy_pins=("matched",),
    examples=[
        Example(ask={"value": "b", "cases": {"a": 1, "b": 2}}, fires=[("matched", {"b": 2})]),
        Example(ask={"value": 3, "cases": {"3": None}}, fires=[("matched", {"3": 3})]),
        Example(ask={"value": True, "cases": {"true": "on"}}, fires=[("matched", {"true": "on"})]),
        Example(ask={"value": "c", "cases": {"a": 1}}, fires=[("default", "c")]),
    ],
)
async def switch(ask: SwitchIn, ctx: BlockContext) -> SwitchOut:
    """Choose among many branches: link `matched_#_<case>` for each case, and `default` for the rest."""
    case = text_of(ask.value)
    if case not in ask.cases:
        return SwitchOut(default=ask.value)
    given = ask.cases[case]
    return SwitchOut(matched={case: ask.value if given is None else given})
