"""Blocks that join in their own way: what is delivered to them makes steps by another rule than one value per pin.

A rule is pure and keeps nothing itself. What it has gathered stands in the node's open step, so that the fold and a
snapshot know it too.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias, cast

from pilothouse.engine.plan import PlanPin
from pilothouse.engine.state import NodeState, Step
from pilothouse.graph.catalogue import Join
from pilothouse.graph.pins import assemble
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json


class Steps(Protocol):
    """What a rule may do."""

    def open_step(self, state: NodeState) -> Step:
        """A step that waits for more."""
        ...

    def complete(self, state: NodeState, step: Step) -> None:
        """Make it ready, with what is filled in."""
        ...


Rule: TypeAlias = Callable[[Steps, NodeState, PlanPin, Json], None]


def collect(steps: Steps, state: NodeState, pin: PlanPin, value: Json) -> None:
    """So many values of `item` as `count` says, in order, are one step's list.

    `count` keeps its latest value, whatever link it comes by. One that is no whole number above 0 makes a step of what
    there is: its block then says what is wrong, or that nothing was to come.
    """
    step = next(iter(state.open.values()), None)
    if pin.base == "count":
        state.latest["count"] = assemble(state.latest.get("count"), pin.path, value)
    else:
        step = step or _gathering(steps, state, [])
        _gathered(step).append(assemble(None, pin.path, value))
    count = _count(state)
    if count is None:
        return
    fed = _is_fed(state, "item")  # if not, what stands there or the mask is the list
    wanted = max(count, 0) if fed else 0
    if step is None and not wanted:
        step = _gathering(steps, state, [])
    while step is not None and len(items := _gathered(step)) >= wanted:
        rest = items[wanted:] if wanted else []
        step.filled = {**state.latest}
        if fed:
            step.filled["item"] = items[: wanted or None]
        steps.complete(state, step)
        step = _gathering(steps, state, rest) if rest else None


def _gathering(steps: Steps, state: NodeState, items: list[Json]) -> Step:
    step = steps.open_step(state)
    step.filled["item"] = items
    return step


def _gathered(step: Step) -> list[Json]:
    return cast(list[Json], step.filled["item"])


def _count(state: NodeState) -> int | None:
    """How many make a list; None while that has not come. What is no number counts as 0."""
    if state.mask and "count" in state.mask:
        value = state.mask["count"]
    elif _is_fed(state, "count"):
        if "count" not in state.latest:
            return None
        value = state.latest["count"]
    else:
        value = state.base.get("count")
    if type(value) is int:
        return value
    try:
        return cast(int, coerce(value, {"type": "integer"}, {}))
    except NotConvertible:
        return 0


def _is_fed(state: NodeState, base: str) -> bool:
    return any(pin.base == base and pin.name not in state.masked for pin in state.node.pins)


RULES: Final[dict[Join, Rule]] = {Join.COLLECT: collect}
