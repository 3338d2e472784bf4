"""Sessions and turns: making, reading, starting, cancelling, deleting. Every door calls these."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, TypeAlias

from pilothouse.base import failpoints
from pilothouse.base.actor import Actor
from pilothouse.base.committer import Clash, Refused, WriteSet
from pilothouse.base.fanout import log_gone
from pilothouse.base.jobs.inbox import SEND_FACT
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.base.work import Work
from pilothouse.features.chat import queries
from pilothouse.features.chat.cancelling import Cancelled, Cancels
from pilothouse.features.chat.errors import DENIED, MessageConsumed, MessageIdTaken, MessageNotFound, SessionNotFound
from pilothouse.features.chat.limits import HEARD, KIND, lane_of
from pilothouse.features.chat.lines import Lines
from pilothouse.features.chat.news import SESSION_CHANGED, SESSION_DELETED, session_news
from pilothouse.features.chat.present import SessionView
from pilothouse.features.chat.turns import StopRun, Turns
from pilothouse.features.chat.writes import messages, retrying, sessions, starting
from pilothouse.features.chat.writes.appending import Appended, notice_of
from pilothouse.features.chat.writes.messages import Message
from pilothouse.features.chat.writes.sessions import NewSession
from pilothouse.features.chat.writes.starting import (
    Buffered,
    Denied,
    Dying,
    Known,
    NewTurn,
    Outcome,
    Started,
    known_message,
)
from pilothouse.kit.errors import PilothouseError, ShuttingDown, Unavailable
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, dumps

Land: TypeAlias = Callable[[WriteSet], Awaitable[list[Any]]]
# Raises when somebody does not own an agent, without telling whether there is one.
CheckOwner: TypeAlias = Callable[[str, str], Awaitable[object]]
# Raises when this user may spend no more on models.
CheckSpend: TypeAlias = Callable[[str], Awaitable[None]]


async def _unlimited(user_id: str) -> None:
    """Where nothing is limited."""


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """The message is part of this turn: one just started, or (`replayed`) the one that took it earlier."""

    turn_id: str
    first_event: int
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class MessagePending:
    """The session is busy; the message waits in its buffer."""

    buffer_length: int
    turn_in_flight: bool = True


@dataclass(slots=True)
class Chat:
    """One per process."""

    reader: Reader
    lines: Lines
    check_owner: CheckOwner
    stop_run: StopRun
    check_spend: CheckSpend = _unlimited
    process_id: str = field(default_factory=new_id)
    turns: Turns = field(init=False)
    cancels: Cancels = field(init=False)

    def __post_init__(self) -> None:
        self.turns = Turns(self.reader, self.lines, self.process_id, self.stop_run)
        self.cancels = Cancels(self.turns)

    # Sessions.

    async def create_session(self, actor: Actor, ask: NewSession, *, session_id: str | None = None) -> SessionView:
        """Make a session; when this returns, it is on disk. One that is bound to an agent is made once.

        With an id of the caller's, making it again is a `Clash`.
        """
        made = await self._create(actor, ask, self.lines.committer.land, session_id)
        self._tell(actor.user_id, made)
        return await queries.get_session(self.reader, actor, made)

    async def create_session_in(self, work: Work, ask: NewSession) -> SessionView:
        """The same inside a unit of work, which commits it."""
        made = await self._create(work.actor, ask, work.apply)
        work.after_commit.append(partial(self._tell, work.actor.user_id, made))
        return await queries.read_session(work, made)

    async def _create(self, actor: Actor, ask: NewSession, land: Land, session_id: str | None = None) -> str:
        graph_id, session_id = ask.builder_graph_id, session_id or new_id()
        if graph_id is not None:
            await self.check_owner(actor.user_id, graph_id)
            if (known := await queries.find_builder_session(self.reader, actor, graph_id)) is not None:
                return known
        try:
            await land(sessions.create_session(session_id, actor.user_id, ask, micros()))
        except Clash:  # somebody else made it, this very moment
            known = await queries.find_builder_session(self.reader, actor, graph_id or "")
            if known is None:
                raise
            return known
        return session_id

    async def set_title(self, actor: Actor, session_id: str, title: str) -> None:
        """Name a session; no title that is made for it replaces this one."""
        await self._change(actor, session_id, sessions.set_title(session_id, actor.user_id, title, micros()))

    async def suggest_title(self, actor: Actor, session_id: str, title: str) -> bool:
        """A title that was made for the session; answers whether it was wanted."""
        answers = await self.lines.committer.land(sessions.suggest_title(session_id, actor.user_id, title, micros()))
        if answers and answers[0] is not None:
            self.lines.fanout.publish([notice_of(session_id, answers[0])])
            self._tell(actor.user_id, session_id)
        return bool(answers and answers[0] is not None)

    async def set_pinned(self, actor: Actor, session_id: str, pinned: bool) -> None:
        await self._change(actor, session_id, sessions.set_pinned(session_id, actor.user_id, pinned))

    async def mark_seen(self, actor: Actor, session_id: str, event_id: int) -> None:
        """Its owner has looked at everything up to this event."""
        await self._change(actor, session_id, sessions.mark_seen(session_id, actor.user_id, event_id))

    async def _change(self, actor: Actor, session_id: str, writes: WriteSet) -> None:
        try:
            answers = await self.lines.committer.land(writes)
        except Refused:
            raise SessionNotFound from None
        if answers and isinstance(answers[0], Appended):
            self.lines.fanout.publish([notice_of(session_id, answers[0])])
        self._tell(actor.user_id, session_id)

    async def delete_session(self, actor: Actor, session_id: str) -> None:
        """Cancel what runs in it, then forget it: log, turns, pending messages. Agents, runs and files stay."""
        while True:
            await self.cancel_turn(actor, session_id)
            try:
                await self.lines.committer.land(sessions.delete_session(session_id, actor.user_id))
            except Refused:  # somebody was faster with a message, or with deleting
                await queries.get_session(self.reader, actor, session_id)
                continue
            self._tell(actor.user_id, session_id, SESSION_DELETED)
            self.lines.fanout.publish([log_gone(session_id)])
            return

    # Turns.

    async def start_turn(
        self,
        actor: Actor,
        session_id: str,
        message: Message,
        *,
        stopping: asyncio.Event | None = None,
        parent_job_id: str | None = None,
    ) -> TurnBegun | MessagePending:
        """The only way in: start a turn with this message, or keep the message for the turn that runs.

        When this returns, the message is on disk. The same `message_id` with the same text starts nothing and is
        answered as before. A session whose turn is being cancelled is not busy: the message starts a turn as soon as
        that one has ended, within 5 seconds. With a `parent_job_id` nothing starts once that turn or run was cancelled.
        """
        await queries.get_session(self.reader, actor, session_id)
        digest = sha256(message.text.encode()).hexdigest()
        await self._refuse_if_spent(actor, session_id, message)
        while True:
            new = NewTurn(new_id(), session_id, actor.user_id, message.origin, digest, micros(), parent_job_id)
            answers = await self.lines.committer.land(starting.start_turn(new, message))
            outcome = answers[0] if answers else await self._landed_earlier(session_id, message, digest)
            if not isinstance(outcome, Dying):
                return await self._begun(actor, session_id, outcome)
            await self._wait_out(outcome, session_id, stopping)

    async def retry_turn(
        self, actor: Actor, session_id: str, *, origin: str = "web", stopping: asyncio.Event | None = None
    ) -> TurnBegun:
        """Answer the message of a failed turn again, in a new turn: no second message, nothing rewritten.

        Asked twice, the second is answered as the first. Raises `NothingToRetry` when the last turn did not fail.
        """
        await queries.get_session(self.reader, actor, session_id)
        await self.check_spend(actor.user_id)
        while True:
            new = NewTurn(new_id(), session_id, actor.user_id, origin, "", micros())
            answers = await self.lines.committer.land(retrying.retry_turn(new))
            outcome: Outcome = answers[0] if answers else Known(True, new.id)
            if not isinstance(outcome, Dying):
                begun = await self._begun(actor, session_id, outcome)
                assert isinstance(begun, TurnBegun)  # nothing waits in a buffer here
                return begun
            await self._wait_out(outcome, session_id, stopping)

    async def _wait_out(self, dying: Dying, session_id: str, stopping: asyncio.Event | None) -> None:
        if stopping is not None and stopping.is_set():
            raise ShuttingDown
        await self.cancels.await_end_of(dying, session_id)

    async def _refuse_if_spent(self, actor: Actor, session_id: str, message: Message) -> None:
        """Before anything is kept, also where it would only wait. What came before is answered as it was then."""
        try:
            await self.check_spend(actor.user_id)
        except PilothouseError:
            if await queries.find_message(self.reader, session_id, message.message_id) is None:
                raise

    async def _landed_earlier(self, session_id: str, message: Message, digest: str) -> Outcome:
        known = await queries.find_message(self.reader, session_id, message.message_id)
        return Denied("absent") if known is None else known_message(digest, *known)

    async def _begun(self, actor: Actor, session_id: str, outcome: Outcome) -> TurnBegun | MessagePending:
        match outcome:
            case Started(turn_id, state, appended):
                failpoints.hit("accepted_not_rung")
                self.lines.fanout.publish([notice_of(session_id, appended)])
                self._tell(actor.user_id, session_id)
                if state == "queued":
                    self.lines.bell.ring(KIND, [turn_id])
                return TurnBegun(turn_id, appended.first)
            case Buffered(turn_id, length):
                self._tell(actor.user_id, session_id)
                with suppress(Unavailable):  # it is kept; a turn that sleeps then hears it when it wakes
                    await self.send_fact(turn_id, actor.user_id, HEARD, None)
                return MessagePending(length)
            case Known(same, turn_id):
                if not same:
                    raise MessageIdTaken
                return await self._begun_earlier(actor, session_id, turn_id)
            case Denied(why):
                raise DENIED[why]
            case Dying():
                raise AssertionError("waited for before")

    async def _begun_earlier(self, actor: Actor, session_id: str, turn_id: str | None) -> TurnBegun | MessagePending:
        if turn_id is None:
            waiting = await queries.list_pending(self.reader, actor, session_id)
            view = await queries.get_session(self.reader, actor, session_id)
            return MessagePending(len(waiting), view.active is not None)
        span = await queries.get_turn(self.reader, actor, session_id, turn_id)
        return TurnBegun(turn_id, span.first, replayed=True)

    async def cancel_turn(self, actor: Actor, session_id: str) -> Cancelled:
        """Stop what the session does, within 5 seconds: by its worker, or without it."""
        return await self.cancels.cancel_turn(actor, session_id)

    async def send_fact(
        self, turn_id: str, user_id: str, name: str, value: Json, *, fact_id: str | None = None
    ) -> bool:
        """Tell a turn what it waits for (a run's end, a decision); answers False when the turn has ended.

        A `fact_id` of the caller's makes it safe to send again.
        """
        params = (turn_id, lane_of(user_id), None, micros(), fact_id or new_id(), name, dumps({"value": value}))
        try:
            answers: list[Any] = await self.lines.committer.land(
                WriteSet(((SEND_FACT, params),), locks=(lane_of(user_id),))
            )
        except Refused:
            return False
        if answers and answers[0]:
            self.lines.bell.ring(KIND, [turn_id])
        return True

    # Pending messages.

    async def take_back(self, actor: Actor, session_id: str, message_id: str) -> None:
        """Take a pending message out of the buffer."""
        answers = await self.lines.committer.land(messages.take_back(session_id, actor.user_id, message_id))
        match answers[0] if answers else "taken":
            case "no_session":
                raise SessionNotFound
            case "absent":
                raise MessageNotFound
            case "consumed":
                raise MessageConsumed
            case _:
                self._tell(actor.user_id, session_id)

    def _tell(self, user_id: str, session_id: str, kind: str = SESSION_CHANGED) -> None:
        self.lines.fanout.publish([session_news(user_id, session_id, kind)])
