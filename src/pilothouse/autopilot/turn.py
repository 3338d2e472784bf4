"""A turn: open, build, run, stream, settle. After a crash the same script goes on from what the log says."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

import structlog

from pilothouse.autopilot.attachments import file_ids, look_at_files
from pilothouse.autopilot.builder import builder_block, builder_suffix, without_hidden
from pilothouse.autopilot.compaction import SUMMARY_SECONDS, tokens
from pilothouse.autopilot.context import message_text, system_prompt, turn_blocks
from pilothouse.autopilot.ends import End, Failed
from pilothouse.autopilot.ledger import Ledger
from pilothouse.autopilot.models import Chosen, Models, ModelUnavailable, fallback_notice
from pilothouse.autopilot.parking import ParkedWork
from pilothouse.autopilot.purse import Purse
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.relaying import SILENCE_SECONDS
from pilothouse.autopilot.room import Room, tool_tokens
from pilothouse.autopilot.rounds import Rounds
from pilothouse.autopilot.titles import Titles
from pilothouse.autopilot.toolsets import TurnTools, permitted
from pilothouse.base.actor import Actor
from pilothouse.base.deferred import MAX_TOOL_WAIT_SECONDS
from pilothouse.base.permissions import Permissions
from pilothouse.base.tools import ToolBox, ToolContext
from pilothouse.base.work import Units
from pilothouse.features.chat import Background, OpenTurn, SessionFacts, events
from pilothouse.kit.clock import from_micros
from pilothouse.kit.ids import UserId
from pilothouse.kit.json import JsonObject

log = structlog.get_logger()

STREAM_IDLE_TIMEOUT_SECONDS: Final = 2 * MAX_TOOL_WAIT_SECONDS
OFFLINE_NOTICE: Final = (
    "The offline pilot answers: a small built-in model that understands a few kinds of sentences (say `help`)."
    " Connect a model to write as you like: an administrator can in Settings, Models; or set OPENAI_BASE_URL,"
    " OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENROUTER_API_KEY and restart."
)


@dataclass(frozen=True, slots=True)
class AutoPilot:
    """Drives turns. One per process that works."""

    tools: ToolBox
    units: Units
    parts: Mapping[type, object]  # what tools may ask for
    models: Models
    titles: Titles | None = None
    idle_seconds: float = STREAM_IDLE_TIMEOUT_SECONDS
    summary_seconds: float = SUMMARY_SECONDS
    silence_seconds: float = SILENCE_SECONDS
    purse: Purse = field(default_factory=Purse)

    async def drive(self, turn: OpenTurn) -> None:
        """Go on with a turn until it has ended, or this process must hand it on."""
        record = TurnRecord.of(turn)
        try:
            chosen = await self.models.choose(turn.turn.user_id, turn.turn.mode, turn.turn.tier)
        except ModelUnavailable as unavailable:
            record.log.begin("none", turn.turn.mode, turn.turn.tier)
            await _fail(record, Failed(unavailable.code, unavailable.message))
            return
        await _begin(turn, record, chosen)
        if (refusal := await self._refusal(record, chosen)) is not None:
            await _fail(record, refusal)
            return
        tools = self._tools_of(turn, record)
        if not await _prepare(turn, record, chosen, tools.ledger.context):
            await _fail(record, Failed("empty_prompt", "There is nothing to answer."))
            return
        watch = _Watch(self.idle_seconds, asyncio.get_running_loop().time())
        instructions = system_prompt("" if tools.ledger.context.builder_graph_id is None else builder_suffix())
        overhead = tokens(instructions) + sum(map(tool_tokens, tools.tools.values()))
        about = (turn.turn.message_event, self.models.settings.chat_context_window, overhead)
        room = Room(record, chosen, *about, watch.heard, self.summary_seconds, self.purse)
        beside = (instructions, self.models.settings.chat_vision, self.silence_seconds)
        rounds = Rounds(turn.hold, record, tools, chosen, watch.heard, room, *beside)
        room.abandoned |= await self.purse.given_up(turn.turn.id, record.paid_calls)
        work = tools.ledger.background
        await work.open()
        try:
            end = await self._run_named(turn, rounds, watch)
            await work.close(ends=end not in (End.HANDED_ON, End.ASLEEP))
        finally:
            await work.close(ends=False)
        await self._settle(turn, record, end)

    async def _run_named(self, turn: OpenTurn, rounds: Rounds, watch: "_Watch") -> End | Failed | None:
        """Run the rounds, and beside them name the session. Nothing more is spent on a name when the turn is stopped
        or goes on elsewhere: its first words stay, or the next claim asks again.
        """
        naming = None if self.titles is None else self.titles.begin(turn, rounds.room.absence)
        end: End | Failed | None = None
        try:
            end = await _run_watched(turn, rounds, watch)
        finally:
            if naming is not None and end in (None, End.HANDED_ON):
                naming.cancel()
        return end

    async def _settle(self, turn: OpenTurn, record: TurnRecord, end: End | Failed | None) -> None:
        """Say how it ended; one that sleeps has said so, and one that is handed on only writes what it has."""
        if end is None:
            await turn.end_cancelled([waiting.as_json() for waiting in record.waits.values()], record.own)
        elif isinstance(end, Failed):
            await _fail(record, end)
        elif end is End.ANSWERED:
            await self._complete(record)
        elif end is End.HANDED_ON:
            await record.log.barrier()

    async def _refusal(self, record: TurnRecord, chosen: Chosen) -> Failed | None:
        """Why a turn that begins may not ask the model: it must know before it takes messages that wait."""
        if _is_prepared(record):
            return None
        refusal = await self.purse.refusal(record.log.place.user_id, record.spent, chosen)
        return None if refusal is None else Failed(*refusal)

    async def _complete(self, record: TurnRecord) -> None:
        refusal = await self.purse.refusal_of_next(record.log.place.user_id)
        notice = None if refusal is None else events.notice(*refusal, level="warning")
        await record.log.settle(events.COMPLETED, refusal=notice)

    def _tools_of(self, turn: OpenTurn, record: TurnRecord) -> TurnTools:
        bound = turn.session.metadata.get("builder_graph_id")
        background = ParkedWork(turn.session.id, record, self.tools, turn.left_running)
        permissions = Permissions.of(session_filter(turn.session), turn.turn.permissions)
        context = ToolContext(
            actor=Actor(UserId(turn.turn.user_id), by_autopilot=True),
            session_id=turn.session.id,
            turn_id=turn.turn.id,
            tool_call_id="",
            idempotency_key="",
            units=self.units,
            parts={**self.parts, Background: background},
            dry_run=bool(turn.session.metadata.get("dry_run")),
            builder_graph_id=None if bound is None else str(bound),
            permissions=permissions,
            cancelled=turn.hold.cancelled,
        )
        tools = without_hidden(permitted(self.tools, permissions), context.builder_graph_id)
        return TurnTools(Ledger(tools, record, context, background))


def session_filter(session: SessionFacts) -> JsonObject | None:
    """What the session was made to be limited to, whoever writes in it."""
    told = session.metadata.get("permissions")
    return told if isinstance(told, dict) else None


async def _begin(turn: OpenTurn, record: TurnRecord, chosen: Chosen) -> None:
    """After a death many are taken up at once: each says so before it prepares."""
    record.log.begin(chosen.slug, turn.turn.mode, turn.turn.tier)
    if turn.hold.job.attempt > 1:
        await record.log.barrier()


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


async def _prepare(turn: OpenTurn, record: TurnRecord, chosen: Chosen, ctx: ToolContext) -> bool:
    """The notices and the context of a turn that begins; answers whether anybody said anything."""
    if chosen.is_offline and not record.has(events.NOTICE, "offline_pilot"):
        record.add(events.notice("offline_pilot", OFFLINE_NOTICE))
    begins = not _is_prepared(record)
    if begins and chosen.resolved.instead_of is not None:
        record.add(fallback_notice(chosen))
    if begins:
        await record.take_follow_ups()
    if not any(message_text(text) for text in _said(record, turn.turn.message_event)):
        return False
    if begins:
        blocks = turn_blocks(from_micros(turn.turn.created_at))
        if ctx.builder_graph_id is not None:
            blocks.append(await builder_block(ctx, ctx.builder_graph_id))
        files, notices = await look_at_files(ctx, file_ids(record.since(turn.turn.message_event)))
        record.add(*notices, events.context([*blocks, *files]))
    await record.log.barrier()
    return True


def _is_prepared(record: TurnRecord) -> bool:
    return any(event.type == events.CONTEXT for event in record.own)


def _said(record: TurnRecord, message_event: int) -> list[str]:
    """What the user wrote, from the message that this turn answers on; a turn before this one may have failed on it."""
    texts: list[str] = []
    for event in record.since(message_event):
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
