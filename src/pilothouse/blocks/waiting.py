"""Blocks that wait for others: for a person, for another agent, for a moment. None of them holds a worker meanwhile."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field, JsonValue

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    ChildOrder,
    Effects,
    Example,
    Kind,
    Question,
    block,
)

# Moments that every reader of the run's log can write in its own time zone.
EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)


class AgentExecutorIn(BlockInput):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", populate_by_name=True)

    graph_id: Annotated[str, Field(description="The agent to run.")]
    graph_version: Annotated[int, Field(ge=1, description="Its version.")]
    inputs: Annotated[dict[str, JsonValue], Field(description="Values by input name; a linked pin wins.")]
    input_schema: Annotated[dict[str, JsonValue], Field(description="What it takes, for the builder.")]
    output_schema: Annotated[dict[str, JsonValue], Field(description="What it gives, for the builder.")]
    agent_name: Annotated[str | None, Field(description="Its name, for the builder.")] = None
    user_id: Annotated[str | None, Field(description="Ignored: a run is always its owner's.")] = None
    nodes_input_masks: Annotated[
        dict[str, dict[str, JsonValue]] | None, Field(description="Values by node and pin that override all others.")
    ] = None


class AgentExecutorOut(BlockOutput):
    """Its pins are the names of the child's outputs."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", populate_by_name=True)


_CHILD: dict[str, JsonValue] = {
    "graph_id": "00000000-0000-7000-8000-00000000000a",
    "graph_version": 1,
    "input_schema": {},
    "output_schema": {},
}


@block(
    id="e189baac-8c20-45a1-94a7-55177ea42565",
    name="Agent executor",
    categories={Category.AGENT},
    effects=Effects.NONE,
    kind=Kind.AGENT,
    timeout_s=None,
    examples=[
        Example(ask={**_CHILD, "inputs": {"topic": "tea"}}, fires=[("topic", "tea")]),
        Example(ask={**_CHILD, "inputs": {"a": 1}, "a": 2, "b": 3}, fires=[("a", 2), ("b", 3)]),
        Example(ask={**_CHILD, "inputs": {}, "graph_version": 0}, fails="invalid_input"),
    ],
)
async def agent_executor(ask: AgentExecutorIn, ctx: BlockContext) -> AsyncIterator[AgentExecutorOut]:
    """Run another agent as a part of this one: its inputs are pins here, and so are its outputs, as they come."""
    inputs = {**ask.inputs, **(ask.__pydantic_extra__ or {})}
    order = ChildOrder(ask.graph_id, ask.graph_version, inputs, ask.nodes_input_masks or {})
    async for name, value in ctx.run_agent(order):
        yield AgentExecutorOut.model_validate({name: value})


class HumanInTheLoopIn(BlockInput):
    data: Annotated[AnyJson, Field(description="What is to be looked at.")]
    name: Annotated[str, Field(description="What it is, in the words of the one who is asked.")]
    editable: Annotated[bool, Field(description="Whether it may be changed before it is approved.")] = True


class HumanInTheLoopOut(BlockOutput):
    approved_data: AnyJson = None
    rejected_data: AnyJson = None
    review_message: str | None = None


@block(
    id="8b2a7b3c-6e9d-4a5f-8c1b-2e3f4a5b6c7d",
    name="Human in the loop",
    categories={Category.SAFETY},
    effects=Effects.NONE,
    kind=Kind.REVIEW,
    timeout_s=None,
    happy_pins=("approved_data",),
    examples=[
        Example(ask={"data": {"to": "ann"}, "name": "Mail"}, fires=[("approved_data", {"to": "ann"})]),
        Example(ask={"name": "Mail"}, fails="invalid_input"),
    ],
)
async def human_in_the_loop(ask: HumanInTheLoopIn, ctx: BlockContext) -> HumanInTheLoopOut:
    """Wait for a person, who lets the data pass, perhaps changed, or rejects it."""
    said = await ctx.wait_review(Question(ask.name, ask.data, ask.editable))
    told = {"review_message": said.message} if said.message else {}
    if said.approved:
        return HumanInTheLoopOut(approved_data=said.data, **told)
    return HumanInTheLoopOut(rejected_data=said.data, **told)


class WaitUntilIn(BlockInput):
    at: Annotated[str, Field(description="A moment, as 2026-01-31T09:00:00+01:00; without a zone it is UTC.")]
    data: Annotated[AnyJson, Field(description="Handed on then.")] = None


class WaitUntilOut(BlockOutput):
    data: AnyJson = None


@block(
    id="3b8eb6da-afe7-4b00-b9c5-54edbb916d4f",
    name="Wait until",
    categories={Category.BASIC},
    effects=Effects.NONE,
    timeout_s=None,
    examples=[
        Example(ask={"at": "2026-01-02T09:00:00Z", "data": 1}, fires=[("data", 1)]),
        Example(ask={"at": "2020-01-01", "data": {"late": True}}, fires=[("data", {"late": True})]),
        Example(ask={"at": "2026-01-02T09:00:00+02:00"}, fires=[("data", None)]),
        Example(ask={"at": "tomorrow"}, fires=[("error", str)]),
    ],
)
async def wait_until(ask: WaitUntilIn, ctx: BlockContext) -> WaitUntilOut:
    """Wait for a moment, then hand the data on; at once when it has passed. Survives restarts and holds no worker."""
    try:
        moment = datetime.fromisoformat(ask.at.strip())
    except ValueError:
        return WaitUntilOut(error=f"{ask.at[:100]!r} is not a date and time")
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment > LATEST:
        return WaitUntilOut(error="the calendar does not reach that day")
    await ctx.wait_timer(max(moment, EARLIEST))
    return WaitUntilOut(data=ask.data)
