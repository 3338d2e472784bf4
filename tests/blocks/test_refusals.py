"""A block that breaks the contract is refused by name and reason (blocks:L2)."""

from collections.abc import AsyncIterator, Callable
from types import ModuleType
from typing import Annotated, Any, Literal, cast

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
    Cost,
    Effects,
    Example,
    Kind,
    Webhook,
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


HOOK = Webhook(provider="acme", type="event", event_format="*")


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
        ({"kind": Kind.TRIGGER}, "trigger without a hidden `payload`"),
        ({"webhook": HOOK}, "when, and only when, it is a trigger"),
        ({"cost": [Cost(-1)]}, "a whole number of credits"),
        ({"cost": [Cost(1, divisor=0)]}, "a whole number of credits"),
        ({"cost": [Cost(1, filter={"model": "x"})]}, "unknown inputs: model"),
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


class HookedIn(BlockInput):
    payload: Annotated[dict[str, AnyJson], Field(json_schema_extra={"hidden": True})]
    events: Annotated[list[str], Field(default_factory=list[str])]


async def hooked(ask: HookedIn, ctx: BlockContext) -> GoodOut:
    """Start with an event."""
    return GoodOut(result=ask.payload)


TRIGGER: dict[str, Any] = {"kind": Kind.TRIGGER, "examples": [Example(ask={"payload": {}}, fires=[("result", {})])]}


def test_a_trigger_says_how_its_events_come():
    """Q9, Q10."""
    hook = Webhook("acme", "repo", "push.*", resource_format="{owner}/{name}", event_filter_field="events")
    made = make(hooked, **TRIGGER, webhook=hook, cost=[Cost(2, "ITEMS", 10, {"events": []})])
    assert made.spec.webhook == {
        "provider": "acme",
        "type": "repo",
        "event_format": "push.*",
        "resource_format": "{owner}/{name}",
        "event_filter_field": "events",
        "automatic": False,
    }
    assert made.spec.cost == ({"amount": 2, "type": "ITEMS", "divisor": 10, "filter": {"events": []}},)


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        (None, "when, and only when, it is a trigger"),
        (Webhook("acme", "repo", "*", automatic=True), "exactly one credentials field"),
        (Webhook("acme", "repo", "*", event_filter_field="kinds"), "'kinds', which is no input"),
    ],
)
def test_a_trigger_without_what_it_needs_is_refused(hook: Webhook | None, reason: str):
    with pytest.raises(BlockRefused, match=reason):
        make(hooked, **TRIGGER, webhook=hook)


class ToldIn(BlockInput):
    text: Annotated[
        str,
        Field(
            title="Words",
            description="What to say.",
            min_length=1,
            max_length=9,
            examples=["hi"],
            json_schema_extra={"placeholder": "hi", "advanced": True, "format": "long-text", "depends_on": ["times"]},
        ),
    ]
    times: Annotated[int, Field(ge=1, le=3, json_schema_extra={"hidden": True, "secret": True})] = 2
    size: Annotated[Literal["s", "m"], Field(description="How large.")] = "s"


async def told(ask: ToldIn, ctx: BlockContext) -> GoodOut:
    """Say it."""
    return GoodOut()


def test_all_that_is_said_of_a_field_is_in_the_served_schema():
    """Q3."""
    fields = cast(dict[str, dict[str, Any]], make(told).spec.inputs["properties"])
    assert fields["text"] == {
        "title": "Words",
        "description": "What to say.",
        "type": "string",
        "minLength": 1,
        "maxLength": 9,
        "examples": ["hi"],
        "placeholder": "hi",
        "advanced": True,
        "format": "long-text",
        "depends_on": ["times"],
    }
    assert {"default": 2, "minimum": 1, "maximum": 3, "hidden": True, "secret": True}.items() <= fields["times"].items()
    assert fields["size"]["enum"] == ["s", "m"]
