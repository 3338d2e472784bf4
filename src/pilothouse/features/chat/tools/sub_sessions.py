"""AutoPilot's door to other sessions: delegate to one, look at what came of it."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from pilothouse.base.deferred import Deferred, WaitSeconds, wait_for
from pilothouse.base.tools import Answer, Effect, ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import queries
from pilothouse.features.chat.delegating import Order, delegate
from pilothouse.features.chat.limits import MAX_MESSAGE, MAX_SYSTEM_CONTEXT
from pilothouse.features.chat.outcomes import NOTHING, SILENCE, TurnOutcome, outcome_of, progress_of
from pilothouse.features.chat.present import SessionView
from pilothouse.features.chat.reaching import SUB_SESSION
from pilothouse.features.chat.service import Chat
from pilothouse.kit.json import JsonObject

tools = ToolBox()

SessionIdArgument = Annotated[str, Field(min_length=1, description="A `sub_session_id` that another call returned.")]


Status: TypeAlias = Literal["running", "completed", "cancelled", "error", "queued"]


class SubSessionStatus(ToolResult):
    """A session that works for this one."""

    type: Literal["sub_session_status"] = "sub_session_status"
    status: Status
    sub_session_id: str
    sub_autopilot_session_id: str
    sub_autopilot_session_link: str
    response: str | None = None
    tool_calls: list[dict[str, JsonValue]] = Field(default_factory=list[dict[str, JsonValue]])
    error: str | None = None
    elapsed_seconds: int = 0
    pending_buffer_length: int | None = None
    progress: dict[str, JsonValue] | None = None


async def _finish_turn(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
    """The turn of the other session has ended, or this call has waited long enough."""
    if await queries.turn_status(ctx.part(Chat).reader, waiting.job_id) is None and not late:
        return None
    return await _status(ctx, waiting.id, waiting.job_id, queued=bool(waiting.memo.get("queued")))


@tools.tool(label="Delegating", effect=Effect.WRITE, timeout_seconds=None, finish=_finish_turn)
async def run_sub_session(
    ctx: ToolContext,
    prompt: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE, description="The whole task: it sees no more.")],
    system_context: Annotated[str, Field(max_length=MAX_SYSTEM_CONTEXT, description="Background for it.")] = "",
    sub_autopilot_session_id: Annotated[str, Field(description="Go on with this session instead of a new one.")] = "",
    wait_for_result: WaitSeconds = 60,
) -> Answer:
    """Let another AutoPilot do a task in a session of its own. Its answer comes back here when it ends in time."""
    order = Order(
        *(prompt, system_context, sub_autopilot_session_id),
        *(ctx.session_id, ctx.turn_id, ctx.idempotency_key, ctx.permissions),
        dry_run=ctx.dry_run,
    )
    given = await delegate(ctx.part(Chat), ctx.actor, order)
    queued = given.pending is not None
    if given.turn_id is not None and wait_for_result:
        job, memo = given.turn_id, {"queued": queued}
        return wait_for(SUB_SESSION, given.session_id, job, wait_for_result, owned=not queued, **memo)
    if queued:
        return _queued(given.session_id, given.pending or 0)
    return await _status(ctx, given.session_id, given.turn_id)


async def _finish_look(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
    """The same of whoever only looks. A task that waited there may have begun when that turn ended: what the session
    was busy with before is no answer to it.
    """
    reader = ctx.part(Chat).reader
    if await queries.turn_status(reader, waiting.job_id) is None and not late:
        return None
    view = await queries.get_session(reader, ctx.actor, waiting.id)
    return await _status(ctx, view.id, await _newest(ctx, view), progress=_asks(waiting.memo))


@tools.tool(label="Looking at the delegated work", timeout_seconds=None, finish=_finish_look)
async def get_sub_session_result(
    ctx: ToolContext,
    sub_session_id: SessionIdArgument,
    wait_if_running: WaitSeconds = 60,
    cancel: Annotated[bool, Field(description="Stop it.")] = False,
    include_progress: Annotated[bool, Field(description="Show its last messages while it works.")] = False,
) -> Answer:
    """What a delegated session answered, or how far it is. Keep waiting for long work that is going on."""
    view = await queries.get_session(ctx.part(Chat).reader, ctx.actor, sub_session_id)
    if view.active is None:
        return await _status(ctx, view.id, await _newest(ctx, view))
    if cancel:
        return await _cancelled(ctx, view.id, view.active.turn_id)
    if wait_if_running and view.id != ctx.session_id:
        turn_id = view.active.turn_id
        return wait_for(SUB_SESSION, view.id, turn_id, wait_if_running, progress=include_progress)
    return await _status(ctx, view.id, view.active.turn_id, progress=include_progress)


async def _newest(ctx: ToolContext, view: SessionView) -> str | None:
    """The turn that the session is busy with, else its last one."""
    if view.active is not None:
        return view.active.turn_id
    last = await queries.turns_before(ctx.part(Chat).reader, view.id, None, 1)
    return last[0].id if last else None


async def _cancelled(ctx: ToolContext, session_id: str, turn_id: str) -> ToolResult:
    """Said at once; what it began is stopped with it. In a dry run nothing is."""
    if ctx.dry_run:
        return _told(session_id, "cancelled", "[dry-run] It would be cancelled.", SILENCE)
    if await ctx.part(Chat).turns.stop(turn_id, ctx.actor.user_id) == "absent":
        return await _status(ctx, session_id, turn_id)  # it ended first: that is what counts
    return _told(session_id, "cancelled", "It was cancelled.", SILENCE)


async def _status(
    ctx: ToolContext, session_id: str, turn_id: str | None, *, queued: bool = False, progress: bool = False
) -> ToolResult:
    reader = ctx.part(Chat).reader
    if turn_id is None:
        return _told(session_id, "error", "Nothing was asked in this session.", NOTHING)
    found = await outcome_of(reader, ctx.actor, session_id, turn_id)
    status: Status = "queued" if queued else found.status
    told = _told(session_id, status, _MESSAGES[status], found)
    if progress and found.status == "running":
        return told.model_copy(update={"progress": await progress_of(reader, session_id)})
    return told


_MESSAGES = {
    "completed": "The sub-session has answered.",
    "running": "The sub-session is still at work. `get_sub_session_result` waits for it.",
    "cancelled": "The sub-session was cancelled.",
    "error": "The sub-session failed.",
    "queued": "That session was busy: the task waits there, and this is what it was busy with."
    " `get_sub_session_result` waits for the task.",
}


def _queued(session_id: str, length: int) -> ToolResult:
    told = _told(session_id, "queued", "That session is busy: the task waits there until its turn.", SILENCE)
    return told.model_copy(update={"pending_buffer_length": length})


def _told(session_id: str, status: Status, message: str, outcome: TurnOutcome) -> SubSessionStatus:
    return SubSessionStatus(
        message=message,
        status=status,
        sub_session_id=session_id,
        sub_autopilot_session_id=session_id,
        sub_autopilot_session_link=f"/chat/{session_id}",
        response=outcome.response or None,
        tool_calls=outcome.tool_calls,
        error=outcome.error,
        elapsed_seconds=outcome.elapsed_seconds,
    )


def _asks(memo: JsonObject) -> bool:
    return bool(memo.get("progress"))
