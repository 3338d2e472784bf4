"""What a run remembers of a step and of a node. Plain slots: a fan-out makes tens of thousands of these."""

from collections import deque
from typing import Final, NamedTuple

from pilothouse.engine.entries import StepStatus
from pilothouse.engine.plan import Plan, PlanNode
from pilothouse.graph.catalogue import Kind
from pilothouse.graph.pins import assemble, parse_sink
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import Json, JsonObject


class Pause(NamedTuple):
    """What a waiting step waits for; `due` is null when only a fact from outside ends it."""

    kind: str
    due: int | None
    ref: Json
    keep: Json = None  # what the block has to know to go on from this very wait
    gate: bool = False  # asked before the block itself: what comes of it stays, whatever the block keeps


class Step:
    """One execution of one node."""

    __slots__ = (
        *("attempt", "before", "done", "facts", "filled", "gates", "held", "id", "kept", "lacking", "node"),
        *("pause", "placed", "started", "state", "status", "yields"),
    )

    def __init__(self, step_id: int, state: "NodeState", filled: JsonObject, lacking: int) -> None:
        self.id = step_id
        self.state = state
        self.node = state.node
        self.filled = filled
        self.lacking = lacking
        self.status: StepStatus = "open"
        self.attempt = 1
        self.started = False
        self.placed = False  # stands in its node's order of release
        self.done = False  # finished, but perhaps with outputs still held back
        self.yields: dict[str, int] = {}  # journaled outputs by pin
        self.held: list[tuple[str, Json]] = []  # outputs that older steps of the node hold back
        self.facts: list[Json] = []  # what its waits came to, in order, since `kept`
        self.gates = 0  # how many of them, the first ones, came to gates and stay
        self.kept: Json = None  # where the block goes on from; its start when null
        self.before: dict[str, int] | None = None  # `yields` at that point
        self.pause: Pause | None = None


_FEW: Final = 32
_NO_PINS: Final[frozenset[str]] = frozenset()  # one for all: each call makes another
_FROM_OUTSIDE: Final = frozenset({Kind.INPUT, Kind.TRIGGER})


class NodeState:
    """The joins of one node: pin `slot` has filled the turns before `next[slot]`, so none is searched for."""

    __slots__ = (
        *("base", "count", "latest", "mask", "masked", "needs", "next", "node", "open", "order", "reached"),
        *("starts", "statics", "unusual"),
    )

    def __init__(self, node: PlanNode, given: JsonObject, mask: JsonObject | None) -> None:
        self.node = node
        self.base = {**node.literals, **given} if given else node.literals
        self.mask = mask
        self.masked = _NO_PINS
        self.statics = node.statics
        self.needs = node.slots
        self.starts = node.starts
        self.unusual = node.join is not None  # what is delivered needs a closer look
        if mask:
            self._put_on(mask)
        self.latest: JsonObject = {}
        self.open: dict[int, Step] = {}
        self.count = 0
        self.next = [0] * node.slots
        self.order: list[Step] | deque[Step] = []  # of release
        self.reached = False

    def _put_on(self, mask: JsonObject) -> None:
        """A masked pin counts as filled; a node that then waits for nothing starts by itself."""
        pins = self.node.pins
        self.unusual = True
        self.masked = frozenset(pin.name for pin in pins if pin.name in mask or pin.base in mask)
        free = [pin for pin in pins if pin.name not in self.masked]
        self.statics = frozenset(pin.name for pin in free if pin.static)
        self.needs = len(free) - len(self.statics)
        self.starts = self.starts or bool(pins and not free)

    def line_up(self, step: Step) -> None:
        """Put a step last in the order of release. Most orders are short, and a list is much sooner made."""
        if len(self.order) == _FEW:
            self.order = deque(self.order)
        self.order.append(step)

    def inputs_of(self, step: Step) -> JsonObject:
        """The step's inputs: literal < delivered < mask; a null that the field's type lacks is taken out."""
        inputs = {**self.base, **step.filled} if self.node.plain else self._assembled(step)
        if self.mask:
            for text, value in self.mask.items():
                pin = parse_sink(text)
                inputs[pin.base] = assemble(inputs.get(pin.base), pin.path, value)
        if None in inputs.values():
            no_null = self.node.no_null
            inputs = {pin: value for pin, value in inputs.items() if value is not None or pin not in no_null}
        return inputs

    def _assembled(self, step: Step) -> JsonObject:
        """Whole pins first, then the paths into them, in the order of the document's links."""
        inputs = dict(self.base)
        for pin in sorted(self.node.pins, key=lambda pin: len(pin.path)):
            if pin.name in step.filled:
                inputs[pin.base] = assemble(inputs.get(pin.base), pin.path, step.filled[pin.name])
        return inputs


_NOTHING: Final[JsonObject] = {}


def node_states(plan: Plan, facts: JsonObject, hidden: Masks = NO_MASKS) -> list[NodeState]:
    """The state of every node at the start. Most nodes take nothing from the facts: they are made the short way."""
    if facts.get("masks") or hidden:
        return [node_state(node, facts, hidden) for node in plan.nodes]
    return [
        node_state(node, facts) if node.kind in _FROM_OUTSIDE else NodeState(node, _NOTHING, None)
        for node in plan.nodes
    ]


def node_state(node: PlanNode, facts: JsonObject, hidden: Masks = NO_MASKS) -> NodeState:
    """The state of a node at the start of a run that was accepted with these facts."""
    given: JsonObject = {}
    inputs, payload, masks = facts["inputs"], facts.get("payload"), facts.get("masks")
    name = node.literals.get("name")
    if node.kind is Kind.INPUT and isinstance(inputs, dict) and isinstance(name, str) and name in inputs:
        given = {"value": inputs[name]}
    elif node.kind is Kind.TRIGGER and payload is not None:
        given = {"payload": payload}
    shown = masks.get(node.id) if isinstance(masks, dict) else None
    mask = {**(shown if isinstance(shown, dict) else {}), **hidden.get(node.id, {})}
    state = NodeState(node, given, mask or None)
    if node.kind is Kind.TRIGGER:
        state.starts = payload is not None
    return state
