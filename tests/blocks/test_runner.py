"""The block adapter: inputs fitted, pins read, faults said in one way (engine:F12-F15, blocks:Q4)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from typing import Annotated

import pytest
from pydantic import Field
from structlog.testing import capture_logs

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
from pilothouse.kit.errors import Forbidden, RateLimited, UpstreamError
from pilothouse.kit.json import Json


class In(BlockInput):
    what: AnyJson
    count: Annotated[int, Field(ge=0)] = 7
    names: list[str] = Field(default=[])
    day: date | None = None
    maybe: str | None = "given"


class Out(BlockOutput):
    first: AnyJson = None
    second: int | None = None
    names: list[str] | None = None
    day: date | None = None


EXAMPLES = [Example(ask={"what": 1}, fires=[("first", 1)])]


@block(
    id="22222222-2222-4222-8222-222222222222",
    name="Mirror",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=EXAMPLES,
)
async def mirror(ask: In, ctx: BlockContext) -> Out:
    """Show what arrived."""
    return Out(first=[ask.what, ask.maybe], second=ask.count, names=ask.names, day=ask.day)


async def fire(inputs: dict[str, Json]) -> dict[str, Json]:
    return dict(await Runnable(mirror).call(inputs, Rehearsal()))


async def test_inputs_that_fit_are_used_as_they_are():
    assert await fire({"what": {"a": 1}, "count": 2, "names": ["x"]}) == {
        "first": [{"a": 1}, "given"],
        "second": 2,
        "names": ["x"],
        "day": None,
    }


async def test_inputs_that_do_not_fit_are_converted():
    fired = await fire({"what": 1, "count": "3", "names": '["a", 1]', "day": "2026-01-31"})
    assert fired["second"] == 3
    assert fired["names"] == ["a", "1"]
    assert fired["day"] == "2026-01-31"


async def test_conversion_follows_our_table_and_not_the_libraries_taste():
    assert (await fire({"what": 1, "count": [1, 2]}))["second"] == 2
    assert (await fire({"what": 1, "count": True}))["second"] == 1
    with pytest.raises(BlockFailed, match="count"):
        await fire({"what": 1, "count": "1_000"})


async def test_null_where_the_type_has_none_means_not_given():
    assert (await fire({"what": None, "count": None}))["second"] == 7
    assert (await fire({"what": None, "maybe": None}))["first"] == [None, None]


@pytest.mark.parametrize(
    ("inputs", "fields"),
    [
        ({}, {"what": "is required"}),
        ({"what": 1, "count": -1}, {"count": "must be at least 0"}),
        ({"what": 1, "count": "x", "names": [None]}, {"count": "expected integer", "names": "0: expected string"}),
        ({"what": 1, "day": "2026-02-30"}, {"day": "is not a date"}),
    ],
)
async def test_inputs_that_cannot_be_had_fail_the_step_field_by_field(inputs: dict[str, Json], fields: dict[str, str]):
    with pytest.raises(BlockFailed) as caught:
        await fire(inputs)
    assert caught.value.code == "invalid_input"
    assert not caught.value.retryable
    told = caught.value.detail["fields"]
    assert isinstance(told, dict)
    assert set(told) == set(fields)
    for name, words in fields.items():
        assert words in str(told[name])


def runnable_of(*outputs: object) -> Runnable:
    """A generator block that yields, or raises, what it is told."""

    async def told(ask: In, ctx: BlockContext) -> AsyncIterator[Out]:
        """Do as told."""
        for output in outputs:
            if isinstance(output, BaseException):
                raise output
            assert isinstance(output, dict)
            yield Out(**output)  # pyright: ignore[reportUnknownArgumentType]

    declare = block(
        id="33333333-3333-4333-8333-333333333333",
        name="Told",
        categories={Category.DATA},
        effects=Effects.NONE,
        examples=EXAMPLES,
    )
    return Runnable(declare(told))


async def parts(runnable: Runnable) -> list[list[tuple[str, Json]]]:
    return [part async for part in runnable.stream({"what": 1}, Rehearsal())]


async def test_set_fields_fire_in_field_order_null_included_and_others_stay_silent():
    assert await parts(runnable_of({"second": 1, "first": None}, {}, {"names": None})) == [
        [("first", None), ("second", 1)],
        [],
        [("names", None)],
    ]


async def test_an_output_that_does_not_fit_its_pin_is_converted():
    assert await parts(runnable_of({"second": "5", "day": "2026-01-31"})) == [[("second", 5), ("day", "2026-01-31")]]


@pytest.mark.parametrize("output", [{"second": "five"}, {"nowhere": 1}, {"names": [None]}])
async def test_an_output_that_cannot_be_converted_or_has_no_pin_is_bad_output(output: dict[str, Json]):
    with pytest.raises(BlockFailed) as caught:
        await parts(runnable_of(output))
    assert caught.value.code == "bad_output"


async def test_error_comes_last_and_ends_the_stream():
    assert await parts(runnable_of({"first": 1}, {"error": "no", "first": 2}, {"first": 3})) == [
        [("first", 1)],
        [("first", 2), ("error", "no")],
    ]


async def test_what_was_yielded_before_a_fault_stands():
    stream = aiter(runnable_of({"first": 1}, UpstreamError()).stream({"what": 1}, Rehearsal()))
    assert await anext(stream) == [("first", 1)]
    with pytest.raises(BlockFailed):
        await anext(stream)


@pytest.mark.parametrize(
    ("raised", "code", "retryable", "retry_after"),
    [
        (UpstreamError("down"), "upstream_failed", True, None),
        (RateLimited("slow", retry_after=2), "rate_limited", True, 2.0),
        (Forbidden("no"), "forbidden", False, None),
        (TimeoutError(), "timeout", True, None),
        (BlockFailed("own", "mine", retryable=True, retry_after=1), "own", True, 1),
        (ValueError("secret"), "internal", False, None),
    ],
)
async def test_what_a_block_raises_becomes_one_kind_of_failure(
    raised: Exception, code: str, retryable: bool, retry_after: float | None
):
    with capture_logs() as logs, pytest.raises(BlockFailed) as caught:
        await parts(runnable_of(raised))
    failure = caught.value
    assert (failure.code, failure.retryable, failure.retry_after) == (code, retryable, retry_after)
    assert "secret" not in failure.message
    assert [entry["event"] for entry in logs] == (["block.crashed"] if code == "internal" else [])


class Suspended(BaseException):
    """The engine's way to stop a step in the middle."""


@pytest.mark.parametrize("raised", [asyncio.CancelledError(), Suspended()])
async def test_control_flow_passes_through_untouched(raised: BaseException):
    with pytest.raises(type(raised)) as caught:
        await parts(runnable_of({"first": 1}, raised))
    assert caught.value is raised


async def test_leaving_a_stream_early_closes_the_block():
    closed: list[bool] = []

    async def endless(ask: In, ctx: BlockContext) -> AsyncIterator[Out]:
        """Never stop."""
        try:
            while True:
                yield Out(first=1)
        finally:
            closed.append(True)

    declare = block(
        id="44444444-4444-4444-8444-444444444444",
        name="Endless",
        categories={Category.DATA},
        effects=Effects.NONE,
        examples=EXAMPLES,
    )
    stream = Runnable(declare(endless)).stream({"what": 1}, Rehearsal())
    assert await anext(aiter(stream)) == [("first", 1)]
    await stream.aclose()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert closed == [True]
