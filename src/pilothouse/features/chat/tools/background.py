"""AutoPilot's door to work that goes on in the background: list it, wait for it, stop it."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field, JsonValue

from pilothouse.base.deferred import Deferred, WaitSeconds, wait_for
from pilothouse.base.jobs.moves import micros
from pilothouse.base.tools import Answer, Outcome, ToolBox, ToolContext, ToolResult
from pilothouse.features.chat.background import Background, list_parked
from pilothouse.features.chat.errors import BackgroundNotFound, BackgroundUnnamed
from pilothouse.features.chat.service import Chat
from pilothouse.features.chat.writes.parking import CANCELLED, COMPLETED, ERROR, RUNNING, Parked
from pilothouse.kit.json import JsonObject

tools = ToolBox()


Status: TypeAlias = Literal["completed", "still_running", "cancelled", "error"]


class InBackground(ToolResult):
    """The call took too long to wait for; its work goes on."""

    type: Literal["background"] = "background"
    tool: str
    background_id: str
    timeout_seconds: float


class BackgroundStatus(ToolResult):
    type: Literal["background_tool_status"] = "background_tool_status"
    status: Status
    tool: str
    background_id: str
    output: dict[str, JsonValue] | None = None
    waited_seconds: int = 0


class BackgroundTask(BaseModel):
    background_id: str
    tool: str
    age_seconds: int
    done: bool


class BackgroundList(ToolResult):
    type: Literal["background_tool_list"] = "background_tool_list"
    tasks: list[BackgroundTask]


async def _finish(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
    """The work has ended, or this call has waited long enough."""
    work = await _find(ctx, str(waiting.memo["background_id"]))
    outcome = await ctx.part(Background).ended(ctx, work, 0)
    if outcome is not None:
        return await _deliver(ctx, work, outcome, waiting.since)
    return _still_running(work, waiting.since) if late else None


@tools.tool(label="Looking at background work", timeout_seconds=None, finish=_finish)
async def check_background_tool(
    ctx: ToolContext,
    list: Annotated[bool, Field(description="List what there is; needs nothing else.")] = False,
    background_id: Annotated[str, Field(description="`bg-` and twelve digits.")] = "",
    wait_seconds: WaitSeconds = 60,
    cancel: Annotated[bool, Field(description="Stop it.")] = False,
) -> Answer:
    """Work that went into the background: list it, wait for its result, or stop it. Keep waiting for legitimate long
    work. A result is given once.
    """
    if list:
        return await _listed(ctx)
    if not background_id:
        raise BackgroundUnnamed
    since = micros()
    work, desk = await _find(ctx, background_id), ctx.part(Background)
    outcome = await desk.ended(ctx, work, 0 if cancel else wait_seconds)
    if outcome is None and cancel:
        if ctx.dry_run:
            return _status(work, CANCELLED, "[dry-run] It would be cancelled; it goes on.", since)
        if await desk.stop(ctx, work):
            await desk.take(ctx, work)
            return _status(work, CANCELLED, "It was cancelled.", since)
        outcome = await desk.ended(ctx, work, 0)
    if outcome is not None:
        return await _deliver(ctx, work, outcome, since)
    waiting = desk.waits_for(work)
    if waiting is None or not wait_seconds or cancel:
        return _still_running(work, since)
    return wait_for(waiting.kind, waiting.id, waiting.job_id, wait_seconds, background_id=work.id)


async def _listed(ctx: ToolContext) -> ToolResult:
    now, desk = micros(), ctx.part(Background)
    tasks: list[BackgroundTask] = []
    for work in await list_parked(ctx.part(Chat).reader, ctx.session_id, ctx.idempotency_key):
        done = work.state != RUNNING or await desk.ended(ctx, work, 0) is not None
        age = (now - work.started_at) // 1_000_000
        tasks.append(BackgroundTask(background_id=work.id, tool=work.tool, age_seconds=age, done=done))
    return BackgroundList(message=f"{len(tasks)} in the background.", tasks=tasks)


async def _find(ctx: ToolContext, background_id: str) -> Parked:
    found = await list_parked(ctx.part(Chat).reader, ctx.session_id, ctx.idempotency_key)
    work = next((one for one in found if one.id == background_id), None)
    if work is None:
        raise BackgroundNotFound
    return work


async def _deliver(ctx: ToolContext, work: Parked, outcome: Outcome, since: int) -> ToolResult:
    if not await ctx.part(Background).take(ctx, work):
        raise BackgroundNotFound
    told = (outcome.output.get("code"), outcome.output.get("status"))
    if work.state == CANCELLED or told[0] in ("execution_terminated", CANCELLED) or told[1] == CANCELLED:
        return _status(work, CANCELLED, "It was cancelled.", since, outcome.output)
    if outcome.success and told[1] != ERROR:
        return _status(work, COMPLETED, "It has finished.", since, outcome.output)
    return _status(work, ERROR, "It failed.", since, outcome.output)


def _still_running(work: Parked, since: int) -> ToolResult:
    return _status(work, "still_running", "It is still at work. Keep waiting if the work is legitimate.", since)


def _status(work: Parked, status: Status, message: str, since: int, output: JsonObject | None = None) -> ToolResult:
    return BackgroundStatus(
        message=message,
        status=status,
        tool=work.tool,
        background_id=work.id,
        output=output,
        waited_seconds=(micros() - since) // 1_000_000,
    )
