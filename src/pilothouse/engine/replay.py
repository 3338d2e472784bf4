"""A run that is lived once more from its records: what it computed is computed, what it learnt outside is known. Pure.

Outputs are let go in the order in which the other run let them go. So steps are opened in the same order, meet the same
values, and have the same numbers. Only what a block of the outside gave bit by bit now comes at once; should that make
a difference, records are found by their inputs.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from math import inf
from typing import Final, Self, cast

from pilothouse.engine import entries
from pilothouse.engine.facts import Facts
from pilothouse.engine.fork import Past
from pilothouse.engine.plan import PlanNode, open_inputs
from pilothouse.engine.records import RECORDS, Record, Records, key_of
from pilothouse.engine.run import Run
from pilothouse.engine.state import Step
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.kit.json import Json

REPLAYS: Final = "replays"  # set among the facts: the records are a whole run's, in the order of their release
LOOKED_AT: Final = 256  # of what is ready, to find what comes next: nearly always it is the first
LEARNS: Final = frozenset({Kind.AI, Kind.AGENT, Kind.MCP_TOOL, Kind.REVIEW})


def computes(node: PlanNode) -> bool:
    """Whether its steps need nothing but their inputs, as far as its block says."""
    return node.spec.effects is Effects.NONE and node.kind not in LEARNS


def script_of(past: Past) -> list[Record]:
    """The record of every step that ended, with the places of its outputs, and of its end, among all outputs."""
    places: dict[int, list[int]] = {}
    ended: dict[int, int] = {}
    for index, entry in enumerate(past.log):
        if entry[0] in (entries.OUTPUT, entries.FINISH):
            places.setdefault(entry[2], []).append(index)
        if entry[0] == entries.FINISH:
            ended[entry[2]] = index
    free: dict[str, int] = {}  # by node: when its last step before this one was over, and let this one's outputs go
    found: list[Record] = []
    for step in sorted(past.steps.values(), key=lambda step: step.started):
        if step.id in ended:
            least = free.get(step.node.id, 0) if step.node.ordered else 0
            found.append(step.record()._replace(places=[max(place, least) for place in places[step.id]]))
            free[step.node.id] = max(ended[step.id], least)
    return found


class Script:
    """What comes next, and what it came to."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = {record.step_id: record for record in records}
        self._same: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)  # node and inputs
        for record in self._records.values():
            self._same[record.node_id, record.key].append(record)
        self._given: dict[int, int] = {}  # to which step a record went

    @classmethod
    def of(cls, run: Facts) -> Self | None:
        if not run.facts.get(REPLAYS):
            return None
        return cls(Record.of(cast(list[Json], one)) for one in cast(list[Json], run.facts[RECORDS]))

    def first(self, run: Run) -> Step:
        """Which of the ready steps comes next; those of one node keep their order."""
        heads: dict[int, Step] = {}
        for step in islice(run.ready, LOOKED_AT):
            heads.setdefault(step.node.index, step)
        return min(heads.values(), key=self._place)

    def is_early(self, run: Run, step: Step) -> bool:
        """Whether a ready step comes before the next output of this one."""
        return bool(run.ready) and self._place(self.first(run)) < self._place(step)

    def _place(self, step: Step) -> float:
        """Where its next output stood."""
        record, fired = self._records.get(step.id), sum(step.yields.values())
        return inf if record is None or fired >= len(record.places) else record.places[fired]

    def take(self, run: Run, step: Step) -> Record | None:
        """The record that stands for this step; None for one that only computes."""
        return None if computes(step.node) else self.record_of(run, step)

    def record_of(self, run: Run, step: Step) -> Record | None:
        """By its number, or else the first that is left of the same node with the same inputs."""
        key = key_of(open_inputs(step.node, step.state.inputs_of(step)))
        own, same = self._records.get(step.id), self._same.get((step.node.id, key), [])
        for record in (own, *same) if own in same else same:
            assert record is not None
            if self._user(run, record) in (None, step.id):
                self._given[record.step_id] = step.id
                return record
        return None

    def _user(self, run: Run, record: Record) -> int | None:
        return run.recalled.get(str(record.step_id)) or self._given.get(record.step_id)


def records_for(run: Facts) -> Records | Script | None:
    """What a run knows of another, if anything."""
    return Script.of(run) or Records.of(run)
