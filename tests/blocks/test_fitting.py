"""engine:F12, engine:F13: what a block's step makes of null, and of values that no conversion saves."""

from typing import Literal

import pytest
from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.rehearsal import Rehearsal
from pilothouse.blocks.runner import Runnable
from pilothouse.kit.json import Json


class Given(BlockInput):
    needed: str
    text: str = "given"
    number: float = 2.5
    whole: int = 7
    flag: bool = True
    items: list[AnyJson] = Field(default=[1])
    pairs: dict[str, AnyJson] = Field(default={"a": 1})
    choice: Literal["a", "b"] = "a"
    any: AnyJson = "given"
    maybe_text: str | None = "given"
    maybe_items: list[int] | None = Field(default=[1])


class Seen(BlockOutput):
    seen: dict[str, AnyJson] | None = None


@block(
    id="44444444-4444-4444-8444-444444444444",
    name="Seer",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[Example(ask={"needed": "x"}, fires=[])],
)
async def seer(ask: Given, ctx: BlockContext) -> Seen:
    """Show what a block gets."""
    return Seen(seen=ask.model_dump())


DEFAULTS = Given(needed="x").model_dump()
WITHOUT_NULL = ("text", "number", "whole", "flag", "items", "pairs", "choice")
WITH_NULL = ("any", "maybe_text", "maybe_items")


async def seen(inputs: dict[str, Json]) -> dict[str, Json]:
    found = dict(await Runnable(seer).call({"needed": "x", **inputs}, Rehearsal()))["seen"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("pin", WITHOUT_NULL)
async def test_null_for_a_type_without_null_gives_the_default(pin: str):
    """engine:F12"""
    assert await seen({pin: None}) == DEFAULTS


@pytest.mark.parametrize("pin", WITH_NULL)
async def test_null_for_a_type_that_has_it_arrives(pin: str):
    """engine:F12"""
    assert await seen({pin: None}) == DEFAULTS | {pin: None}


async def test_null_for_a_required_pin_is_as_if_it_were_missing():
    """engine:F12, engine:F13"""
    with pytest.raises(BlockFailed) as caught:
        await seen({"needed": None})
    assert (caught.value.code, caught.value.detail) == ("invalid_input", {"fields": {"needed": "is required"}})


REFUSED: dict[str, Json] = {
    "number": "word",
    "whole": 2.5,
    "flag": [True],
    "choice": "c",
    "maybe_items": ["x"],
}


@pytest.mark.parametrize("pin", REFUSED)
async def test_a_value_that_does_not_convert_fails_the_step_and_names_its_field(pin: str):
    """engine:F13: no default stands in for it"""
    with pytest.raises(BlockFailed) as caught:
        await seen({pin: REFUSED[pin]})
    assert caught.value.code == "invalid_input"
    fields = caught.value.detail["fields"]
    assert isinstance(fields, dict)
    assert set(fields) == {pin}


async def test_all_fields_that_fail_are_named_together():
    """engine:F13"""
    with pytest.raises(BlockFailed) as caught:
        await seen({**REFUSED, "needed": None})
    fields = caught.value.detail["fields"]
    assert isinstance(fields, dict)
    assert set(fields) == {*REFUSED, "needed"}
