"""Where values go: joins, static pins, paths, and the order of release. No I/O, no clock, no randomness."""

from collections import deque
from typing import Final, cast

from pilothouse.engine import entries
from pilothouse.engine.entries import Entry
from pilothouse.engine.joins import RULES
from pilothouse.engine.plan import Plan, PlanLink, PlanPin
from pilothouse.engine.state import NodeState, Step, node_states
from pilothouse.graph.fields import ERROR_PIN
from pilothouse.graph.pins import MISS, TOOLS, select, tool_of
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import Json, JsonObject

EDITS: Final = "edits"  # where they stand among the facts that a run was accepted with


class Flow:
    """The steps of one run and the values between them."""

    def __init__(self, plan: Plan, hidden: Masks = NO_MASKS) -> None:
        self.plan = plan
        self.hidden = hidden  # masks that neither log nor snapshot may hold as they are
        self.facts: JsonObject = {"inputs": {}}
        self.edits: dict[str, JsonObject] | None = None  # inputs that somebody gave single steps, by their numbers
        self.nodes: list[NodeState] = []
        self.steps: dict[int, Step] = {}  # all but those that are over
        self.ready: deque[Step] = deque()
        self.running: dict[int, Step] = {}  # in the order they were started
        self.opened = 0
        self.held = 0  # outputs held back, over all steps
        self.outputs: dict[str, list[Json]] = {}
        self.selector_misses = 0
        self.dropped = 0  # values that arrived at a masked pin
        self.out: list[Entry] = []  # entries made and not yet handed to the journal
        self.at = 0

    def open_first_steps(self, facts: JsonObject) -> None:
        """Open what starts by itself: Input nodes, nodes without links, a trigger with its payload."""
        self.take_facts(facts)
        self.nodes = node_states(self.plan, facts, self.hidden)
        for state in self.nodes:
            if state.starts:
                self._make_ready(self._new_step(state, {}, 0))

    def take_facts(self, facts: JsonObject) -> None:
        """What the run was accepted with."""
        self.facts = facts
        self.edits = cast(dict[str, JsonObject] | None, facts.get(EDITS))

    def inputs_of(self, step: Step) -> JsonObject:
        """The step's inputs; the caller must not change them."""
        inputs = step.state.inputs_of(step)
        edits = self.edits and self.edits.get(str(step.id))
        return {**inputs, **edits} if edits else inputs

    def route(self, step: Step, pin: str, value: Json) -> None:
        """Send a released output over its links; an Output node's is also a result of the run."""
        node = step.node
        if node.is_output and pin == "output":
            self._record_result(step, value)
        links = node.outs.get(pin)
        if links is None:
            if "_^_" in pin:
                self._call_tool(step, pin, value)
            return
        for link in links:
            if link.path:
                part = select(value, link.path)
                if part is MISS:
                    self._miss(step, link)
                else:
                    self.deliver(link, part)
            else:
                self.deliver(link, value)

    def deliver(self, link: PlanLink, value: Json) -> None:
        """Put a value into the oldest open step that lacks it, or open a new step."""
        state, pin = self.nodes[link.target], link.pin
        if state.unusual and self._take_unusually(state, pin, value):
            return
        if pin.static:
            self._keep(state, pin, value)
            return
        turn = state.next[pin.slot]
        state.next[pin.slot] = turn + 1
        step = self._open(state) if turn == state.count else state.open[turn]
        step.filled[pin.name] = value
        step.lacking -= 1
        if not step.lacking:
            del state.open[turn]
            step.status = "ready"
            self.ready.append(step)

    def release(self, step: Step, pin: str, value: Json) -> None:
        """Route an output now, or hold it until the older steps of the node are over."""
        if step.placed and step.state.order[0] is not step:
            step.held.append((pin, value))
            self.held += 1
        else:
            self.route(step, pin, value)

    def give_up_place(self, step: Step) -> None:
        """Leave the node's order and let the steps behind move up."""
        if not step.placed:
            return
        step.placed = False
        state = step.state
        if state.order[0] is not step:
            state.order.remove(step)
            return
        del state.order[0]
        while state.order:
            head = state.order[0]
            self._let_go(head)
            if not head.done:
                return
            del state.order[0]
            del self.steps[head.id]

    def is_handled(self, step: Step, message: str) -> bool:
        """Whether the message of a failed step reaches another node."""
        return any(
            select(message, link.path) is not MISS and link.pin.name not in self.nodes[link.target].masked
            for link in step.node.outs.get(ERROR_PIN, ())
        )

    def open_step(self, state: NodeState) -> Step:
        """For a rule of a block's own: a step that waits for more."""
        step = state.open[state.count] = self._new_step(state, {}, 1)
        state.count += 1
        return step

    def complete(self, state: NodeState, step: Step) -> None:
        """For a rule of a block's own: the step has what it needs."""
        state.open = {turn: other for turn, other in state.open.items() if other is not step}
        step.lacking = 0
        self._make_ready(step)

    def _take_unusually(self, state: NodeState, pin: PlanPin, value: Json) -> bool:
        """Drop what comes for a masked pin; let a block with a rule of its own join by that."""
        if pin.name in state.masked:
            self.dropped += 1
            return True
        join = state.node.join
        if join is None:
            return False
        RULES[join](self, state, pin, value)
        return True

    def _call_tool(self, step: Step, pin: str, value: Json) -> None:
        """An argument for one tool goes over the links from `tools` to that node and pin, and over no other."""
        tool = tool_of(pin)
        for link in step.node.outs.get(TOOLS, ()):
            if tool == (self.plan.nodes[link.target].id, link.pin.name):
                self.deliver(link, value)

    def _let_go(self, step: Step) -> None:
        held, step.held = step.held, []
        self.held -= len(held)
        for pin, value in held:
            self.route(step, pin, value)

    def _keep(self, state: NodeState, pin: PlanPin, value: Json) -> None:
        """A static pin keeps its latest value; alone it runs the node, beside others it only fills."""
        fresh = pin.name not in state.latest
        state.latest[pin.name] = value
        if not state.needs:
            if len(state.latest) == len(state.statics):
                self._make_ready(self._new_step(state, dict(state.latest), 0))
        elif fresh:
            for turn, step in list(state.open.items()):
                step.filled[pin.name] = value
                step.lacking -= 1
                if not step.lacking:
                    del state.open[turn]
                    self._make_ready(step)

    def _open(self, state: NodeState) -> Step:
        latest = state.latest
        self.opened = step_id = self.opened + 1
        step = Step(step_id, state, latest.copy(), state.needs + len(state.statics) - len(latest))
        self.steps[step_id] = state.open[state.count] = step
        state.count += 1
        return step

    def _new_step(self, state: NodeState, filled: JsonObject, lacking: int) -> Step:
        self.opened = step_id = self.opened + 1
        step = self.steps[step_id] = Step(step_id, state, filled, lacking)
        return step

    def _make_ready(self, step: Step) -> None:
        step.status = "ready"
        self.ready.append(step)

    def _record_result(self, step: Step, value: Json) -> None:
        name = self.inputs_of(step).get("name")
        text = name if isinstance(name, str) else ""
        self.outputs.setdefault(text, []).append(value)
        self.out.append([entries.RESULT, self.at, step.id, step.node.index, text, value])

    def _miss(self, step: Step, link: PlanLink) -> None:
        self.selector_misses += 1
        self.out.append([entries.WARNING, self.at, step.id, step.node.index, "selector_miss", link.index])
