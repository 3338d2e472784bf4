"""A turn's side of the session log: events gather for a moment, then land together under the job's fence."""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from pilothouse.base import failpoints
from pilothouse.base.committer import Clash, Refused, Write, WriteSet
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.inbox import READ_INBOX, Fact, drain_inbox
from pilothouse.base.jobs.landing import land_for
from pilothouse.base.jobs.lease import Lease, LeaseLost
from pilothouse.base.jobs.moves import GUARD_JOB, micros
from pilothouse.base.jobs.watches import tell_watchers
from pilothouse.features.chat import events
from pilothouse.features.chat.closing import OpenParts
from pilothouse.features.chat.events import Draft, entry_text
from pilothouse.features.chat.finding import found_in
from pilothouse.features.chat.limits import KIND
from pilothouse.features.chat.lines import Lines, Place
from pilothouse.features.chat.news import session_news
from pilothouse.features.chat.remembering import news_of
from pilothouse.features.chat.writes import ending, keeping, messages
from pilothouse.features.chat.writes.appending import Appended, notice_of
from pilothouse.features.chat.writes.ending import Ending, Settled
from pilothouse.features.chat.writes.keeping import Flush, Slept
from pilothouse.features.chat.writes.messages import Drained, Message, permissions_text
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject, dumps

log = structlog.get_logger()

FLUSH_SECONDS = 0.02
FLUSH_EVENTS = 200


class TurnLog:
    """One per claim of a turn. At most one flush of it is under way at a time.

    Every method that writes raises `LeaseLost` once somebody else may have the turn: stop then, and write nothing.
    """

    def __init__(self, job: Claimed, place: Place, lines: Lines, lease: Lease, head: int, parts: OpenParts) -> None:
        self.job, self.place = job, place
        self.head = head  # the last event of the session that is known here to be committed
        self.parts = parts  # what is open, everything added included
        self.settled = False  # or asleep: this claim is over
        self.ended_as: str | None = None  # the final status, once it is settled
        self._lines, self._lease = lines, lease
        self._texts: list[str] = []
        self._also: list[Write] = []
        self._number = 0
        self._flushing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._lost = False
        self._forgiven = job.attempt <= 1

    # What is gathered.

    def add(self, *drafts: Draft) -> None:
        """Log these events, soon; `barrier` waits until they are on disk.

        Raises `TypeError` for what JSON cannot hold: numbers past 64 bits, half a character.
        """
        self._refuse_if_over()
        now = micros()
        for draft in drafts:
            self.parts.see(draft)
            self._texts.append(entry_text(draft, self.job.id, now))
            if draft.type == events.FINISH_STEP and not self._forgiven:
                self._also.append(keeping.forgive(self.job))
                self._forgiven = True
            if (news := news_of(draft)) is not None:
                self._also.append(keeping.remember(self.place.session_id, news))
        self._see_to_flush()

    def begin(self, model: str, mode: str | None = None, tier: str | None = None) -> None:
        """Say that the turn starts (or goes on), and with which model."""
        make = events.turn_resumed if self.place.started else events.turn_started
        self._also.append(keeping.begin_turn(self.job.id, micros(), model, mode, tier))
        self.add(make(self.job.attempt, model, mode, tier))

    def save_round(self, number: int, raw: Json) -> None:
        """Keep the model's raw response until the turn ends; lands with the next flush."""
        self._also.append(keeping.save_round(self.job.id, number, dumps(raw)))
        self._see_to_flush()

    def write_also(self, *writes: Write) -> None:
        """Rows of others that must land with what was added before: in the same flush, under the same fence."""
        self._refuse_if_over()
        self._also += writes
        self._see_to_flush()

    def add_tokens(self, prompt: int, completion: int) -> None:
        """Add to the session's totals; lands with the next flush."""
        self._also.append(keeping.add_tokens(self.place.session_id, prompt, completion))
        self._see_to_flush()

    def begin_wait(self, call_id: str, job_id: str, body: JsonObject) -> None:
        """A call waits for the end of this job, which then wakes the turn; lands with the next flush."""
        self._also.append(keeping.begin_wait(self.job.id, call_id, job_id, dumps(body)))
        self._see_to_flush()

    def end_wait(self, call_id: str) -> None:
        """The call waits no longer; lands with the next flush."""
        self._also.append(keeping.end_wait(self.job.id, call_id))
        self._see_to_flush()

    # What is waited for.

    async def barrier(self) -> None:
        """Return when everything added so far is on disk."""
        while not self._lost and (self._has_more or self._flushing is not None):
            self._flush_now()
            if self._flushing is not None:
                await asyncio.shield(self._flushing)
        self._refuse_if_over()

    async def drain_pending(self, after_tool_call_id: str | None = None) -> tuple[Message, ...]:
        """Take the pending messages into this turn: gone from the buffer and logged as `follow-up`, or neither."""
        await self.barrier()
        allowed = permissions_text(self.place.permissions)
        writes = messages.drain_pending(self._take(), allowed, after_tool_call_id, micros())
        answers = await self._land(writes)
        if not answers:  # it landed, but nobody heard what it took: the next claim reads it in the log
            self._lost = True
            raise LeaseLost
        drained: Drained = answers[-1]
        if drained.appended is not None:
            self._published(drained.appended)
        return drained.messages

    async def land_guarded(self, write: Write) -> object:
        """Land a write in the turn's name, at once; its answer, or None when it landed at an earlier try."""
        answers = await self._land(WriteSet(((GUARD_JOB, (self.job.id, self.job.fence)), write)))
        return answers[1] if answers else None

    async def hears_pending(self) -> bool:
        """Whether the user has said something that this turn may take up."""
        allowed = permissions_text(self.place.permissions)
        return True in await self._land(messages.hears_pending(self.place.session_id, allowed))

    async def read_inbox(self) -> list[Fact]:
        """What others sent to this turn, oldest first; say with `forget_facts` what the events added tell of it."""
        answers = await self._land(WriteSet(((READ_INBOX, (self.job.id,)),)))
        return list(answers[0]) if answers else []

    def forget_facts(self, facts: Sequence[Fact]) -> None:
        """Take these out of the inbox, in the flush that logs what was added before."""
        self._also.append(drain_inbox(self.job.id, [fact.id for fact in facts]))
        self._see_to_flush()

    async def suspend(
        self, waits_for: Sequence[JsonObject], *, wake_at: int | None = None, needs_user: bool = False
    ) -> Slept:
        """Let the turn wait without a worker, until a fact comes to its inbox or the clock says `wake_at`.

        When it sleeps this claim is over: return from the handler. If not (`asleep` False), a fact is there already
        (`read_inbox`) or somebody cancelled; go on.
        """
        await self._quiet()
        text = entry_text(events.turn_suspended(waits_for), self.job.id, micros())
        writes = keeping.suspend_turn(
            self.job, self._take(), text, wake_at=wake_at, needs_user=needs_user, now=micros()
        )
        failpoints.hit("before_suspend")
        answers = await self._land(writes)
        failpoints.hit("after_suspend")
        slept = answers[0] if answers else Slept(asleep=True, cancelled=False, promoted=[], appended=None)
        self.settled = slept.asleep
        self._publish(slept.appended)
        self._ring(slept.promoted)
        return slept

    async def settle(self, status: str, reason: str | None = None, *, refusal: Draft | None = None) -> str:
        """End the turn: `completed`, `failed` or `cancelled`. Answers the final status: a cancel that was committed
        first wins over `completed`.

        What is still open is closed first. The last events, the final row, the end of the job and, at a normal end,
        the next turn for messages that still wait, are one transaction. With a `refusal` they stay pending, and that
        notice says why.
        """
        self.add(*self.parts.close())
        await self._quiet()
        how = Ending(status, reason, self.place.created_at, new_id(), micros(), refusal, found_in(self.parts.said))
        failpoints.hit("before_settle")
        answers = await self._land(ending.settle_turn(self.job, self._take(), how))
        failpoints.hit("after_settle")
        self.settled = True
        settled: Settled | None = answers[0] if answers else None
        self._publish(None if settled is None else settled.appended)
        self.ended_as = status if settled is None else settled.status
        if settled is None:
            return status
        self._ring(settled.promoted)
        if settled.continued is not None:
            self._publish(settled.continued.appended)
            if settled.continued.state == "queued":
                self._ring([settled.continued.turn_id])
        await tell_watchers(self._lines.committer, self._lines.bell, settled.watchers)
        return settled.status

    def drop(self) -> None:
        """Forget what was gathered: somebody else goes on from what was committed."""
        self._lost = True
        self._texts, self._also = [], []
        self._disarm()

    # How it lands.

    @property
    def _has_more(self) -> bool:
        return bool(self._texts or self._also)

    async def _quiet(self) -> None:
        """Return when no flush is under way and only events are left, which may land with what ends this claim."""
        if self._also:
            await self.barrier()
        while self._flushing is not None:
            await asyncio.shield(self._flushing)
        self._disarm()
        self._refuse_if_over()

    def _refuse_if_over(self) -> None:
        if self._lost:
            raise LeaseLost

    def _see_to_flush(self) -> None:
        if len(self._texts) >= FLUSH_EVENTS:
            self._flush_now()
        elif self._timer is None and self._flushing is None and self._has_more:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._flush_now()

    def _flush_now(self) -> None:
        if self._flushing is None and self._has_more and not self._lost:
            self._disarm()
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take(self) -> Flush:
        texts, self._texts = tuple(self._texts), []
        self._number += 1
        return Flush(self.place.session_id, self.job.id, self.job.fence, self._number, texts)

    async def _flush(self) -> None:
        landed = False
        try:
            also, self._also = self._also, []
            flush = self._take()
            failpoints.hit("before_flush_commit")
            answers = await self._land(keeping.flush_turn(flush, also))
            failpoints.hit("after_flush_commit")
            if flush.texts:
                self._published(answers[1] if answers else None)
            landed = True
        except LeaseLost:
            pass  # noted by `_land`; whoever writes next is told
        finally:
            self._flushing = None
            self._lost = self._lost or not landed  # whatever failed: nothing more may land behind what is missing
            if not self._lost:
                self._see_to_flush()  # what came meanwhile

    async def _land(self, writes: WriteSet) -> list[Any]:
        self._refuse_if_over()
        try:
            return await land_for(self._lease, self._lines.committer, writes)
        except (Refused, Clash, LeaseLost) as error:
            log.warning("turn.lost", turn_id=self.job.id, fence=self.job.fence, error=type(error).__name__)
            self._lost = True
            raise LeaseLost from None

    def _published(self, appended: Appended | None) -> None:
        self.head = self.head if appended is None else appended.last
        self._lines.fanout.publish([notice_of(self.place.session_id, appended)])

    def _publish(self, appended: Appended | None) -> None:
        """The turn's state changed: its followers and its owner's pages are told."""
        self._published(appended)
        self._lines.fanout.publish([session_news(self.place.user_id, self.place.session_id)])

    def _ring(self, ids: Sequence[str]) -> None:
        if ids:
            self._lines.bell.ring(KIND, ids)
