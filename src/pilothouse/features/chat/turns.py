"""The worker's door: a claimed turn with all that is known of it, and the ends that need no model."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import structlog

from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.lease import Lease, LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import Hold
from pilothouse.base.leave import speaking_with
from pilothouse.base.logs import numbered
from pilothouse.base.reader import Reader
from pilothouse.features.chat import events
from pilothouse.features.chat.closing import OpenParts
from pilothouse.features.chat.events import CANCELLED, FAILED, Event, events_of
from pilothouse.features.chat.limits import MAX_ATTEMPTS, lane_of
from pilothouse.features.chat.lines import Lines, Place
from pilothouse.features.chat.reaching import going_on, handed_back, reached
from pilothouse.features.chat.turnlog import TurnLog
from pilothouse.kit.json import Json, JsonObject, loads

log = structlog.get_logger()

POISON = "This turn stopped its worker several times in a row."


class SessionFacts(NamedTuple):
    """A session as a turn needs to know it."""

    id: str
    user_id: str
    title: str | None
    title_source: str
    metadata: JsonObject  # dry_run, builder_graph_id, parent_session_id, parent_turn_id, depth, permissions, ...


class TurnFacts(NamedTuple):
    """A turn as it was admitted."""

    id: str
    session_id: str
    user_id: str
    origin: str
    mode: str | None  # as asked for; None: the default
    tier: str | None
    permissions: JsonObject | None  # None: unrestricted
    arrival_at: int
    message_event: int
    first_event: int
    created_at: int
    started_at: int | None  # None: nobody has worked on it yet


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn in a worker's hands.

    `events` is the session's whole log as it was when the turn was opened; those of this turn are the ones with its
    id. `rounds` are the raw model responses that earlier claims of this turn saved, in order.
    Watch `hold.cancelled` (settle as cancelled), `hold.stopping` (flush, then return: another worker goes on) and
    `hold.lease.may_act()` (before every model or tool call).
    """

    hold: Hold
    session: SessionFacts
    turn: TurnFacts
    events: tuple[Event, ...]
    rounds: tuple[Json, ...]
    log: TurnLog
    waits: Mapping[str, JsonObject]  # what calls of earlier claims wait for, by call
    left_running: bool  # whether work of a process that is gone is still thought to go on
    turns: "Turns"

    @property
    def own_events(self) -> list[Event]:
        """The events of this turn."""
        return [event for event in self.events if event.turn_id == self.turn.id]

    async def end_cancelled(self, waits: Iterable[JsonObject], own: Iterable[Event]) -> None:
        """Stop what this turn began and waits for, then end it. Safe to repeat: its mark stays until it has ended.

        `own` are the events of this turn, those of this claim too: runs that it was handed back go on.
        """
        await self.turns.stop_below(self.turn, waits)
        self.log.add(*await going_on(self.turns.reader, handed_back(own)))
        await self.log.settle(CANCELLED, "cancelled")


# Stops a run of this user: (user_id, run_id). One that has ended or is gone stays as it is: then the answer is False.
StopRun: TypeAlias = Callable[[str, str], Awaitable[bool]]

# Goes on with a turn until it has settled or suspended it; returning earlier hands the turn on.
Drive: TypeAlias = Callable[[OpenTurn], Awaitable[None]]

_TURN = (
    "select t.id, t.session_id, t.user_id, t.origin, t.mode, t.tier, t.permissions, t.arrival_at, t.message_event,"
    " t.first_event, t.created_at, t.started_at, s.title, s.title_source, s.metadata, s.head"
    " from chat_turns t join chat_sessions s on s.id=t.session_id where t.id=?1"
)
_LEFT_RUNNING = "select 1 from chat_background where session_id=?1 and kind='local' and state='running' limit 1"


@dataclass(frozen=True, slots=True)
class Turns:
    """Opens turns for those who work on them. One per process."""

    reader: Reader
    lines: Lines
    process_id: str  # signs what this process takes from others
    stop_run: StopRun

    async def advance(self, hold: Hold, drive: Drive) -> None:
        """The handler of `turn.advance` jobs: `drive` does the work, unless the turn is to end at once."""
        turn = await self.open_turn(hold)
        try:
            if hold.cancelled.is_set():
                await end_cancelled(turn)
            elif hold.job.attempt > MAX_ATTEMPTS:
                await end_poisoned(turn)
            else:
                with speaking_with(hold.lease.may_act):
                    await drive(turn)
                if turn.log.ended_as == CANCELLED:  # also when somebody cancelled it in its last moment
                    await self.stop_below(turn.turn, ())
        finally:
            turn.log.drop()

    async def stop(self, turn_id: str, user_id: str) -> Literal["absent", "ended", "told"]:
        """Mark a turn as cancelled. One that nobody works on ends here and now; else its worker is told."""
        lane = lane_of(user_id)
        mark = (CANCEL_JOB, (turn_id, lane, None, micros(), self.process_id))
        try:
            answers = await self.lines.committer.land(WriteSet((mark,), locks=(lane,)))
        except Refused:
            return "absent"
        if answers and answers[0] is not None:
            await self.end(answers[0])
            return "ended"
        self.lines.bell.ring_cancel([turn_id])
        return "told"

    async def end(self, job: Claimed) -> None:
        """End a cancelled turn that was handed to this process."""
        hold = Hold(job, Lease(None))
        hold.cancelled.set()
        try:
            await self.advance(hold, end_cancelled)
        except LeaseLost:
            return  # the sweeper gave it to a worker, who sees the mark and ends it

    async def stop_below(self, turn: TurnFacts, waits: Iterable[JsonObject]) -> None:
        """Stop what a turn began and has not seen the end of."""
        found = await reached(self.reader, turn.session_id, turn.id, waits)
        for run_id in found.runs:
            await self.stop_run(turn.user_id, run_id)
        for turn_id in found.turns:
            await self.stop(turn_id, turn.user_id)

    async def open_turn(self, hold: Hold) -> OpenTurn:
        """Read everything about a claimed turn. Raises `LookupError` when there is no such turn."""
        row = (await self.reader.rows(_TURN, hold.job.id))[0]
        turn, session, head = _facts_of(row)
        logged = await self._read_log(turn.session_id)
        rounds = await self.reader.rows("select body from chat_rounds where turn_id=?1 order by round", turn.id)
        parts = OpenParts()
        for event in logged:
            if event.turn_id == turn.id:
                parts.see(event)
        place = Place(session.id, turn.user_id, turn.permissions, turn.created_at, turn.started_at is not None)
        turn_log = TurnLog(hold.job, place, self.lines, hold.lease, head, parts)
        waits = await self.reader.rows("select key, body from watches where watcher_id=?1", turn.id)
        return OpenTurn(
            *(hold, session, turn, tuple(logged), tuple(loads(body) for (body,) in rounds), turn_log),
            waits={key: cast(JsonObject, loads(body)) for key, body in waits},
            left_running=bool(await self.reader.rows(_LEFT_RUNNING, session.id)),
            turns=self,
        )

    async def _read_log(self, session_id: str) -> list[Event]:
        rows = await self.reader.rows("select first, body from segments where log_id=?1 order by first", session_id)
        return events_of(pair for first, body in rows for pair in numbered(first, body))


async def end_cancelled(turn: OpenTurn) -> None:
    await turn.end_cancelled(turn.waits.values(), turn.own_events)


async def end_poisoned(turn: OpenTurn) -> None:
    log.error("turn.poison", turn_id=turn.turn.id, attempt=turn.hold.job.attempt)
    turn.log.add(*turn.log.parts.close(), events.error("worker_lost", POISON))
    await turn.log.settle(FAILED, "worker_lost")


def _facts_of(row: tuple[Any, ...]) -> tuple[TurnFacts, SessionFacts, int]:
    permissions = None if row[6] is None else cast(JsonObject, loads(row[6]))
    turn = TurnFacts._make((*row[:6], permissions, *row[7:12]))
    title, source, metadata, head = row[12:]
    known = cast(JsonObject, loads(metadata))
    return turn, SessionFacts(turn.session_id, turn.user_id, title, source, known), head
