"""autopilot-tools:T1-T6, T9, X3: a typed function is a tool; its failures are results."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal, cast

import pytest
from asyncpg import ConnectionDoesNotExistError
from pydantic import Field
from sqlalchemy import text

from pilothouse.base.actor import SYSTEM
from pilothouse.base.committer import CommitterOverloaded, DatabaseUnavailable
from pilothouse.base.database import Database
from pilothouse.base.deferred import MAX_TOOL_WAIT_SECONDS, Deferred, WaitSeconds, wait_for
from pilothouse.base.tools import Outcome, ToolBox, ToolContext, ToolResult
from pilothouse.base.work import Units
from pilothouse.kit.errors import Conflict

tools = ToolBox()


class Answer(ToolResult):
    type: Literal["answer"] = "answer"
    value: Any = None


class DoorStuck(Conflict):
    """The door is stuck."""

    hint = "Push harder."


@tools.tool(label="Opening the door")
async def open_door(
    ctx: ToolContext,
    door: Annotated[str, Field(min_length=1, description="Which one.")],
    title: str = "",
    wait: WaitSeconds = 0,
) -> ToolResult:
    """Open a door."""
    if door == "stuck":
        raise DoorStuck(door=door)
    if door == "trap":
        raise RuntimeError("secret 12345")
    return Answer(message="Open.", value=[door, wait, ctx.idempotency_key])


@tools.tool(label="Sleeping")
async def sleep_long(ctx: ToolContext) -> ToolResult:
    """Sleep."""
    await asyncio.sleep(60)
    return Answer(message="Awake.")


async def finish_nothing(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
    return None


@tools.tool(label="Waiting", timeout_seconds=None, finish=finish_nothing)
async def wait_long(ctx: ToolContext, seconds: int) -> Deferred:
    """Wait."""
    return wait_for("run", "r", "r", seconds)


@pytest.fixture
async def ctx(tmp_path: Any) -> AsyncGenerator[ToolContext]:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'x.db'}", pool_size=2)
    yield ToolContext(SYSTEM, "session", "turn", "call", "turn:call", Units(database))
    await database.close()


async def call(ctx: ToolContext, name: str, **arguments: Any) -> Outcome:
    answer = await tools[name].call(ctx, arguments)
    assert isinstance(answer, Outcome)
    return answer


def test_the_schema_is_read_from_the_function():
    schema = cast(dict[str, Any], tools["open_door"].schema)
    assert tools["open_door"].description == "Open a door."
    assert schema["required"] == ["door"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["door"] == {"type": "string", "minLength": 1, "description": "Which one."}
    assert set(schema["properties"]) == {"door", "title", "wait"}  # a field may be called title; titles are dropped
    assert tools["open_door"].schema is schema  # made once


async def test_a_result_has_type_message_and_session(ctx: ToolContext):
    outcome = await call(ctx, "open_door", door="  front ")
    assert outcome.success
    assert outcome.output == {
        "type": "answer",
        "message": "Open.",
        "session_id": "session",
        "value": ["front", 0, "turn:call"],
    }


async def test_our_errors_are_results_with_code_hint_and_facts(ctx: ToolContext):
    outcome = await call(ctx, "open_door", door="stuck")
    assert not outcome.success
    assert outcome.output == {
        "type": "error",
        "code": "door_stuck",
        "message": "The door is stuck.",
        "hint": "Push harder.",
        "details": {"door": "stuck"},
        "session_id": "session",
    }


async def test_an_unexpected_exception_tells_an_id_and_nothing_else(ctx: ToolContext):
    output = (await call(ctx, "open_door", door="trap")).output
    assert output["code"] == "internal"
    assert "12345" not in str(output)
    assert set(cast(dict[str, Any], output["details"])) == {"trace_id"}


async def test_wrong_arguments_are_named_by_field_and_nothing_runs(ctx: ToolContext):
    output = (await call(ctx, "open_door", dor="x")).output
    assert output["code"] == "invalid_arguments"
    faults = cast(dict[str, Any], output["details"])["errors"]
    assert {fault["field"] for fault in faults} == {"door", "dor"}
    assert output["hint"] == "open_door needs door."


@pytest.mark.parametrize(
    ("asked", "given"),
    [(-1, 0), (10_000, MAX_TOOL_WAIT_SECONDS), (7, 7), (600.0, 300), ("600", 300), (1e9, 300), (-5.0, 0), (0.5, 0)],
)
async def test_waits_are_clamped_never_refused(ctx: ToolContext, asked: float | str, given: int):
    outcome = await call(ctx, "open_door", door="d", wait=asked)
    assert cast(list[Any], outcome.output["value"])[1] == given


async def test_a_call_that_waits_is_asked_until_it_answers(ctx: ToolContext):
    """autopilot:8.2: when its time is over it must answer, and a fault is a result too."""
    waiting = await tools["wait_long"].call(ctx, {"seconds": 10_000})
    assert isinstance(waiting, Deferred)
    assert waiting.until - waiting.since == MAX_TOOL_WAIT_SECONDS * 1_000_000
    assert Deferred.of(waiting.as_json()) == waiting
    assert await tools["wait_long"].look(ctx, waiting, late=False) is None
    late = await tools["wait_long"].look(ctx, waiting, late=True)
    assert late is not None
    assert late.output["code"] == "tool_timeout"


async def test_cancellation_is_not_a_result(ctx: ToolContext):
    task = asyncio.create_task(call(ctx, "sleep_long"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_that_the_database_is_away_is_not_a_result(ctx: ToolContext):
    """autopilot:11.2: nobody knows what was done; whoever calls makes it again under the same key, or says so."""
    box = ToolBox()

    async def finish(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
        raise CommitterOverloaded

    async def store(ctx: ToolContext) -> ToolResult:
        """Store something."""
        raise DatabaseUnavailable

    box.tool(label="Storing", finish=finish)(store)
    with pytest.raises(DatabaseUnavailable):
        await box["store"].call(ctx, {})
    with pytest.raises(CommitterOverloaded):
        await box["store"].look(ctx, wait_for("run", "r", "r", 1), late=True)


async def test_a_database_that_goes_away_within_a_unit_is_not_a_result(ctx: ToolContext):
    """autopilot:11.2: sessions tell it in the words of their driver."""
    box = ToolBox()

    async def look(ctx: ToolContext) -> ToolResult:
        """Look something up."""
        async with ctx.read() as read:
            raise ConnectionDoesNotExistError(f"gone, {read.actor.user_id}")

    async def write(ctx: ToolContext) -> ToolResult:
        """Write a row that cannot be."""
        async with ctx.write() as work:
            await work.session.execute(text("insert into nowhere values (1)"))
        return Answer(message="")

    for function in (look, write):
        box.tool(label="x")(function)
    with pytest.raises(DatabaseUnavailable):
        await box["look"].call(ctx, {})
    failed = await box["write"].call(ctx, {})
    assert isinstance(failed, Outcome)
    assert (failed.success, failed.output["code"]) == (False, "internal")  # our own fault is no outage


def test_a_tool_may_not_wait_longer_than_the_turn_waits_for_it():
    with pytest.raises(ValueError, match="at most 300 seconds"):
        ToolBox().tool(label="x", timeout_seconds=301)


def test_two_tools_of_one_name_and_one_without_words_are_refused():
    async def open_door(ctx: ToolContext) -> ToolResult:
        """Again."""
        return Answer(message="")

    async def silent(ctx: ToolContext) -> ToolResult:
        return Answer(message="")

    with pytest.raises(ValueError, match="two tools"):
        ToolBox(tools).tool(label="x")(open_door)
    with pytest.raises(ValueError, match="docstring"):
        ToolBox().tool(label="x")(silent)
