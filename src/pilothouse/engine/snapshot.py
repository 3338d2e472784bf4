"""A run's state as JSON and back. A cache beside the log: deleting every snapshot changes nothing."""

from collections import deque
from typing import Final, cast

from pilothouse.engine.entries import Tree
from pilothouse.engine.facts import Facts
from pilothouse.engine.state import NodeState, Pause, Step, node_state
from pilothouse.kit.json import JsonObject

FORM: Final = 1
_UNKNOWN: Final[tuple[Tree, ...]] = (
    None,
    None,
    0,
)  # `kept`, `before`, `gates` of a step that an older version took down
_PLAIN: Final = (
    *("status", "head", "opened", "held", "selector_misses", "dropped", "counts", "retries"),
    *("children", "errors_handled", "errors_unhandled", "fault", "first_failure", "reason"),
    *("active_us", "active_since", "at", "used", "recalled"),
)


def take_down(run: Facts) -> JsonObject:
    """Everything but what the plan and the accepted inputs say already; shares no container with the run."""
    return {
        "form": FORM,
        "facts": run.facts,
        "plain": {name: _copy(getattr(run, name)) for name in _PLAIN},
        "outputs": {name: list(values) for name, values in run.outputs.items()},
        "leftovers": list(run.leftovers),
        "out": [list(entry) for entry in run.out],
        "steps": [_step_down(step) for step in run.steps.values()],
        "nodes": [_node_down(state) for state in run.nodes],
        "ready": [step.id for step in run.ready],
        "running": list(run.running),
        "waiting": list(run.waiting),
    }


def put_back(run: Facts, snapshot: JsonObject) -> None:
    """Fill a new run with what `take_down` wrote."""
    shot = cast(dict[str, Tree], snapshot)
    run.take_facts(shot["facts"])
    for name in _PLAIN:
        if name in shot["plain"]:  # an older version may have saved it
            setattr(run, name, _copy(shot["plain"][name]))
    run.outputs = {name: list(values) for name, values in shot["outputs"].items()}
    run.leftovers = list(shot["leftovers"])
    run.out = [list(entry) for entry in shot["out"]]
    if shot["nodes"]:
        run.nodes = [node_state(node, run.facts, run.hidden) for node in run.plan.nodes]
    for row in shot["steps"]:
        step = _step_up(run, row)
        run.steps[step.id] = step
    for state, row in zip(run.nodes, shot["nodes"], strict=True):
        _node_up(state, row, run.steps)
    run.ready = deque(run.steps[step_id] for step_id in shot["ready"])
    run.running = {step_id: run.steps[step_id] for step_id in shot["running"]}
    run.waiting = {step_id: run.steps[step_id] for step_id in shot["waiting"]}


def _copy(value: Tree) -> Tree:
    if not isinstance(value, dict):
        return value
    return {key: _copy(item) for key, item in cast(dict[str, Tree], value).items()}


def _filled(filled: dict[str, Tree], step: Step) -> dict[str, Tree]:
    """A copy; a step that joins in its own way adds to the lists in it."""
    if step.node.join is None:
        return dict(filled)
    return {pin: [*cast(list[Tree], value)] if isinstance(value, list) else value for pin, value in filled.items()}


def _step_down(step: Step) -> list[Tree]:
    return [
        *(step.id, step.node.index, step.status, step.lacking, step.attempt, step.started, step.placed, step.done),
        *(_filled(step.filled, step), dict(step.yields), [list(item) for item in step.held], list(step.facts)),
        *(None if step.pause is None else list(step.pause), step.kept, step.before, step.gates),
    ]


def _step_up(run: Facts, row: list[Tree]) -> Step:
    step_id, node, status, lacking, attempt, started, placed, done, filled, yields, held, facts, pause, *kept = row
    index: int = node
    step = Step(step_id, run.nodes[index], {}, lacking)
    step.filled = _filled(filled, step)
    step.status, step.attempt, step.started, step.placed, step.done = status, attempt, started, placed, done
    step.yields = dict(yields)
    step.held = [(pin, value) for pin, value in held]
    step.facts = list(facts)
    step.pause = None if pause is None else Pause(*pause)
    step.kept, step.before, step.gates = (*kept, *_UNKNOWN[len(kept) :])
    return step


def _node_down(state: NodeState) -> list[Tree]:
    return [
        *(state.count, state.reached, list(state.next), dict(state.latest)),
        [[turn, step.id] for turn, step in state.open.items()],
        [step.id for step in state.order],
    ]


def _node_up(state: NodeState, row: list[Tree], steps: dict[int, Step]) -> None:
    count, reached, turns, latest, opened, order = row
    state.count, state.reached, state.next, state.latest = count, reached, list(turns), dict(latest)
    state.open = {turn: steps[step_id] for turn, step_id in opened}
    for step_id in order:
        state.line_up(steps[step_id])
