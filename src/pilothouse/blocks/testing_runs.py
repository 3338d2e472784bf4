"""Blocks for tests of runs only: a secret, leave that must last, money. Like those of `testing`."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Annotated

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


class LockIn(BlockInput):
    key: Annotated[str, Field(description="What opens it.", json_schema_extra={"secret": True})]
    value: Annotated[AnyJson, Field(description="Handed on.")] = None


class LockOut(BlockOutput):
    opened: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000021",
    name="TestLock",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    sensitive=True,
    at_least_once=True,
    examples=[Example(ask={"key": "sesame", "value": 1}, fires=[("opened", [6, 1])])],
)
async def open_lock(ask: LockIn, ctx: BlockContext) -> LockOut:
    """Say how long the secret key is, and nothing else of it."""
    return LockOut(opened=[len(ask.key), ask.value])


class LapsIn(BlockInput):
    laps: Annotated[int, Field(ge=0, le=100, description="How often to wait.")] = 2
    seconds: Annotated[float, Field(ge=0, description="How long each time.")] = 0


class LapsOut(BlockOutput):
    lap: int | None = None


@block(
    id="0e57b10c-0000-4000-8000-000000000022",
    name="TestLaps",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    sensitive=True,
    at_least_once=True,
    examples=[Example(ask={"laps": 2}, fires=[("lap", 1), ("lap", 2)])],
)
async def run_laps(ask: LapsIn, ctx: BlockContext) -> AsyncIterator[LapsOut]:
    """Wait several times, and keep with each wait how often it was."""
    for lap in range(ctx.kept if isinstance(ctx.kept, int) else 1, ask.laps + 1):
        await ctx.wait_timer(ctx.now() + timedelta(seconds=ask.seconds), keep=lap)
        yield LapsOut(lap=lap)


class SpendIn(BlockInput):
    fails: Annotated[bool, Field(description="Whether to fail after that.")] = False
    value: Annotated[AnyJson, Field(description="Handed on.")] = None


class SpendOut(BlockOutput):
    value: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000023",
    name="TestSpend",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    at_least_once=True,
    examples=[Example(ask={"value": 1}, fires=[("value", 1)])],
)
async def spend(ask: SpendIn, ctx: BlockContext) -> SpendOut:
    """Spend thirty microdollars and some tokens, and fail then if told to."""
    ctx.spend("acme", 30, {"prompt": 5, "completion": 2})
    if ask.fails:
        raise BlockFailed("spent", "That was for nothing.")
    return SpendOut(value=ask.value)
