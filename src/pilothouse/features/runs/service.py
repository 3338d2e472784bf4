"""Starting, cancelling and deleting runs. Every door calls these."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import structlog

from pilothouse.base import failpoints
from pilothouse.base.actor import Actor
from pilothouse.base.committer import Committer, DatabaseUnavailable, Refused, Write, WriteSet
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.inbox import SEND_FACT
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import Worker
from pilothouse.base.reader import Reader
from pilothouse.base.statements import update_by
from pilothouse.engine.entries import Entry
from pilothouse.engine.large import unpack
from pilothouse.engine.run import Run
from pilothouse.features.agents import Planned, Plans
from pilothouse.features.runs import queries
from pilothouse.features.runs.admitting import Modes, RunAsk, check_run, new_run
from pilothouse.features.runs.begun import Begun
from pilothouse.features.runs.children import CANCEL_TREE
from pilothouse.features.runs.errors import RunEnded, RunNotEnded, RunNotFound
from pilothouse.features.runs.models import runs
from pilothouse.features.runs.motor import Motor
from pilothouse.features.runs.present import RunFacts, run_json
from pilothouse.features.runs.retention import forget_run
from pilothouse.features.runs.shots import Shots
from pilothouse.features.runs.writes import KIND, Caps, NewRun, admit_run, lanes_of
from pilothouse.kit.ids import RunId, new_id
from pilothouse.kit.json import Json, dumps, loads

log = structlog.get_logger()

_PIN_RUN = update_by(runs, ["id"], ["pinned_at"])
POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Admitted:
    """A run that is durable."""

    id: RunId
    facts: RunFacts
    answer: "asyncio.Future[str] | None"  # ends with the run's final JSON text, when somebody waits


@dataclass(slots=True)
class Runs:
    """One per process. `worker` is there when this process also works: then a free slot saves a commit."""

    committer: Committer
    reader: Reader
    bell: Bell
    plans: Plans
    motor: Motor
    caps: Caps
    process_id: str
    worker: Worker | None = None

    async def start_run(
        self,
        actor: Actor,
        ask: RunAsk,
        *,
        wait: bool = False,
        run_id: str | None = None,
        also: Sequence[Write] = (),
    ) -> Admitted:
        """Admit a run: when this returns, the run is on disk. Raises what validation finds before anything is written.

        `also` is landed in the same transaction (an idempotency key); its `Clash` is the caller's to read.
        """
        planned = await self.plans.find(actor.user_id, ask.agent_id, ask.version)
        counter = self.motor.counter
        cleared = await check_run(self.plans, counter.vault, actor.user_id, planned, ask)
        modes = Modes(*await self.plans.review_modes(actor.user_id, ask.agent_id))
        new = new_run(run_id or new_id(), actor.user_id, ask, planned, counter.keyring, modes, cleared=cleared)
        return await self.admit(new, planned, wait=wait, also=also)

    async def admit(self, new: NewRun, planned: Planned, *, wait: bool = False, also: Sequence[Write] = ()) -> Admitted:
        """Write a run that was checked. One that begins with what it takes over is read back by whoever works on it."""
        here = self.worker is not None and not new.taken_over and self.worker.reserve()
        owner = self.worker.id if self.worker is not None and here else None
        answer = self.motor.fanout.expect(new.id) if wait else None
        reply_to = self.motor.fanout.reply_address if wait else None
        try:
            landing = self.committer.submit(admit_run(new, self.caps, owner=owner, reply_to=reply_to, also=also))
        except BaseException:
            self._not_admitted(new.id, owner)
            raise
        # In a callback, not after the await: a caller that goes away must not leave the run without a worker.
        landing.add_done_callback(lambda done: self._admitted(done, new, planned, owner, reply_to))
        try:
            state = (await asyncio.shield(landing) or ["queued"])[0]
        except asyncio.CancelledError:
            self.motor.fanout.forget(new.id)  # nobody waits any more
            raise
        return Admitted(RunId(new.id), _facts(new, "running" if state == "running" else "queued"), answer)

    def _admitted(
        self,
        landing: "asyncio.Future[list[Any]]",
        new: NewRun,
        planned: Planned,
        owner: str | None,
        reply_to: str | None,
    ) -> None:
        if landing.cancelled() or landing.exception() is not None:
            self._not_admitted(new.id, owner)
            return
        failpoints.hit("accepted_not_rung")
        state = (landing.result() or ["queued"])[0]
        if self.worker is not None and owner is not None:
            job = None
            if state == "running":
                top, lane = lanes_of(new.user_id, new.agent_id)
                job = Claimed(new.id, KIND, new.user_id, top, lane, 1, 1, None, reply_to)
                self.motor.fresh[new.id] = _begin(new, planned)
            self.worker.begin(job)
        elif state == "queued":
            self.bell.ring(KIND, [new.id])

    def _not_admitted(self, run_id: str, owner: str | None) -> None:
        self.motor.fanout.forget(run_id)
        if self.worker is not None and owner is not None:
            self.worker.begin(None)

    async def await_end(
        self, actor: Actor, admitted: Admitted, seconds: float, stopping: asyncio.Event | None = None
    ) -> str | None:
        """The run's final JSON text, or None when it takes longer or this process stops.

        The answer may be lost: the row is the truth.
        """
        assert admitted.answer is not None
        try:
            return await self._await_end(actor, admitted.id, seconds, stopping, admitted.answer)
        finally:
            self.motor.fanout.forget(admitted.id)

    async def await_known_end(
        self, actor: Actor, run_id: RunId, seconds: float, stopping: asyncio.Event | None = None
    ) -> str | None:
        """As `await_end`, of a run whose answer goes to whoever started it."""
        return await self._ended(actor, run_id) or await self._await_end(actor, run_id, seconds, stopping)

    async def _await_end(
        self,
        actor: Actor,
        run_id: RunId,
        seconds: float,
        stopping: asyncio.Event | None,
        answer: "asyncio.Future[str] | None" = None,
    ) -> str | None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while (left := deadline - clock()) > 0:
            wait = min(left, POLL_SECONDS)
            if answer is None:
                await asyncio.sleep(wait)
            elif (await asyncio.wait([answer], timeout=wait))[0]:
                if text := answer.result():
                    return text
                answer = None  # it was too long to be carried, and says no more
            if (text := await self._ended(actor, run_id)) is not None:
                return text
            if stopping is not None and stopping.is_set():
                break
        return None

    async def _ended(self, actor: Actor, run_id: RunId) -> str | None:
        try:
            facts = await queries.get_run(self.reader, actor, run_id)
        except DatabaseUnavailable:  # who waits can wait for that too
            log.info("run.not_read", run_id=run_id)
            return None
        return None if facts.ended_at is None else dumps(run_json(facts))

    async def cancel_run(self, actor: Actor, run_id: RunId) -> tuple[RunFacts, bool]:
        """Mark the run and all below it as cancelled; those that nobody runs end at once.

        Answers whether anything changed: a run that has ended stays as it is.
        """
        facts = await queries.get_run(self.reader, actor, run_id)
        top, _ = lanes_of(actor.user_id, facts.agent_id)
        # If this process works, its worker hands on what it owns and nobody holds: should we fail to end it below.
        owner = self.process_id if self.worker is None else self.worker.id
        try:
            answers = await self.committer.land(
                WriteSet(((CANCEL_TREE, (run_id, micros(), owner, True)),), locks=(top,))
            )
        except Refused:
            return await queries.get_run(self.reader, actor, run_id), False
        await self.motor.stop(answers[0])
        return await queries.get_run(self.reader, actor, run_id), True

    async def send_fact(
        self, actor: Actor, run_id: RunId, name: str, value: Json, *, fact_id: str | None = None
    ) -> None:
        """Tell a run what one of its steps waits for; when this returns, that is on disk. Raises `RunEnded`.

        A `fact_id` of the caller's makes it safe to send again. A fact that no step waits for is forgotten: whoever
        sends must have learnt of the wait from the run's log.
        """
        facts = await queries.get_run(self.reader, actor, run_id)
        top, lane = lanes_of(actor.user_id, facts.agent_id)
        params = (run_id, top, lane, micros(), fact_id or new_id(), name, dumps({"value": value}))
        try:
            answers = await self.committer.land(WriteSet(((SEND_FACT, params),), locks=(top,)))
        except Refused:
            raise RunEnded from None
        failpoints.hit("fact_sent_not_woken")
        if answers and answers[0]:
            self.bell.ring(KIND, [run_id])

    async def delete_run(self, actor: Actor, run_id: RunId) -> None:
        """Forget an ended run with its log, and the runs that its steps started."""
        facts = await queries.get_run(self.reader, actor, run_id)
        if facts.ended_at is None:
            raise RunNotEnded
        if facts.parent_id is not None and await queries.is_unfinished(self.reader, facts.parent_id):
            raise RunNotEnded("The run that started this one has not ended, and may still read from it.")
        try:
            await self.committer.land(forget_run(run_id))
        except Refused:  # somebody else was first
            raise RunNotFound from None

    async def pin_run(self, actor: Actor, run_id: RunId, *, pinned: bool) -> None:
        """Keep a run whatever its age, or no longer. Raises `RunNotFound`."""
        await queries.get_run(self.reader, actor, run_id)
        await self.committer.land(WriteSet(((_PIN_RUN, (run_id, micros() if pinned else None)),)))


def _begin(new: NewRun, planned: Planned) -> Begun:
    """The run in memory, for a worker in this very process."""
    first = unpack(loads(new.first_entry), {key: loads(text) for key, text in new.values})
    run = Run(planned.plan, new.hidden).fold([cast(Entry, first)])
    return Begun(run, new.agent_id, new.version, new.trigger, new.dry_run, new.created_at, new.created_at, Shots(run))


def _facts(new: NewRun, status: str) -> RunFacts:
    return RunFacts(
        id=new.id,
        agent_id=new.agent_id,
        version=new.version,
        trigger=new.trigger,
        dry_run=new.dry_run,
        created_at=new.created_at,
        status=status,
        inputs=loads(new.inputs),
        outputs={},
        reason=None,
        stats=None,
        started_at=new.created_at if status == "running" else None,
        ended_at=None,
        last_event_id=new.head,
        origin=None if new.origin is None else loads(new.origin),
    )
