"""Waiting and the clock."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
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
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.clock import from_wire, to_wire

LONGEST = timedelta(days=7)
MOST = LONGEST.total_seconds() + 1  # of any unit that is too long already, and no overflow yet


class CountdownTimerIn(BlockInput):
    input_message: Annotated[AnyJson, Field(description="Handed on each time.")] = "timer finished"
    seconds: Annotated[int | float | str, Field(description="Seconds to wait.")] = 0
    minutes: Annotated[int | float | str, Field(description="Minutes to wait.")] = 0
    hours: Annotated[int | float | str, Field(description="Hours to wait.")] = 0
    days: Annotated[int | float | str, Field(description="Days to wait.")] = 0
    repeat: Annotated[int, Field(ge=1, le=1000, description="How many times.")] = 1


class CountdownTimerOut(BlockOutput):
    output_message: AnyJson = None


@block(
    id="d67a9c52-5e4e-11e2-bcfd-0800200c9a71",
    name="Countdown timer",
    categories={Category.BASIC},
    effects=Effects.NONE,
    timeout_s=None,
    examples=[
        Example(ask={"seconds": 1}, fires=[("output_message", "timer finished")]),
        Example(
            ask={"minutes": "0.5", "repeat": 2, "input_message": {"n": 1}},
            fires=[("output_message", {"n": 1}), ("output_message", {"n": 1})],
        ),
        Example(ask={"seconds": -1}, fires=[("error", str)]),
        Example(ask={"hours": "soon"}, fires=[("error", str)]),
        Example(ask={"days": 4, "repeat": 2}, fires=[("error", str)]),
        Example(ask={"repeat": 1001}, fails="invalid_input"),
    ],
)
async def countdown_timer(ask: CountdownTimerIn, ctx: BlockContext) -> AsyncIterator[CountdownTimerOut]:
    """Wait, then hand a message on; as often as asked. Survives restarts and holds no worker."""
    try:
        pause = pause_of(ask)
    except ValueError as fault:
        yield CountdownTimerOut(error=str(fault))
        return
    lap, due = _lap_of(ctx)
    for number in range(lap, ask.repeat):
        due = await ctx.wait_timer(due + pause, keep=[number, to_wire(due)])
        yield CountdownTimerOut(output_message=ask.input_message)


def _lap_of(ctx: BlockContext) -> tuple[int, datetime]:
    """The number of laps behind it, and when the last of them was due."""
    match ctx.kept:
        case [int(lap), str(due)]:
            return lap, from_wire(due)
        case _:
            return 0, ctx.now()


def pause_of(ask: CountdownTimerIn) -> timedelta:
    """One wait; raises `ValueError` with words for the user."""
    parts = {"seconds": ask.seconds, "minutes": ask.minutes, "hours": ask.hours, "days": ask.days}
    amounts: dict[str, float] = {}
    for unit, amount in parts.items():
        try:
            number = coerce(amount, {"type": "number"}, {})
        except NotConvertible:
            raise ValueError(f"{unit} is not a number") from None
        assert isinstance(number, int | float)
        if number < 0:
            raise ValueError(f"{unit} is negative")
        amounts[unit] = float(min(number, MOST))
    pause = timedelta(**amounts)
    if pause * ask.repeat > LONGEST:
        raise ValueError("more than 7 days in all")
    return pause
