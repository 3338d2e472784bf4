"""What steps of another run came to, for a run that need not do it again. Pure.

Records stand among the facts that a run was accepted with, so that it needs nothing of the other run any more.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple, Self, cast

from pilothouse.engine.entries import StepStatus, Tree
from pilothouse.engine.facts import Facts, Failure
from pilothouse.engine.plan import open_inputs
from pilothouse.engine.ports import Fires
from pilothouse.engine.run import Run
from pilothouse.engine.state import Step
from pilothouse.kit.json import Json, JsonObject, sorted_bytes

RECORDS: Final = "records"  # where they stand among the facts
BY_NODE: Final = "records_by_node"  # set: a record counts for its node's next step, whatever the inputs are now


class Record(NamedTuple):
    """How a step ended. `key` names its inputs: a step of the same node with the same ones comes to the same."""

    step_id: int
    node_id: str
    key: str
    status: StepStatus
    failure: Failure | None
    fires: Fires
    places: Sequence[int] = ()  # where its outputs and its end stood among those of all steps

    def as_json(self) -> Json:
        return cast(Json, [*self[:5], [list(fired) for fired in self.fires], [*self.places]])

    @classmethod
    def of(cls, told: list[Json]) -> Self:
        step_id, node_id, key, status, failure, fires, places = cast(list[Tree], told)
        return cls(step_id, node_id, key, status, failure, [(pin, value) for pin, value in fires], places)


def key_of(inputs: JsonObject) -> str:
    """The same for inputs that are equal."""
    return sha256(sorted_bytes(inputs)).hexdigest()


class Records:
    """Those that a run has not used yet, by node and inputs, the oldest first."""

    def __init__(self, records: Iterable[Record], *, by_node: bool = False) -> None:
        self._by_node = by_node
        self._left: defaultdict[tuple[str, str], deque[Record]] = defaultdict(deque)
        for record in records:
            self._left[record.node_id, "" if by_node else record.key].append(record)

    @classmethod
    def of(cls, run: Facts) -> Self | None:
        """What is left of the run's records; None when it came without."""
        told = run.facts.get(RECORDS)
        if not isinstance(told, list):
            return None
        records = (Record.of(cast(list[Json], one)) for one in told)
        left = (record for record in records if run.recalled.get(str(record.step_id)) in (None, *run.running))
        return cls(left, by_node=bool(run.facts.get(BY_NODE)))

    def first(self, run: Run) -> Step:
        """Which of the ready steps comes next."""
        return run.ready[0]

    def take(self, run: Run, step: Step) -> Record | None:
        """The record for this very step, which is then used up."""
        key = "" if self._by_node else key_of(open_inputs(step.node, run.inputs_of(step)))
        left = self._left.get((step.node.id, key))
        return left.popleft() if left else None


def recall(run: Run, step: Step, record: Record, at: int) -> None:
    """Let a ready step come to what its record says, without executing anything."""
    run.start(step, at, recorded=record.step_id)
    there = dict(step.yields)  # of an earlier call that was cut off
    for pin, value in record.fires:
        if there.get(pin):
            there[pin] -= 1
        else:
            run.output(step, pin, value, at)
    run.close(step, record.status, record.failure, at)
