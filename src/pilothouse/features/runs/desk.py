"""What the blocks of one run may ask of the house while a worker has it: a child run, a person's word."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import NoReturn, cast

from pilothouse.base import failpoints
from pilothouse.base.committer import Clash, Committer, Refused, Write
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import Hold
from pilothouse.base.keyring import Keyring
from pilothouse.base.reader import Reader
from pilothouse.blocks.context import ChildOrder, Decision, PilotAnswer, PilotOrder, Question
from pilothouse.blocks.pins import BlockFailed
from pilothouse.engine.context import StepContext, Waiting
from pilothouse.engine.entries import REHEARSAL, RESULT
from pilothouse.engine.ports import LeaseLost
from pilothouse.engine.run import Run
from pilothouse.engine.state import Pause
from pilothouse.features import reviews
from pilothouse.features.agents import Plans
from pilothouse.features.credentials import Vault
from pilothouse.features.runs.admitting import Modes, RunAsk, check_run, modes_of, new_run
from pilothouse.features.runs.children import MAX_DEPTH, Parent, child_run_id, parent_of, tell_news
from pilothouse.features.runs.journal import RunJournal, land
from pilothouse.features.runs.loading import read_entries
from pilothouse.features.runs.piloting import ASKED_BY, Pilot, run_autopilot
from pilothouse.features.runs.simulating import Model
from pilothouse.features.runs.writes import KIND, Caps, admit_child
from pilothouse.graph.sub_agents import masks_below
from pilothouse.kit.ids import AgentId, child_id
from pilothouse.kit.json import Json, JsonObject

AT_ONCE = 500
MAX_NAME = 500
CHILD, REVIEW, PASSED = "child", "review", "passed"  # what a step can wait for here


class Abandoned(BaseException):
    """The run is not ours any more. No `Exception`, so that a block's own handlers let it through."""


@dataclass(frozen=True, slots=True)
class Counter:
    """What desks share: one per process."""

    committer: Committer
    reader: Reader
    bell: Bell
    plans: Plans
    caps: Caps
    keyring: Keyring
    vault: Vault
    model: Model | None = None  # that simulates steps of dry runs


@dataclass(slots=True)
class ParentLine:
    """Tells a run's parent that there is news, with the flush that commits it."""

    job: Claimed
    parent: Parent
    bell: Bell

    def write(self) -> Write:
        return tell_news(self.parent, self.job.id, micros())

    def heard(self, answer: object) -> None:
        if isinstance(answer, str):
            self.bell.ring(KIND, [answer])


@dataclass(slots=True)
class Desk:
    """One per claimed run."""

    counter: Counter
    hold: Hold
    run: Run
    agent_id: str
    journal: RunJournal
    asked: bool = field(default=False)  # something outside may wait for this run, or belong to it
    pilot: Pilot | None = None

    # -- children

    async def run_agent(self, step: StepContext, order: ChildOrder) -> AsyncGenerator[tuple[str, Json]]:
        """The outputs of the step's child since its last wait; then the child's end, or a wait for more.

        With each wait is kept how much of the child's log was read: what was fired before is behind the step.
        """
        self.asked = True
        run_id = child_run_id(self.hold.job.id, step.step_id, step.attempt)
        after, told = _kept(step.kept, run_id), _told(step.resumed, run_id)
        if after is None and not told:
            await self._start(run_id, step, order)
        after = after or 0
        more = True
        while more:
            batch = await read_entries(self.counter.reader, run_id, after, AT_ONCE)
            more = len(batch) >= AT_ONCE
            for seq, entry in batch:
                after = seq
                if entry[0] == RESULT:
                    yield entry[4], entry[5]
        ended = told[-1] if told else None
        if ended is None:
            # A step that may be tried again keeps nothing: what it fired counts only once it got through.
            again = step.step.node.policy.retry.max_attempts > 1
            keep: Json = None if again else {"run_id": run_id, "after": after}
            raise Waiting(Pause(CHILD, None, {"run_id": run_id}, keep))
        _judge(run_id, ended)

    async def _start(self, run_id: str, step: StepContext, order: ChildOrder) -> None:
        """Admit the child as any run is admitted. Its step must be on disk first: the id is made from its number."""
        await self.committed()
        counter, job = self.counter, self.hold.job
        if await counter.reader.rows("select 1 from runs where id=?1", run_id):
            return  # this very step has started it before
        above = parent_of(self.run.facts)
        parent = Parent(job.id, step.step_id, 1 if above is None else above.depth + 1)
        if parent.depth > MAX_DEPTH:
            raise BlockFailed("too_deep", f"Sub-agents nest deeper than {MAX_DEPTH}.")
        masks = masks_below(
            step.node_id, self.run.hidden, masks_below(step.node_id, _masks(self.run.facts), order.masks)
        )
        asked_by = cast(JsonObject | None, self.run.facts.get(ASKED_BY))
        ask = RunAsk(
            AgentId(order.agent_id),
            order.inputs,
            order.version,
            masks or None,
            "agent",
            asked_by=asked_by,
            rehearsal=cast(JsonObject | None, self.run.facts.get(REHEARSAL)),
        )
        planned, *own = await counter.plans.find_child(job.user_id, ask.agent_id, order.version)
        cleared = await check_run(counter.plans, counter.vault, job.user_id, planned, ask)
        modes = modes_of(self.run.facts).stricter(Modes(*own))
        new = new_run(run_id, job.user_id, ask, planned, counter.keyring, modes, parent, cleared)
        try:
            answers = await land(counter.committer, admit_child(new, counter.caps, parent, job), self.hold.lease)
        except Clash:
            return
        except Refused:
            await self.refused()
        except LeaseLost:
            self.let_go()
        else:
            failpoints.hit("child_admitted")
            if answers and answers[1] == "queued":
                counter.bell.ring(KIND, [run_id])

    async def committed(self) -> None:
        """Return when everything that the step depends on is on disk, its own start included."""
        try:
            await self.journal.barrier()
        except LeaseLost:
            self.let_go()

    def let_go(self) -> NoReturn:
        """Others have the run by now."""
        raise Abandoned from None

    async def refused(self) -> None:
        """Cancelled: wait for the driver to notice. Lost: let go."""
        job = self.hold.job
        sql = "select 1 from jobs where id=?1 and fence=?2 and state='running'"
        if await self.counter.reader.rows(sql, job.id, job.fence):
            self.hold.cancelled.set()
            await asyncio.Event().wait()
        self.let_go()

    # -- AutoPilot

    async def run_autopilot(self, step: StepContext, order: PilotOrder) -> PilotAnswer:
        """What AutoPilot says in a turn that is this step's."""
        return await run_autopilot(self, step, order)

    # -- reviews

    async def wait_review(self, step: StepContext, question: Question) -> Decision:
        """What a person said to a review block's question."""
        fact = await self._answer(step, "review_block", question, modes_of(self.run.facts).required)
        if isinstance(fact, dict):
            _refuse_unless_about(fact, question.data)
            message = fact.get("message")
            return Decision(bool(fact["approved"]), fact["data"], message if isinstance(message, str) else None)
        return Decision(True, question.data, automatic=True)

    async def leave_to_act(self, step: StepContext, name: str, inputs: JsonObject) -> JsonObject:
        """The inputs with which a sensitive step may start. Fails it when they were rejected, or are others by now."""
        instructions = "This step acts outside. Approve it to let it run with these inputs."
        question = Question(name, inputs, editable=True, instructions=instructions)
        fact = await self._answer(step, reviews.SENSITIVE, question, True)
        if not isinstance(fact, dict):
            return inputs
        _refuse_unless_about(fact, inputs)
        if not fact["approved"]:
            message = fact.get("message")
            raise BlockFailed("review_rejected", message if isinstance(message, str) else "A person rejected this.")
        data = fact["data"]
        if not isinstance(data, dict):  # approved before that was refused
            raise BlockFailed("review_payload_changed", "What was approved is no set of inputs.")
        return data

    async def _answer(self, step: StepContext, kind: str, question: Question, required: bool) -> Json:
        """The fact that a review came to, or none when nobody was to be asked. The row lands with the wait."""
        self.asked = True
        gate = kind == reviews.SENSITIVE  # stands before the block, which may wait on its own account
        nth = len(step.resumed)
        review_id = child_id(self.hold.job.id, f"review {step.step_id}/{nth}")
        try:
            return await step.wait(REVIEW, ref={"review_id": review_id, "kind": kind, "name": question.name}, gate=gate)
        except Waiting:
            why = await self._why_not_asked(step, required)
            self.journal.add([], also=[reviews.insert_review(self._row(review_id, step, kind, question, why))])
            if why is None:
                raise
            raise Waiting(Pause(PASSED, micros(), {"review_id": review_id, "why": why}, gate=gate)) from None

    async def _why_not_asked(self, step: StepContext, required: bool) -> str | None:
        if REHEARSAL in self.run.facts:
            return "dry_run"
        if not required:
            return "review_not_required"
        passed = await reviews.is_approved_for_node(self.counter.reader, self.hold.job.id, step.node_id)
        return "node_approved" if passed else None

    def _row(
        self, review_id: str, step: StepContext, kind: str, question: Question, why: str | None
    ) -> reviews.NewReview:
        job = self.hold.job
        return reviews.NewReview(
            id=review_id,
            user_id=job.user_id,
            job_id=job.id,
            step_id=step.step_id,
            node_id=step.node_id,
            agent_id=self.agent_id,
            top_lane=job.top,
            kind=kind,
            name=question.name.replace("\x00", "")[:MAX_NAME],
            instructions=question.instructions,
            payload=question.data,
            editable=question.editable,
            created_at=micros(),
            passed=why is not None,
        )


def _kept(kept: Json, run_id: str) -> int | None:
    """How far this child's log was read."""
    return cast(int, kept["after"]) if isinstance(kept, dict) and kept.get("run_id") == run_id else None


def _told(facts: list[Json], run_id: str) -> list[JsonObject | None]:
    """What the step heard of this child, in order: news, then how it ended."""
    heard = [fact["ended"] for fact in facts if isinstance(fact, dict) and fact.get("run_id") == run_id]
    return cast(list[JsonObject | None], heard)


def _masks(facts: JsonObject) -> dict[str, JsonObject]:
    return cast(dict[str, JsonObject], facts.get("masks") or {})


def _judge(run_id: str, ended: JsonObject) -> None:
    """A child that failed or was cancelled fails its step; one with errors does not."""
    status, reason = ended["status"], cast(JsonObject, ended["reason"] or {})
    if status in ("failed", "cancelled"):
        detail: JsonObject = {"run_id": run_id, "status": status, "reason": reason}
        raise BlockFailed(f"child_{status}", f"The sub-agent did not get through: {reason.get('message')}", detail)


def _refuse_unless_about(fact: JsonObject, payload: Json) -> None:
    """A decision counts for exactly what was looked at, and only when there was one."""
    if fact["payload_hash"] != reviews.payload_hash(payload):
        raise BlockFailed("review_payload_changed", "This is not what was decided about.")
    if fact.get("state") == "expired":
        raise BlockFailed("review_expired", "Nobody decided in time.")
