"""Blocks for fault tests only: in the catalogue when the setting `test_blocks` is on, never otherwise."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
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
    reply,
)


class EffectIn(BlockInput):
    url: Annotated[str, Field(description="The effect server.")]
    payload: Annotated[AnyJson, Field(description="Sent along.")] = None


class EffectOut(BlockOutput):
    status: int | None = None
    payload: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000001",
    name="TestEffect",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    examples=[
        Example(
            ask={"url": "https://effects.example.com", "payload": 5},
            http=[reply(200, {})],
            fires=[("status", 200), ("payload", 5)],
        )
    ],
)
async def post_effect(ask: EffectIn, ctx: BlockContext) -> EffectOut:
    """Tell the effect server that this step acted, under its key."""
    key = ctx.idempotency_key()
    body: AnyJson = {"key": key, "payload": ask.payload}
    answer = await ctx.http.request("POST", ask.url, json=body, headers={"Idempotency-Key": key})
    return EffectOut(status=answer.status, payload=ask.payload)


class ProbeIn(BlockInput):
    path: Annotated[str, Field(description="The file to append to.")]
    value: Annotated[AnyJson, Field(description="Handed on.")] = None


class ProbeOut(BlockOutput):
    value: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000002",
    name="TestProbe",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    at_least_once=True,
    examples=[Example(ask={"path": "probe.txt", "value": 1}, fires=[("value", 1)])],
)
async def append_probe(ask: ProbeIn, ctx: BlockContext) -> ProbeOut:
    """Append `run step key` to a file, on disk before the step ends."""
    line = f"{ctx.run_id} {ctx.step_id} {ctx.idempotency_key()}\n"
    handle = os.open(ask.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line.encode())
        os.fsync(handle)
    finally:
        os.close(handle)
    return ProbeOut(value=ask.value)


class SleepIn(BlockInput):
    seconds: Annotated[float, Field(ge=0, le=3600, description="How long.")]
    value: Annotated[AnyJson, Field(description="Handed on.")] = None


class SleepOut(BlockOutput):
    value: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000003",
    name="TestSleep",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.READS,
    examples=[Example(ask={"seconds": 0, "value": 1}, fires=[("value", 1)])],
)
async def sleep(ask: SleepIn, ctx: BlockContext) -> SleepOut:
    """Take some time, then hand the value on."""
    await asyncio.sleep(ask.seconds)
    return SleepOut(value=ask.value)


class AddIn(BlockInput):
    a: Annotated[int | float, Field(description="One number.")]
    b: Annotated[int | float, Field(description="Another number.")] = 1


class AddOut(BlockOutput):
    sum: int | float | None = None


@block(
    id="0e57b10c-0000-4000-8000-000000000004",
    name="TestAdd",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.NONE,
    examples=[Example(ask={"a": 1, "b": 2}, fires=[("sum", 3)])],
)
async def add(ask: AddIn, ctx: BlockContext) -> AddOut:
    """Add two numbers."""
    return AddOut(sum=ask.a + ask.b)


class PoisonIn(BlockInput):
    armed: Annotated[bool, Field(description="Whether to kill the process that runs this.")] = True


class PoisonOut(BlockOutput):
    survived: bool | None = None


@block(
    id="0e57b10c-0000-4000-8000-000000000005",
    name="TestPoison",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.NONE,
    examples=[Example(ask={"armed": False}, fires=[("survived", True)])],
)
async def poison(ask: PoisonIn, ctx: BlockContext) -> PoisonOut:
    """Kill the process that runs this block."""
    if ask.armed:
        os.kill(os.getpid(), 9)
    return PoisonOut(survived=True)


class AwaitIn(BlockInput):
    fact: Annotated[str, Field(description="The name of the fact to wait for.")]
    value: Annotated[AnyJson, Field(description="Handed on with it.")] = None


class AwaitOut(BlockOutput):
    value: AnyJson = None
    fact: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000006",
    name="TestAwait",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.NONE,
    timeout_s=None,
    examples=[Example(ask={"fact": "go", "value": 1}, fires=[("value", 1), ("fact", "go")])],
)
async def await_fact(ask: AwaitIn, ctx: BlockContext) -> AwaitOut:
    """Wait until somebody sends the run a fact of this name."""
    fact = await ctx.wait_fact(ask.fact)
    return AwaitOut(value=ask.value, fact=fact)


class BurnIn(BlockInput):
    seconds: Annotated[float, Field(description="How long to compute.")]
    value: Annotated[AnyJson, Field(description="Handed on; `pid`, `die` and `reach` have their own sense.")] = None


class BurnOut(BlockOutput):
    value: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000007",
    name="TestBurn",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.NONE,
    cpu_heavy=True,
    examples=[Example(ask={"seconds": 0, "value": 1}, fires=[("value", 1)])],
)
async def burn(ask: BurnIn, ctx: BlockContext) -> AsyncIterator[BurnOut]:
    """Compute without a pause, then hand the value on, or say in which process that was."""
    end = time.monotonic() + ask.seconds
    while time.monotonic() < end:
        sum(range(1_000))
    if ask.value == "die":
        os._exit(3)
    if ask.value == "reach":
        await ctx.http.request("GET", "https://example.com")
    yield BurnOut(value=os.getpid() if ask.value == "pid" else ask.value)


class ActIn(BlockInput):
    value: Annotated[AnyJson, Field(description="Handed on.")] = None


class ActOut(BlockOutput):
    value: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000008",
    name="TestAct",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    at_least_once=True,
    examples=[Example(ask={"value": 1}, fires=[("value", 1)])],
)
async def act(ask: ActIn, ctx: BlockContext) -> ActOut:
    """Count as an effect and do nothing: what is left to measure is ours."""
    return ActOut(value=ask.value)


class PublishIn(BlockInput):
    what: Annotated[AnyJson, Field(description="What would be published.")]


class PublishOut(BlockOutput):
    done: AnyJson = None


@block(
    id="0e57b10c-0000-4000-8000-000000000020",
    name="TestPublish",
    categories={Category.DEVELOPER_TOOLS},
    effects=Effects.WRITES,
    sensitive=True,
    at_least_once=True,
    examples=[Example(ask={"what": 1}, fires=[("done", 1)])],
)
async def publish(ask: PublishIn, ctx: BlockContext) -> PublishOut:
    """Do something that a person may have to allow."""
    return PublishOut(done=ask.what)
