"""Runs that go back to another: done again as it was, or from one of its steps on."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Write
from pilothouse.engine.entries import REHEARSAL, Entry
from pilothouse.engine.flow import EDITS
from pilothouse.engine.fork import Forked, Past, PastStep, StepUnreached, fork, read_past
from pilothouse.engine.records import BY_NODE, RECORDS, Record
from pilothouse.engine.replay import REPLAYS, script_of
from pilothouse.features.agents import Planned
from pilothouse.features.runs import queries
from pilothouse.features.runs.admitting import Modes, RunAsk, check_run, new_run
from pilothouse.features.runs.begun import ORIGIN
from pilothouse.features.runs.errors import (
    EffectsRepeat,
    PinNotEditable,
    RunExpired,
    RunIsReplay,
    RunNotEnded,
    StepNotFound,
    StepUnreachable,
)
from pilothouse.features.runs.loading import read_entries
from pilothouse.features.runs.masks import hidden_masks
from pilothouse.features.runs.present import RunFacts
from pilothouse.features.runs.rehearsing import Rehearsal
from pilothouse.features.runs.service import Admitted, Runs
from pilothouse.features.runs.writes import NewRun
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.fields import properties, takes_any_pin
from pilothouse.graph.sub_agents import Masks
from pilothouse.kit.ids import AgentId, RunId, new_id
from pilothouse.kit.json import Json, JsonObject

AT_ONCE: Final = 2_000
SHOWN: Final = 200
OriginKind: TypeAlias = Literal["rerun", "fork", "replay"]


@dataclass(frozen=True, slots=True)
class ForkAsk:
    """From where to go on, and what to change."""

    step_id: int
    inputs: JsonObject | None = None
    version: int | None = None
    confirm: bool = False


class Before(NamedTuple):
    """The run that another goes back to."""

    facts: RunFacts
    log: list[Entry]
    hidden: Masks

    @property
    def accepted(self) -> JsonObject:
        return self.log[0][2]

    @property
    def replayed(self) -> Json:
        """The run that this one is a replay of, if it is one."""
        origin = self.accepted.get(ORIGIN)
        return origin.get("run_id") if isinstance(origin, dict) else None

    @property
    def masks(self) -> dict[str, JsonObject] | None:
        """Those that anybody may read and those that were sealed."""
        shown = cast(dict[str, JsonObject], self.accepted.get("masks") or {})
        paths = dict.fromkeys([*shown, *self.hidden])
        return {path: {**shown.get(path, {}), **self.hidden.get(path, {})} for path in paths} or None


class ForkPlanned(NamedTuple):
    """A fork that could be started, and what it would mean."""

    new: NewRun
    planned: Planned
    plan: JsonObject
    repeats: bool


async def rerun_run(
    runs: Runs, actor: Actor, run_id: RunId, *, new_run_id: str | None = None, also: Sequence[Write] = ()
) -> Admitted:
    """Run the same version once more, with the same inputs and masks."""
    before = await look_back(runs, actor, run_id, whole=False)
    accepted = before.accepted
    kind = next((kind for kind in (BY_NODE, REPLAYS) if accepted.get(kind)), None)
    told = cast(list[list[Json]], accepted.get(RECORDS, []) if kind else [])
    ask = replace(
        again(before, "rerun", before.facts.version),
        records=[Record.of(one) for one in told],
        records_are=kind or BY_NODE,
        edits=cast(JsonObject | None, accepted.get(EDITS)) if kind == REPLAYS else None,
    )
    return await runs.start_run(actor, ask, run_id=new_run_id, also=also)


async def replay_run(
    runs: Runs, actor: Actor, run_id: RunId, *, new_run_id: str | None = None, also: Sequence[Write] = ()
) -> Admitted:
    """Live an ended run once more from its records. Blocks that compute run; nothing reaches outside."""
    before = await look_back(runs, actor, run_id)
    plan = (await runs.plans.pinned(before.facts.agent_id, before.facts.version)).plan
    past = await asyncio.to_thread(read_past, plan, before.log, before.hidden)
    ask = replace(
        again(before, "replay", before.facts.version),
        rehearsal=Rehearsal("replay").as_json(),
        records=script_of(past),
        records_are=REPLAYS,
        edits=cast(JsonObject | None, before.accepted.get(EDITS)),
    )
    return await runs.start_run(actor, ask, run_id=new_run_id, also=also)


async def fork_run(
    runs: Runs, actor: Actor, run_id: RunId, ask: ForkAsk, *, new_run_id: str | None = None, also: Sequence[Write] = ()
) -> Admitted:
    """Go on from a step, with what does not depend on it taken over. Raises `EffectsRepeat` unless confirmed."""
    made = await plan_fork(runs, actor, run_id, ask, new_run_id=new_run_id)
    if made.repeats and not ask.confirm:
        raise EffectsRepeat(plan=made.plan)
    return await runs.admit(made.new, made.planned, also=also)


async def plan_fork(
    runs: Runs, actor: Actor, run_id: RunId, ask: ForkAsk, *, new_run_id: str | None = None
) -> ForkPlanned:
    """What a fork would do; writes nothing."""
    before = await look_back(runs, actor, run_id)
    if before.accepted.get(REPLAYS):
        raise RunIsReplay(run_id=before.replayed)
    version = ask.version or before.facts.version
    planned = await runs.plans.find(actor.user_id, before.facts.agent_id, version)
    old = (await runs.plans.pinned(before.facts.agent_id, before.facts.version)).plan
    past = await asyncio.to_thread(read_past, old, before.log, before.hidden)
    _check_edits(past, planned, ask)
    run = again(before, "fork", version, ask.step_id)
    counter = runs.motor.counter
    cleared = await check_run(runs.plans, counter.vault, actor.user_id, planned, run)
    modes = Modes(*await runs.plans.review_modes(actor.user_id, run.agent_id))
    found: list[Forked] = []

    def take_over(first: Entry, hidden: Masks) -> list[Entry]:
        newer = version != before.facts.version
        found.append(fork(past, ask.step_id, planned.plan, first, hidden, ask.inputs, newer=newer))
        return found[0].entries

    new = (new_run_id or new_id(), actor.user_id, run, planned, counter.keyring, modes, None, cleared, take_over)
    try:
        made = await asyncio.to_thread(new_run, *new)
    except StepUnreached:
        raise StepUnreachable from None
    acts = run.rehearsal is None  # a dry run repeats nothing outside
    effects = [step for step in found[0].again if acts and _acts(runs, planned, step, ask)]
    plan: JsonObject = {
        "reused": _listed(found[0].reused),
        "again": _listed(found[0].again),
        "effects": _listed(effects),
    }
    return ForkPlanned(made, planned, plan, bool(effects))


async def look_back(runs: Runs, actor: Actor, run_id: RunId, *, whole: bool = True) -> Before:
    """The run with its log, or only the first entry of that. Raises `RunNotEnded`, `RunExpired`."""
    facts = await queries.get_run(runs.reader, actor, run_id)
    head = await queries.log_head(runs.reader, actor, run_id)
    if head.expired:
        raise RunExpired
    if whole and not head.ended:
        raise RunNotEnded
    log = [entry for _, entry in await read_entries(runs.reader, run_id, 0, AT_ONCE if whole else 1)]
    while log and whole and len(log) < head.head:
        more = [entry for _, entry in await read_entries(runs.reader, run_id, len(log), AT_ONCE)]
        log = [*log, *more] if more else []
    if not log:  # it was deleted while it was read
        raise RunExpired
    return Before(facts, log, hidden_masks(runs.motor.counter.keyring, run_id, log[0][2]))


def again(before: Before, kind: OriginKind, version: int, step_id: int | None = None) -> RunAsk:
    """The same as was asked for then."""
    facts, payload = before.facts, before.accepted.get("payload")
    return RunAsk(
        AgentId(facts.agent_id),
        cast(JsonObject, facts.inputs),
        version,
        before.masks,
        payload=payload if isinstance(payload, dict) else None,
        origin={"kind": kind, "run_id": facts.id, "step_id": step_id},
        rehearsal=cast(JsonObject | None, before.accepted.get(REHEARSAL)),
    )


def _check_edits(past: Past, planned: Planned, ask: ForkAsk) -> None:
    step = past.steps.get(ask.step_id)
    if step is None:
        raise StepNotFound
    node = planned.plan.by_id.get(step.node.id)
    if node is None:
        raise StepUnreachable
    known, any_pin = properties(node.spec.inputs), takes_any_pin(node.spec, node.spec.inputs)
    wrong = sorted(pin for pin in ask.inputs or () if (pin not in known and not any_pin) or pin in node.secrets)
    if wrong:
        raise PinNotEditable(pins=[*wrong])


def _acts(runs: Runs, planned: Planned, step: PastStep, ask: ForkAsk) -> bool:
    """Whether doing it again would act outside. A sub-agent acts if anything below it does."""
    node = planned.plan.by_id[step.node.id]
    if node.kind is Kind.AGENT:
        below = {other.block for document in planned.children.values() for other in document.nodes}
        catalogue = runs.plans.catalogue
        return any(block in catalogue and catalogue[block].effects is Effects.WRITES for block in below)
    inputs = {**step.inputs, **(ask.inputs or {})} if step.id == ask.step_id else step.inputs
    return runs.motor.blocks.get(node.block).effects_of(inputs) is Effects.WRITES


def _listed(steps: Sequence[PastStep]) -> JsonObject:
    shown: list[Json] = [
        {"step_id": step.id, "node_id": step.node.id, "block": step.node.spec.name} for step in steps[:SHOWN]
    ]
    return {"count": len(steps), "steps": shown}
