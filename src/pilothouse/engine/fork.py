"""How a run begins that goes on from a step of another: what does not depend on that step is taken over. Pure.

The other run's log is followed in its own order, so that values meet as they met there. Steps that stand behind the
chosen one, and get their data only once it has run, find their records while the new run lives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from pilothouse.engine import entries
from pilothouse.engine.entries import Entry, StepStatus
from pilothouse.engine.facts import Failure
from pilothouse.engine.flow import EDITS
from pilothouse.engine.lineage import Lineage
from pilothouse.engine.plan import Plan, PlanNode, open_inputs
from pilothouse.engine.ports import Fires
from pilothouse.engine.records import BY_NODE, RECORDS, Record, key_of
from pilothouse.engine.run import Run
from pilothouse.engine.state import Step
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.sub_agents import Masks
from pilothouse.kit.json import Json, JsonObject

_ENDED: Final = frozenset({"completed", "failed", "skipped"})


class StepUnreached(Exception):
    """What was recorded does not lead to the step whose inputs are to be edited."""


@dataclass(slots=True)
class PastStep:
    """One step of a run that is over, as its log tells."""

    id: int
    node: PlanNode
    inputs: JsonObject
    given: JsonObject  # its inputs before somebody edited them
    started: int  # the entry with which it took its place for good
    fires: Fires = field(default_factory=list[tuple[str, Json]])
    status: StepStatus | None = None  # None: it never ended by itself
    failure: Failure | None = None

    @property
    def reaches_outside(self) -> bool:
        """Whether its block does more than compute."""
        spec = self.node.spec
        return spec.effects is not Effects.NONE or spec.kind in (Kind.AI, Kind.AGENT, Kind.MCP_TOOL)

    def record(self) -> Record:
        return Record(self.id, self.node.id, key_of(self.given), self.status or "leftover", self.failure, self.fires)


class Past(NamedTuple):
    """A run that is over."""

    log: Sequence[Entry]
    steps: dict[int, PastStep]  # those that started
    lineage: Lineage


def read_past(plan: Plan, log: Sequence[Entry], hidden: Masks) -> Past:
    """Raises `BrokenLog` when it cannot be read."""
    steps: dict[int, PastStep] = {}
    for index, entry in enumerate(log):
        kind = entry[0]
        if kind == entries.START and entry[5] is not None:
            node: int = entry[3]
            steps[entry[2]] = PastStep(entry[2], plan.nodes[node], entry[5], entry[5], index)
        elif kind == entries.RESUME and _is_review(entry[4]) and not steps[entry[2]].fires:
            steps[entry[2]].started = index  # it had given its place up, and took it again now
        elif kind == entries.OUTPUT:
            steps[entry[2]].fires.append((entry[4], entry[6]))
        elif kind == entries.FINISH:
            steps[entry[2]].status, steps[entry[2]].failure = entry[4], entry[5]
    lineage = Lineage(plan, hidden)
    lineage.fold(log)
    for step_id, given in lineage.unedited.items():
        steps[step_id].given = given
    return Past(log, steps, lineage)


class Forked(NamedTuple):
    """A run's beginning, and what it means."""

    entries: list[Entry]  # after the first, which has been added to
    reused: list[PastStep]
    again: list[PastStep]


def fork(
    past: Past, chosen: int, plan: Plan, first: Entry, hidden: Masks, edits: JsonObject | None, *, newer: bool = False
) -> Forked:
    """Go on from `chosen` in a run of `plan` that is accepted with `first`. Raises `StepUnreached`.

    `newer`: the plan is another version. Whether steps that are not taken over at once will be given the same there
    only the run can tell, so they count as done again.
    """
    touched = past.lineage.touched(chosen)
    reused = [step for step in past.steps.values() if step.id not in touched and _is_reusable(step, plan)]
    run = Run(plan, hidden).fold([first])
    made = _Making(run, first, {step.id: step for step in reused}, past.steps[chosen], edits)
    for index, entry in enumerate(past.log):
        made.follow(index, entry)
    if made.chosen_as is None and edits:  # without, it is executed whenever the new run comes to it
        raise StepUnreached
    by_node = bool(past.lineage.facts.get(BY_NODE))
    left = _for_nodes(past) if by_node else [s.record() for s in reused if s.id not in made.copies]
    if left:
        first[2] |= {RECORDS: [record.as_json() for record in left]} | ({BY_NODE: True} if by_node else {})
    reused = [step for step in reused if step.id in made.copies] if newer else reused
    kept = {step.id for step in reused}
    again = [step for step in past.steps.values() if step.id not in kept and step.node.id in plan.by_id]
    return Forked(run.drain(), reused, again)


def _for_nodes(past: Past) -> list[Record]:
    """What a rehearsal with recorded values hands on: what its steps came to, then the records that none of them used.

    The latter have numbers of a third run, so they get some that no step of this one has. Those of steps that are
    taken over are marked as used by the start of their copies.
    """
    steps = [step for step in past.steps.values() if step.status == "completed" and step.reaches_outside]
    used = [step.record() for step in steps]
    known = [Record.of(told) for told in cast(list[list[Json]], past.lineage.facts.get(RECORDS, []))]
    unused = [record for record in known if str(record.step_id) not in past.lineage.recalled]
    free = max(past.steps, default=0) + 1
    return [*used, *(record._replace(step_id=free + nth) for nth, record in enumerate(unused))]


@dataclass(slots=True)
class _Making:
    run: Run
    first: Entry
    reused: dict[int, PastStep]
    chosen: PastStep
    edits: JsonObject | None
    copies: dict[int, Step] = field(default_factory=dict[int, Step])  # by the other run's numbers
    chosen_as: int | None = None

    def follow(self, index: int, entry: Entry) -> None:
        """Do what this entry of the other run says, if it is about something that is taken over."""
        if entry[0] not in (entries.START, entries.RESUME, entries.OUTPUT, entries.FINISH):
            return
        step_id, at = entry[2], self.first[1]
        if step_id == self.chosen.id and index == self.chosen.started:
            self._start_chosen(at)
        past = self.reused.get(step_id)
        if past is None:
            return
        if index == past.started and (step := self._counterpart(past)) is not None:
            self.copies[step_id] = step
            self._edit(step, past, None)
            self.run.start(step, at, recorded=step_id)
        copy = self.copies.get(step_id)
        if copy is not None and entry[0] == entries.OUTPUT:
            self.run.output(copy, entry[4], entry[6], at)
        elif copy is not None and entry[0] == entries.FINISH:
            self.run.close(copy, entry[4], entry[5], at)

    def _start_chosen(self, at: int) -> None:
        """It takes its place, and is executed by whoever takes the run up."""
        step = self._counterpart(self.chosen) or next(self._ready(self.chosen.node.id), None)
        if step is None:
            return
        self.chosen_as = step.id
        self._edit(step, self.chosen, self.edits)
        self.run.start(step, at)

    def _edit(self, step: Step, past: PastStep, edits: JsonObject | None) -> None:
        """Give a step other inputs than reach it: those of the other run's edits that are still there, and new ones."""
        kept = {pin: value for pin, value in past.inputs.items() if past.given.get(pin) != value}
        if kept or edits:
            self.first[2].setdefault(EDITS, {})[str(step.id)] = {**kept, **(edits or {})}
            self.run.take_facts(self.first[2])

    def _counterpart(self, past: PastStep) -> Step | None:
        return next((step for step in self._ready(past.node.id) if self._shown(step) == past.given), None)

    def _ready(self, node_id: str) -> Iterator[Step]:
        return (step for step in self.run.ready if step.node.id == node_id)

    def _shown(self, step: Step) -> JsonObject:
        return open_inputs(step.node, self.run.inputs_of(step))


def _is_reusable(step: PastStep, plan: Plan) -> bool:
    """Whether it ended, and its node is what it was. What ended the other run is to be done anew."""
    old, new = step.node, plan.by_id.get(step.node.id)
    if new is None or new.block != old.block or step.status not in _ENDED:
        return False
    if step.status == "failed" and new.policy.on_error == "fail":
        return False
    return all(old.literals.get(pin) == new.literals.get(pin) for pin in new.secrets)


def _is_review(fact: Json) -> bool:
    return isinstance(fact, dict) and "review_id" in fact
