"""Starting, cancelling and deleting runs. Every door calls these."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import structlog

from pilothouse.base import failpoints
from pilothouse.base.actor import Actor
from pilothouse.base.committer import Committer, Refused, Write, WriteSet
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.inbox import SEND_FACT
from pilothouse.base.jobs.lease import LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import Hold, Worker
from pilothouse.base.reader import Reader
from pilothouse.base.statements import delete_by
from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.large import LIMIT, Kept, pack_entries, unpack
from pilothouse.engine.run import Run
from pilothouse.features.agents import Planned, Plans, refused
from pilothouse.features.runs import queries
from pilothouse.features.runs.errors import RunEnded, RunNotEnded, RunNotFound
from pilothouse.features.runs.models import runs
from pilothouse.features.runs.motor import Begun, Motor, without_lease
from pilothouse.features.runs.present import RunFacts, run_json
from pilothouse.features.runs.shots import Shots
from pilothouse.features.runs.writes import KIND, Caps, NewRun, admit_run, delete_log, lanes_of
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.validate import validate
from pilothouse.kit.ids import AgentId, RunId, new_id
from pilothouse.kit.json import Json, JsonObject, dump_bytes, dumps, loads

log = structlog.get_logger()

_DELETE_RUN = delete_by(runs, ["id"], touches=1)
POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class RunAsk:
    """What to run."""

    agent_id: AgentId
    inputs: Mapping[str, Json]
    version: int | None = None
    masks: Mapping[str, JsonObject] | None = None
    trigger: str = "api"


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
        _check(planned, ask, self.plans.catalogue)
        new = _new_run(run_id or new_id(), actor, ask, planned)
        owner = self.worker.id if self.worker is not None and self.worker.reserve() else None
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
        deadline = asyncio.get_running_loop().time() + seconds
        assert admitted.answer is not None
        try:
            while (left := deadline - asyncio.get_running_loop().time()) > 0:
                done, _ = await asyncio.wait([admitted.answer], timeout=min(left, POLL_SECONDS))
                if done and (answer := admitted.answer.result()):
                    return answer
                facts = await queries.get_run(self.reader, actor, admitted.id)
                if facts.ended_at is not None:
                    return dumps(run_json(facts))
                if stopping is not None and stopping.is_set():
                    break
            return None
        finally:
            self.motor.fanout.forget(admitted.id)

    async def cancel_run(self, actor: Actor, run_id: RunId) -> tuple[RunFacts, bool]:
        """Mark the run as cancelled; one that nobody runs ends at once. Answers whether anything changed."""
        facts = await queries.get_run(self.reader, actor, run_id)
        top, lane = lanes_of(actor.user_id, facts.agent_id)
        # If this process works, its worker hands on what it owns and nobody holds: should we fail to end it below.
        owner = self.process_id if self.worker is None else self.worker.id
        try:
            answers = await self.committer.land(
                WriteSet(((CANCEL_JOB, (run_id, top, lane, micros(), owner)),), locks=(top,))
            )
        except Refused:
            return await queries.get_run(self.reader, actor, run_id), False
        if answers and answers[0] is not None:
            await self._end_cancelled(answers[0])
        else:
            self.bell.ring_cancel([run_id])
        return await queries.get_run(self.reader, actor, run_id), True

    async def _end_cancelled(self, job: Claimed) -> None:
        hold = Hold(job, without_lease())
        hold.cancelled.set()
        try:
            await self.motor.advance(hold)
        except (Refused, LeaseLost):  # the sweeper gave it to a worker, who sees the mark and ends it
            log.info("cancel.overtaken", run_id=job.id)

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
        """Forget an ended run and its log."""
        facts = await queries.get_run(self.reader, actor, run_id)
        if facts.ended_at is None:
            raise RunNotEnded
        try:
            await self.committer.land(WriteSet(((_DELETE_RUN, (run_id,)), *delete_log(run_id))))
        except Refused:  # somebody else was first
            raise RunNotFound from None


def _check(planned: Planned, ask: RunAsk, catalogue: Catalogue) -> None:
    """Raises `AgentInvalid` with every fault. Masks are rare and change what is required: then all is looked at."""
    inputs = dict(ask.inputs)
    if ask.masks:
        masks = {node: dict(mask) for node, mask in ask.masks.items()}
        report = validate(planned.document, catalogue, "run", inputs=inputs, masks=masks, children=planned.children)
        if not report.valid:
            raise refused(report)
        return
    if not planned.report.valid:
        raise refused(planned.report)
    planned.check_inputs(inputs)


def _new_run(run_id: str, actor: Actor, ask: RunAsk, planned: Planned) -> NewRun:
    now = micros()
    inputs = dict(ask.inputs)
    masks = {node: dict(mask) for node, mask in ask.masks.items()} if ask.masks else None
    first = accepted(now, inputs, masks)
    kept: Kept = {}
    text = dump_bytes(first)
    if len(text) > LIMIT:
        text = dump_bytes(*pack_entries([first], kept))
    return NewRun(
        id=run_id,
        user_id=actor.user_id,
        agent_id=ask.agent_id,
        version=planned.version,
        trigger=ask.trigger,
        inputs=dumps(inputs),
        dry_run=False,
        created_at=now,
        first_entry=text.decode(),
        values=tuple(kept.items()),
    )


def _begin(new: NewRun, planned: Planned) -> Begun:
    """The run in memory, for a worker in this very process."""
    first = unpack(loads(new.first_entry), {key: loads(text) for key, text in new.values})
    run = Run(planned.plan).fold([cast(Entry, first)])
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
        last_event_id=1,
    )
