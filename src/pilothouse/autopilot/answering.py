"""The calls of a round, until each has its result; the turn sleeps while all that are left wait for other work."""

import asyncio
from collections.abc import Callable, Sequence

from pydantic_ai.messages import ToolCallPart

from pilothouse.autopilot.breakers import REPEATED, STOP_AND_ASK, TOLD_TO_STOP, failures_like
from pilothouse.autopilot.ends import End
from pilothouse.autopilot.ledger import Ledger
from pilothouse.autopilot.record import TurnRecord
from pilothouse.base import failpoints
from pilothouse.base.jobs.lease import LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import Hold
from pilothouse.base.loops import end_tasks
from pilothouse.base.tools import ToolBox


def require_lease(hold: Hold) -> None:
    """Before anything outside is touched."""
    if not hold.lease.may_act():
        raise LeaseLost


async def answer_calls(
    hold: Hold, record: TurnRecord, ledger: Ledger, calls: Sequence[ToolCallPart], heard: Callable[[], None]
) -> End | None:
    """Run the calls of a round until each has its result: None. While all that are left wait for other work, the turn
    sleeps: then this claim ends here, and the next one comes back here from the log.
    """
    require_lease(hold)
    if record.waits:
        failpoints.hit("turn_woken")
    await ledger.run(calls, heard)
    while record.waits:
        heard()
        hold.told.clear()
        if facts := await record.log.read_inbox():
            record.log.forget_facts(facts)  # they only say: look again
            await record.log.barrier()
        require_lease(hold)
        more_said = await record.log.hears_pending()
        await ledger.look(heard=more_said)
        if not record.waits:
            break
        if hold.stopping.is_set():
            return End.HANDED_ON
        wake_at = ledger.wake_at(heard=more_said)
        if ledger.background.running:
            await _stay(hold, ledger, wake_at)
        elif await _is_asleep(hold, record, ledger, wake_at):
            return End.ASLEEP
    return None


async def _is_asleep(hold: Hold, record: TurnRecord, ledger: Ledger, wake_at: int) -> bool:
    """Try to sleep; something may have come meanwhile, and then there is more to look at."""
    slept = await record.log.suspend(ledger.waits_for(), wake_at=wake_at)
    if slept.cancelled and not slept.asleep:
        hold.cancelled.set()
        await asyncio.Event().wait()  # until whoever watches this ends it
    return slept.asleep


async def _stay(hold: Hold, ledger: Ledger, wake_at: int) -> None:
    """With work of this very process under way the turn stays awake, until some of it ends or it would wake."""
    told = asyncio.create_task(hold.told.wait())
    stopping = asyncio.create_task(hold.stopping.wait())
    try:
        await asyncio.wait(
            [told, stopping, *ledger.background.running],
            timeout=max(0.0, (wake_at - micros()) / 1_000_000),
            return_when=asyncio.FIRST_COMPLETED,
        )
    finally:
        await end_tasks(told, stopping)


async def refuse_calls(record: TurnRecord, tools: ToolBox, calls: Sequence[ToolCallPart]) -> bool:
    """Answer the calls that reach no tool: there is none of that name, or the arguments are no JSON. Were there any?"""
    refused = [call for call in calls if call.tool_call_id not in record.results]
    for call in refused:
        known = call.tool_name in tools
        code = "invalid_arguments" if known else "unknown_tool"
        message = "The arguments are not a JSON object." if known else f"There is no tool '{call.tool_name}'."
        if failures_like(record.own, call.tool_call_id) >= TOLD_TO_STOP - 1:
            code, message = REPEATED, STOP_AND_ASK
        await record.keep_failure(call.tool_call_id, call.tool_name, code, message)
    return bool(refused)
