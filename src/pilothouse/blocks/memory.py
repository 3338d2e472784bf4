"""Remembering values from one run to the next."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from pilothouse.blocks.context import Scope as Kept
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

MAX_KEY = 256
Key: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_KEY, description="The name it is kept under.")]
Scope: TypeAlias = Annotated[
    Literal["within_agent", "across_agents"],
    Field(description="Whether only this agent knows it, or all of the same person."),
]
SCOPES: dict[str, Kept] = {"within_agent": "agent", "across_agents": "user"}


class PersistInformationIn(BlockInput):
    key: Key
    value: Annotated[AnyJson, Field(description="What to keep; it takes the place of what was there.")]
    scope: Scope = "within_agent"


class MemoryOut(BlockOutput):
    value: AnyJson = None


@block(
    id="1d055e55-a2b9-4547-8311-907d05b0304d",
    name="Persist information",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    examples=[
        Example(ask={"key": "last", "value": {"n": 1}}, fires=[("value", {"n": 1})]),
        Example(ask={"key": "", "value": 1}, fails="invalid_input"),
    ],
)
async def persist_information(ask: PersistInformationIn, ctx: BlockContext) -> MemoryOut:
    """Remember a value for later runs, under a name."""
    ctx.memory.put(ask.key, ask.value, SCOPES[ask.scope])
    return MemoryOut(value=ask.value)


class RetrieveInformationIn(BlockInput):
    key: Key
    scope: Scope = "within_agent"
    default_value: Annotated[AnyJson, Field(description="Given when nothing is kept.")] = None


@block(
    id="d8710fc9-6e29-481e-a7d5-165eb16f8471",
    name="Retrieve information",
    categories={Category.LOGIC},
    effects=Effects.NONE,
    static_output=True,
    examples=[Example(ask={"key": "last", "default_value": 0}, fires=[("value", 0)])],
)
async def retrieve_information(ask: RetrieveInformationIn, ctx: BlockContext) -> MemoryOut:
    """Recall a value that was remembered under a name."""
    return MemoryOut(value=await ctx.memory.get(ask.key, SCOPES[ask.scope], ask.default_value))
