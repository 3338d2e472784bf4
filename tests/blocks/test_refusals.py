"""A block that breaks the contract is refused by name and reason (blocks:L2)."""

from collections.abc import AsyncIterator, Callable
from types import ModuleType
from typing import Any

import pytest
from pydantic import Field

from pilothouse.blocks import index
from pilothouse.blocks.contract import (
    AnyJson,
    Block,
    BlockContext,
    BlockInput,
    BlockOutput,
    BlockRefused,
    Category,
    Effects,
    Example,
    Kind,
    block,
)


class GoodIn(BlockInput):
    text: str


class GoodOut(BlockOutput):
    result: AnyJson = None


async def good(ask: GoodIn, ctx: BlockContext) -> GoodOut:
    """Say it again."""
    return GoodOut(result=ask.text)


GOOD: dict[str, Any] = {
    "id": "11111111-1111-4111-8111-111111111111",
    "name": "Echo",
    "categories": {Category.TEXT},
    "effects": Effects.NONE,
    "examples": [Example(ask={"text": "a"}, fires=[("result", "a")])],
}


def make(function: Callable[..., Any] = good, **changes: Any) -> Block:
    return block(**{**GOOD, **changes})(function)


def test_a_good_block_is_taken():
    made = make()
    assert made.spec.description == "Say it again."
    assert made.spec.categories == ("TEXT",)
    assert made.spec.streams
    assert not make(effects=Effects.WRITES).spec.streams


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": "not-a-uuid"}, "not a lowercase UUID"),
        ({"id": "11111111-1111-4111-8111-11111111111A"}, "not a lowercase UUID"),
        ({"id": "45e78db5-03e9-447f-9395-308d712f5f08"}, "reserved"),
        ({"categories": set[Category]()}, "no category"),
        ({"effects": None}, "does not declare its effects"),
        ({"examples": []}, "no example"),
        ({"examples": [Example(ask={"text": "a"}, fires=[("result", str)])]}, "plain values"),
        ({"examples": [Example(ask={}, fires=[])]}, "first example lacks text"),
        ({"examples": [Example(ask={"text": "a"}, fires=[("nope", 1)])]}, "unknown pins: nope"),
        ({"happy_pins": ("nope",)}, "happy_pins names unknown pins"),
        ({"kind": Kind.TRIGGER}, "trigger without a `payload`"),
    ],
)
def test_a_bad_declaration_is_refused(changes: dict[str, Any], reason: str):
    with pytest.raises(BlockRefused, match=reason) as caught:
        make(**changes)
    assert caught.value.name == "Echo"
    assert "'Echo'" in str(caught.value)


async def mute(ask: GoodIn, ctx: BlockContext) -> GoodOut:
    return GoodOut()


def not_async(ask: GoodIn, ctx: BlockContext) -> GoodOut:
    """Too quick."""
    return GoodOut()


async def one_parameter(ask: GoodIn) -> GoodOut:
    """Look around nowhere."""
    return GoodOut()


async def wrong_answer(ask: GoodIn, ctx: BlockContext) -> str:
    """Give a text."""
    return ""


async def wrong_question(ask: dict[str, int], ctx: BlockContext) -> GoodOut:
    """Take an object."""
    return GoodOut()


async def wrong_stream(ask: GoodIn, ctx: BlockContext) -> AsyncIterator[str]:
    """Give texts."""
    yield ""


class BareBoolIn(GoodIn):
    flag: bool


async def bare_bool(ask: BareBoolIn, ctx: BlockContext) -> GoodOut:
    """Need a yes or no."""
    return GoodOut()


class CountedErrorOut(BlockOutput):
    error: int | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    result: AnyJson = None


async def counted_error(ask: GoodIn, ctx: BlockContext) -> CountedErrorOut:
    """Count errors."""
    return CountedErrorOut()


class PathPinIn(GoodIn):
    deep: str = Field(default="", alias="values_#_deep")


async def path_pin(ask: PathPinIn, ctx: BlockContext) -> GoodOut:
    """Use a mark in a name."""
    return GoodOut()


class LooseSecretIn(GoodIn):
    key: str = Field(default="", json_schema_extra={"credentials_provider": ["x"]})


async def loose_secret(ask: LooseSecretIn, ctx: BlockContext) -> GoodOut:
    """Hide a key."""
    return GoodOut()


class FalseSecretIn(GoodIn):
    my_credentials: str = ""


async def false_secret(ask: FalseSecretIn, ctx: BlockContext) -> GoodOut:
    """Pretend."""
    return GoodOut()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (mute, "no description"),
        (not_async, "neither an async function"),
        (one_parameter, "two annotated parameters"),
        (wrong_answer, "return annotation"),
        (wrong_question, "first parameter"),
        (wrong_stream, "return annotation"),
        (bare_bool, "'flag' is a bool without default"),
        (counted_error, "`error` pin is not text"),
        (path_pin, "holds a path mark"),
        (loose_secret, "named credentials"),
        (false_secret, "named credentials"),
    ],
)
def test_a_bad_function_is_refused(function: Callable[..., Any], reason: str):
    with pytest.raises(BlockRefused, match=reason):
        make(function)


def test_two_blocks_of_one_id_are_refused():
    module = ModuleType(good.__module__)
    vars(module).update(one=make(), two=make(name="Other"))
    with pytest.raises(BlockRefused, match="is taken by 'Echo'"):
        index.entries([module])
