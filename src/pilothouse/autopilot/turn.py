"""A turn: open, build, run, stream, settle. After a crash the same script goes on from what the log says."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import structlog

from pilothouse.autopilot.context import message_text, turn_blocks
from pilothouse.autopilot.models import Chosen, Models, ModelUnavailable
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.rounds import End, Failed, Rounds
from pilothouse.autopilot.toolsets import TurnTools, permitted
from pilothouse.base.actor import Actor
from pilothouse.base.tools import MAX_TOOL_WAIT_SECONDS, ToolBox, ToolContext
from pilothouse.base.work import Units
from pilothouse.features.chat import OpenTurn, events
from pilothouse.kit.clock import from_micros
from pilothouse.kit.ids import UserId

log = structlog.get_logger()

STREAM_IDLE_TIMEOUT_SECONDS: Final = 2 * MAX_TOOL_WAIT_SECONDS
OFFLINE_NOTICE: Final = (
    "The offline pilot answers: a small built-in model that understands a few kinds of sentences (say `help`)."
    " Connect a model to write as you like: set OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY or"
    " OPENROUTER_API_KEY and restart."
)


@dataclass(frozen=True, slots=True)
class AutoPilot:
    """Drives turns. One per process that works."""

    tools: ToolBox
    units: Units
    parts: Mapping[type, object]  # what tools may ask for
    models: Models
    idle_seconds: float = STREAM_IDLE_TIMEOUT_SECONDS

    async def drive(self, turn: OpenTurn) -> None:
        """Go on with a turn until it has ended, or this process must hand it on."""
        record = TurnRecord.of(turn)
        try:
            chosen = self.models.resolve_chat_model(turn.turn.mode, turn.turn.tier)
        except ModelUnavailable as unavailable:
            record.log.begin("none", turn.turn.mode, turn.turn.tier)
            await _fail(record, Failed(unavailable.code, unavailable.message))
            return
        record.log.begin(chosen.slug, turn.turn.mode, turn.turn.tier)
        if not await _prepare(turn, record, chosen):
            await _fail(record, Failed("empty_prompt", "There is nothing to answer."))
            return
        watch = _Watch(self.idle_seconds, asyncio.get_running_loop().time())
        rounds = Rounds(turn.hold, record, self._tools_of(turn, record), chosen, watch.heard)
        end = await _run_watched(turn, rounds, watch)
        if end is None:
            await record.log.settle(events.CANCELLED, "cancelled")
        elif isinstance(end, Failed):
            await _fail(record, end)
        elif end is End.ANSWERED:
            await record.log.settle(events.COMPLETED)
        else:
            await record.log.barrier()

    def _tools_of(self, turn: OpenTurn, record: TurnRecord) -> TurnTools:
        context = ToolContext(
            actor=Actor(UserId(turn.turn.user_id)),
            session_id=turn.session.id,
            turn_id=turn.turn.id,
            tool_call_id="",
            idempotency_key="",
            units=self.units,
            parts=self.parts,
            dry_run=bool(turn.session.metadata.get("dry_run")),
            cancelled=turn.hold.cancelled,
        )
        return TurnTools(permitted(self.tools, turn.turn.permissions), record, context)


@dataclass(slots=True)
class _Watch:
    """When something was last heard of the model or a tool."""

    seconds: float
    at: float

    def heard(self) -> None:
        self.at = asyncio.get_running_loop().time()

    @property
    def left(self) -> float:
        return self.at + self.seconds - asyncio.get_running_loop().time()


async def _prepare(turn: OpenTurn, record: TurnRecord, chosen: Chosen) -> bool:
    """The notices and the context of a turn that begins; answers whether anybody said anything."""
    if chosen.is_offline and not record.has(events.NOTICE, "offline_pilot"):
        record.add(events.notice("offline_pilot", OFFLINE_NOTICE))
    begins = not any(event.type == events.CONTEXT for event in record.own)
    if begins:
        await record.take_follow_ups()
    if not any(message_text(text) for text in _said(record)):
        return False
    if begins:
        blocks = turn_blocks(from_micros(turn.turn.created_at), dry_run=bool(turn.session.metadata.get("dry_run")))
        record.add(events.context(blocks))
    await record.log.barrier()
    return True


def _said(record: TurnRecord) -> list[str]:
    """What the user wrote in this turn."""
    texts: list[str] = []
    for event in record.own:
        if event.type == events.USER_MESSAGE:
            texts.append(str(event.data["text"]))
        elif event.type == events.FOLLOW_UP:
            texts += cast(list[str], event.data["texts"])
    return texts


async def _run_watched(turn: OpenTurn, rounds: Rounds, watch: _Watch) -> End | Failed | None:
    """Run the rounds; None when somebody cancelled. On every way out the model's stream is closed."""
    work = asyncio.create_task(rounds.run())
    cancel = asyncio.create_task(turn.hold.cancelled.wait())
    try:
        while not work.done():
            await asyncio.wait([work, cancel], timeout=max(0.0, watch.left), return_when=asyncio.FIRST_COMPLETED)
            if cancel.done() and not work.done():
                return None
            if watch.left <= 0 and not work.done():
                log.warning("turn.idle", turn_id=turn.turn.id, open=sorted(turn.log.parts.calls.values()))
                return Failed("idle_timeout", "Nothing was heard of the model for too long.")
        return work.result()
    finally:
        for task in (work, cancel):
            task.cancel()
        await asyncio.gather(work, cancel, return_exceptions=True)


async def _fail(record: TurnRecord, failed: Failed) -> None:
    record.add(*record.log.parts.close(), events.error(failed.code, failed.message))
    await record.log.settle(events.FAILED, failed.code)
