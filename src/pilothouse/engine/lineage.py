"""Which steps gave a step its data: worked out by folding a log with an eye on every delivery."""

from collections import defaultdict
from collections.abc import Iterable

from pilothouse.engine.plan import Plan, PlanLink, open_inputs
from pilothouse.engine.run import Run
from pilothouse.engine.state import NodeState, Step
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import Json, JsonObject

_COUNT = "count"


class Lineage(Run):
    """A run that remembers, of each step, the steps whose outputs it was given. For looking back, not for living."""

    def __init__(self, plan: Plan, hidden: Masks = NO_MASKS) -> None:
        super().__init__(plan, hidden)
        self.causes: defaultdict[int, set[int]] = defaultdict(set)
        self._giver = 0  # the step whose output is on its way
        self._kept: defaultdict[int, dict[str, int]] = defaultdict(dict)  # who gave a node's lasting values
        self._items: defaultdict[int, list[int]] = defaultdict(list)  # who gave what a node gathers, in order
        self._newest: Step | None = None
        self.unedited: dict[int, JsonObject] = {}  # what steps with edited inputs would have had without

    def touched(self, first: int) -> set[int]:
        """The step and every step that has data of it, at any distance."""
        given: defaultdict[int, list[int]] = defaultdict(list)
        for step_id, causes in self.causes.items():
            for cause in causes:
                given[cause].append(step_id)
        return _closure(first, given)

    def route(self, step: Step, pin: str, value: Json) -> None:
        before, self._giver = self._giver, step.id
        super().route(step, pin, value)
        self._giver = before

    def deliver(self, link: PlanLink, value: Json) -> None:
        state, pin = self.nodes[link.target], link.pin
        if pin.name in state.masked:
            super().deliver(link, value)
        elif state.node.join is not None:
            self._gather(state, pin.base)
            super().deliver(link, value)
        elif pin.static:
            fills = [] if pin.name in state.latest else [*state.open.values()]
            self._kept[state.node.index][pin.name] = self._giver
            super().deliver(link, value)
            for step in fills:
                self.causes[step.id].add(self._giver)
        else:
            known = state.open.get(state.next[pin.slot])
            super().deliver(link, value)
            step = known or self._newest
            assert step is not None
            self.causes[step.id].add(self._giver)

    def complete(self, state: NodeState, step: Step) -> None:
        items = step.filled.get("item")
        taken = len(items) if isinstance(items, list) else 0
        givers = self._items[state.node.index]
        self.causes[step.id].update(givers[:taken], self._kept[state.node.index].values())
        del givers[:taken]
        super().complete(state, step)

    def _started(self, step: Step) -> None:
        if self.edits and str(step.id) in self.edits:
            self.unedited[step.id] = open_inputs(step.node, step.state.inputs_of(step))
        super()._started(step)

    def _gather(self, state: NodeState, base: str) -> None:
        if base == _COUNT:
            self._kept[state.node.index][_COUNT] = self._giver
        else:
            self._items[state.node.index].append(self._giver)

    def _open(self, state: NodeState) -> Step:
        self._newest = step = super()._open(state)
        self.causes[step.id].update(self._kept[state.node.index].values())
        return step

    def _new_step(self, state: NodeState, filled: JsonObject, lacking: int) -> Step:
        step = super()._new_step(state, filled, lacking)
        if filled:  # with all lasting values of its node
            self.causes[step.id].update(self._kept[state.node.index].values())
        return step


def _closure(first: int, given: dict[int, list[int]]) -> set[int]:
    found, wave = {first}, [first]
    while wave:
        fresh: Iterable[int] = (step_id for giver in wave for step_id in given.get(giver, ()))
        wave = [step_id for step_id in dict.fromkeys(fresh) if step_id not in found]
        found.update(wave)
    return found
