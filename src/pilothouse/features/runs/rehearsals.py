"""Starting a run that may be a dry one; every door starts runs here."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Write
from pilothouse.engine.fork import read_past
from pilothouse.engine.records import Record
from pilothouse.features.runs.admitting import RunAsk
from pilothouse.features.runs.again import look_back
from pilothouse.features.runs.errors import RecordsUnnamed, RunNotFound, SimulationUnavailable
from pilothouse.features.runs.rehearsing import AS_OF, Mode, Rehearsal
from pilothouse.features.runs.service import Admitted, Runs
from pilothouse.graph.catalogue import Kind
from pilothouse.kit.clock import to_micros
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import JsonObject


@dataclass(frozen=True, slots=True)
class DryRun:
    """How to try a run without consequences."""

    mode: Mode = "stub"
    run_id: str | None = None  # whose values count, when they are to be recorded ones
    as_of: datetime | None = None
    seed: int = 0

    @property
    def rehearsal(self) -> Rehearsal:
        return Rehearsal(self.mode, AS_OF if self.as_of is None else to_micros(self.as_of), self.seed)


async def start(
    runs: Runs,
    actor: Actor,
    ask: RunAsk,
    dry_run: DryRun | None,
    *,
    wait: bool = False,
    run_id: str | None = None,
    also: Sequence[Write] = (),
) -> Admitted:
    """Admit a run, as `Runs.start_run` does; with `dry_run` one that reaches nothing outside.

    Raises `SimulationUnavailable`, `RecordsUnnamed`, and `RunNotFound` when there is no such run of this agent.
    """
    if dry_run is not None:
        ask = await _rehearsed(runs, actor, ask, dry_run)
    return await runs.start_run(actor, ask, wait=wait, run_id=run_id, also=also)


async def _rehearsed(runs: Runs, actor: Actor, ask: RunAsk, dry_run: DryRun) -> RunAsk:
    model = runs.motor.counter.model
    if dry_run.mode == "simulate" and (model is None or not await model.is_there(actor.user_id)):
        raise SimulationUnavailable
    records = await _records(runs, actor, ask, dry_run) if dry_run.mode == "recorded" else ()
    payload = ask.payload or await _sample_payload(runs, actor, ask)
    return replace(ask, rehearsal=dry_run.rehearsal.as_json(), records=records, payload=payload, credentials=None)


async def _records(runs: Runs, actor: Actor, ask: RunAsk, dry_run: DryRun) -> list[Record]:
    """What the steps of the chosen run came to that reached outside, or ran another agent."""
    if dry_run.run_id is None:
        raise RecordsUnnamed
    before = await look_back(runs, actor, RunId(dry_run.run_id))
    if before.facts.agent_id != ask.agent_id:
        raise RunNotFound
    plan = (await runs.plans.pinned(before.facts.agent_id, before.facts.version)).plan
    past = await asyncio.to_thread(read_past, plan, before.log, before.hidden)
    return [step.record() for step in past.steps.values() if step.status == "completed" and step.reaches_outside]


async def _sample_payload(runs: Runs, actor: Actor, ask: RunAsk) -> JsonObject | None:
    """What a trigger is sent in its block's first example; null when the agent has no trigger."""
    planned = await runs.plans.find(actor.user_id, ask.agent_id, ask.version)
    trigger = next((node for node in planned.plan.nodes if node.kind is Kind.TRIGGER), None)
    if trigger is None:
        return None
    asked = trigger.spec.examples[0].get("ask") if trigger.spec.examples else None
    payload = asked.get("payload") if isinstance(asked, dict) else None
    return payload if isinstance(payload, dict) else {}
