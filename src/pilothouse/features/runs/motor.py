"""Goes on with a run for as long as this worker holds it: loads it, drives it, lets it sleep, settles it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from pilothouse.base import failpoints, telemetry
from pilothouse.base.committer import Committer, Refused, WriteSet
from pilothouse.base.fanout import Fanout
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.cancels import CancelledJobs
from pilothouse.base.jobs.claims import RELEASE_JOB, Claimed
from pilothouse.base.jobs.inbox import READ_INBOX, Fact, drain_inbox
from pilothouse.base.jobs.lease import Lease
from pilothouse.base.jobs.lease import LeaseLost as LostJob
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.watches import tell_end
from pilothouse.base.jobs.worker import Hold
from pilothouse.base.keyring import SealBroken
from pilothouse.base.leave import speaking_with
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import RUNNING, WAIT, Entry
from pilothouse.engine.facts import BrokenLog
from pilothouse.engine.plan import Plan
from pilothouse.engine.ports import Blocks, Ended, HandedOver, LeaseLost, Limits, RunStuck, Suspended
from pilothouse.engine.run import Run
from pilothouse.features.agents import Plans
from pilothouse.features.runs.begun import AUTOPILOT, Begun, facts_of, stats_of
from pilothouse.features.runs.children import parent_of
from pilothouse.features.runs.closing import last_words
from pilothouse.features.runs.desk import Abandoned, Counter, Desk, ParentLine
from pilothouse.features.runs.gates import RunBlocks
from pilothouse.features.runs.heeding import RunEar, heed
from pilothouse.features.runs.journal import RunJournal, land, notice_of
from pilothouse.features.runs.loading import Loader
from pilothouse.features.runs.masks import hidden_masks
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.piloting import Pilot, may_ask, stop_turns
from pilothouse.features.runs.present import run_json
from pilothouse.features.runs.shots import Shots
from pilothouse.features.runs.writes import KIND, Ending, Rest, settle_run, suspend_run, text_or_none
from pilothouse.kit.errors import UserError
from pilothouse.kit.json import dumps

log = structlog.get_logger()

POISON = "This run stopped its worker several times in a row."
MAX_REPLY = 256 * 1024  # a longer answer is read from the run's row
FOLD_AT_ONCE = 2_000
STOP_AT_ONCE = 64
# What an unreadable log or an agent that is no longer what it was look like; an outage is none of these.
_UNREADABLE = (BrokenLog, SealBroken, UserError, LookupError, TypeError, ValueError)


@dataclass(slots=True)
class Motor:
    """One per process. Its `advance` is the handler of `run.advance` jobs."""

    committer: Committer
    fanout: Fanout
    bell: Bell
    plans: Plans
    loader: Loader
    blocks: Blocks
    memories: RunMemories
    limits: Limits
    counter: Counter
    process_id: str
    pilot: Pilot | None = None  # set when there are conversations
    fresh: dict[str, Begun] = field(default_factory=dict[str, Begun])  # admitted in this very process

    async def advance(self, hold: Hold) -> None:
        job = hold.job
        begun: Begun = self.fresh.pop(job.id, None) or await self._load(hold)
        at_once = _ends_at_once(hold)
        if begun.started_at is None and not at_once:
            begun.started_at = micros()
        parent = parent_of(begun.run.facts)
        journal = RunJournal(
            *(job, begun.run.head, self.committer, self.fanout, hold.lease),
            started_at=begun.started_at,
            shots=begun.shots,
            news=None if parent is None else ParentLine(job, parent, self.bell),
        )
        desk = Desk(self.counter, hold, begun.run, begun.agent_id, journal, begun.asked, self.pilot)
        self.memories.open(job.id, journal)
        try:
            if at_once:
                _end_at_once(begun.run, hold)
                journal.add(begun.run.drain())
                await self._settle(begun, desk)
                return
            with speaking_with(hold.lease.may_act):
                while not await self._go(begun, desk):
                    pass  # a fact came while it was about to sleep
        except (LeaseLost, Abandoned):
            raise LostJob from None
        except RunStuck:  # the worker hands it on, and the attempt counts
            telemetry.RUNS_STUCK.inc()
            log.error("run.stuck", run_id=job.id)
            raise
        finally:
            self.memories.close(job.id, journal)
            journal.drop()

    async def _load(self, hold: Hold) -> Begun:
        readable, ends = True, _ends_at_once(hold)
        try:
            stored = await self.loader.load(hold.job.id, untouched=hold.job.fence == 1)
            place = (stored.agent_id, stored.version)
            plan = await self.plans.outline(*place) if ends else (await self.plans.pinned(*place)).plan
            hidden = hidden_masks(self.counter.keyring, hold.job.id, stored.accepted)
            run = Run(plan, hidden) if stored.snapshot is None else Run.restore(plan, stored.snapshot, hidden)
            await _fold(run, stored.entries)
        except _UNREADABLE:
            if not ends:
                raise  # tried again a few times: another worker may be able to read it
            log.error("run.unreadable", run_id=hold.job.id, exc_info=True)
            stored = await self.loader.load_row(hold.job.id)
            run, readable = Run(Plan((), ())), False
            run.head = stored.head
            if (parent := await self.loader.parent_of(hold.job.id)) is not None:  # it waits to be told of the end
                run.facts = {"inputs": {}, "parent": [*parent]}
        started_at = stored.started_at or _first_begin(stored.entries)
        slept = stored.snapshot is not None
        return Begun(
            run,
            stored.agent_id,
            stored.version,
            stored.trigger,
            stored.dry_run,
            stored.created_at,
            started_at,
            Shots(run, len(stored.entries), stored.log_size, stored.snapshot_size, slept),
            asked=slept or not readable or any(entry[0] == WAIT for entry in stored.entries),
        )

    async def _go(self, begun: Begun, desk: Desk) -> bool:
        """Drive until the run ends or sleeps; answers False when it must go on at once."""
        hold, run, journal = desk.hold, begun.run, desk.journal
        if run.waiting:
            await self._take_facts(desk)
        outcome = await drive(
            run,
            hold.job.id,
            RunBlocks(self.blocks, desk),
            journal,
            hold.lease,
            clock=micros,
            cancelled=hold.cancelled,
            stopping=hold.stopping,
            ear=RunEar(hold.told, lambda: self._take_facts(desk)),
            limits=self.limits if not begun.dry_run else replace(self.limits, parallel_steps=1),
        )
        match outcome:
            case Ended():
                await self._settle(begun, desk)
                return True
            case HandedOver():
                await self._hand_over(journal, hold.job)
                return True
            case Suspended():
                return await self._sleep(begun, desk, outcome.wake_at)

    async def _hand_over(self, journal: RunJournal, job: Claimed) -> None:
        """This process stops: what is finished is committed, then somebody else may go on."""
        await journal.barrier()
        await self.committer.land(WriteSet(((RELEASE_JOB, (job.id, job.fence, 0, False)),)))
        self._ring([job.id])

    async def _take_facts(self, desk: Desk) -> None:
        """What others sent: journaled and taken out of the inbox in one flush.

        What no step waits for is forgotten, unless a step that was in flight may yet come to wait for it.
        """
        run, job = desk.run, desk.hold.job
        answers = await land(self.committer, WriteSet(((READ_INBOX, (job.id,)),)), desk.hold.lease)
        facts: list[Fact] = answers[0] if answers else []
        taken = heed(run, facts, micros())
        if not (run.ready or run.running):
            taken = {fact.id for fact in facts}
        if taken:
            desk.journal.add(run.drain(), also=[drain_inbox(job.id, taken)])
            await desk.journal.barrier()

    async def _sleep(self, begun: Begun, desk: Desk, wake_at: int | None) -> bool:
        hold, journal = desk.hold, desk.journal
        segment, snapshot = journal.snapshot(await journal.close(), at_rest=True)
        rest = Rest(snapshot, wake_at, begun.started_at, micros())
        also = journal.take_also()
        failpoints.hit("before_suspend")
        answers = await land(self.committer, suspend_run(hold.job, segment, rest, also=also), hold.lease)
        failpoints.hit("after_suspend")
        self.fanout.publish([notice_of(hold.job.id, segment)])
        if not answers:  # it landed at an earlier try, whose answer was lost; if it does not sleep, it is handed on
            return True
        if answers[0].cancelled:
            hold.cancelled.set()
        self._ring([*answers[0].promoted, *(told for told in answers[1:] if isinstance(told, str))])  # and a parent
        return bool(answers[0].asleep)

    async def _settle(self, begun: Begun, desk: Desk) -> None:
        job, run, journal = desk.hold.job, begun.run, desk.journal
        if may_ask(run):
            await stop_turns(desk)
        segment = await journal.close()
        now = micros()
        stats = stats_of(begun, now)
        ending = Ending(run.status, text_or_none(run.reason), dumps(run.outputs), dumps(stats), begun.started_at, now)
        also = last_words(desk, stats, now, self.process_id)
        writes = settle_run(job, segment, ending, slept=begun.shots.stored, also=also)
        failpoints.hit("before_settle")
        answers = await land(self.committer, writes, desk.hold.lease)
        failpoints.hit("after_settle")
        if not begun.dry_run:
            telemetry.RUNS_ENDED.labels(run.status).inc()
        self.fanout.publish([notice_of(job.id, segment)])
        if job.reply_to is not None:
            answer = dumps(run_json(facts_of(job.id, begun, stats, now, segment.last)))
            self.fanout.reply(job.reply_to, job.id, answer if len(answer) <= MAX_REPLY else "")
        self._ring(answers[0] if answers else [])
        if also and answers:
            await self._heard(answers[-len(also) :])
        if begun.trigger == AUTOPILOT:
            await tell_end(self.counter.reader, self.committer, self.bell, job.id)

    async def _heard(self, answers: Sequence[Any]) -> None:
        for answer in answers:
            if isinstance(answer, CancelledJobs):
                await self.stop(answer)
            elif isinstance(answer, str):
                self._ring([answer])

    async def stop(self, tree: CancelledJobs) -> None:
        """Let those who run cancelled jobs know, and settle what nobody runs."""
        if tree.going:
            self.bell.ring_cancel(tree.going)
        turns = asyncio.Semaphore(STOP_AT_ONCE)

        async def end(job: Claimed) -> None:
            hold = Hold(job, without_lease())
            hold.cancelled.set()
            async with turns:
                try:
                    await self.advance(hold)
                except (Refused, LostJob):  # the sweeper gave it to a worker, who sees the mark and ends it
                    log.info("cancel.overtaken", run_id=job.id)

        await asyncio.gather(*(end(job) for job in tree.taken))

    def _ring(self, ids: Sequence[str]) -> None:
        if ids:
            self.bell.ring(KIND, ids)


async def _fold(run: Run, entries: list[Entry]) -> None:
    """A long log is folded in parts, so that the process can do other things between them."""
    for start in range(0, len(entries), FOLD_AT_ONCE):
        run.fold(entries[start : start + FOLD_AT_ONCE])
        if len(entries) > FOLD_AT_ONCE:
            await asyncio.sleep(0)


def _ends_at_once(hold: Hold) -> bool:
    return hold.cancelled.is_set() or hold.is_poison


def _end_at_once(run: Run, hold: Hold) -> None:
    if hold.cancelled.is_set():
        run.cancel(micros())
    else:
        run.fail("poison", POISON, micros())


def _first_begin(entries: Sequence[Entry]) -> int | None:
    return next((entry[1] for entry in entries if entry[0] == RUNNING), None)


def without_lease() -> Lease:
    """For a job that nobody else can take: its end is a single write."""
    return Lease(None)
