"""What must be true of a run before it is written down; every way in asks here, a sub-agent's step too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from pilothouse.base.jobs.moves import micros
from pilothouse.engine.entries import accepted
from pilothouse.engine.large import LIMIT, Kept, pack_entries
from pilothouse.engine.plan import PlanNode
from pilothouse.features.agents import AgentInvalid, AgentNotFound, Planned, Plans, VersionNotFound, refused
from pilothouse.features.runs.children import MAX_DEPTH, Parent
from pilothouse.features.runs.writes import NewRun
from pilothouse.graph.report import Report
from pilothouse.graph.validate import validate
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, JsonObject, dump_bytes, dumps

MASK_PATH: Final = "/"  # `parent/child` masks a node of a sub-agent


@dataclass(frozen=True, slots=True)
class RunAsk:
    """What to run."""

    agent_id: AgentId
    inputs: Mapping[str, Json]
    version: int | None = None
    masks: Mapping[str, JsonObject] | None = None
    trigger: str = "api"


class Modes(NamedTuple):
    """Whom a run asks before it goes on; pinned when it starts."""

    required: bool = True  # review blocks ask a person
    sensitive: bool = False  # so does every block that is marked as sensitive

    def stricter(self, other: "Modes") -> "Modes":
        """A child asks when it or its parent would."""
        return Modes(self.required or other.required, self.sensitive or other.sensitive)


USUAL: Final = Modes()


def modes_of(facts: JsonObject) -> Modes:
    """From what a run was accepted with."""
    told = facts.get("reviews")
    return Modes(*cast(list[bool], told)) if isinstance(told, list) else USUAL


async def check_run(plans: Plans, user_id: str, planned: Planned, ask: RunAsk) -> None:
    """Raises `AgentInvalid` with every fault, of sub-agents too. Masks are rare and change what is required."""
    inputs = dict(ask.inputs)
    if ask.masks:
        masks = {path: dict(mask) for path, mask in ask.masks.items()}
        report = validate(
            planned.document, plans.catalogue, "run", inputs=inputs, masks=masks, children=planned.children
        )
        if not report.valid:
            raise refused(report)
    else:
        if not planned.report.valid:
            raise refused(planned.report)
        planned.check_inputs(inputs)
    if planned.sub_agents or (ask.masks and len(own_masks(ask.masks)) < len(ask.masks)):
        await _Children(plans, user_id).check(planned, ask.masks or {}, 1)


def own_masks(masks: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
    """Those of the agent's own nodes."""
    return {path: dict(mask) for path, mask in masks.items() if MASK_PATH not in path}


def masks_below(masks: Mapping[str, JsonObject], node_id: str) -> dict[str, JsonObject]:
    """Those of the nodes inside one sub-agent, as that agent names them."""
    start = node_id + MASK_PATH
    return {path.removeprefix(start): dict(mask) for path, mask in masks.items() if path.startswith(start)}


class _Children:
    """Looks at the agents below one; each version once, however often it is used, unless masks change it."""

    def __init__(self, plans: Plans, user_id: str) -> None:
        self._plans, self._user_id = plans, user_id
        self._seen: dict[tuple[str, int], int] = {}  # how deep it stood when it was looked at

    async def check(self, planned: Planned, masks: Mapping[str, JsonObject], depth: int) -> None:
        """Children that are named by literals or masks must be there and without faults; others are seen later."""
        _refuse_unknown_paths(planned, masks)
        for node in planned.sub_agents:
            found, below = named_child(node, masks.get(node.id)), masks_below(masks, node.id)
            if found is None or (not below and self._seen.get(found, 0) >= depth):
                continue
            child = await self._find(node.id, found, depth)
            if not child.report.valid and not own_masks(below):  # else its own admission sees what they make of it
                raise _told_of_child(node.id, child.report)
            await self.check(child, below, depth + 1)
            self._seen[found] = depth

    async def _find(self, node_id: str, found: tuple[str, int], depth: int) -> Planned:
        if depth > MAX_DEPTH:
            raise _fault(node_id, "too_deep", f"Sub-agents nest deeper than {MAX_DEPTH}.")
        try:
            return await self._plans.find(self._user_id, found[0], found[1])
        except (AgentNotFound, VersionNotFound):
            raise _fault(node_id, "sub_agent_missing", "There is no such agent, or no such version of it.") from None


def named_child(node: PlanNode, mask: JsonObject | None) -> tuple[str, int] | None:
    """The agent and version that a node names for itself, not by a link."""
    linked = {pin.base for pin in node.pins}
    given = {**{pin: value for pin, value in node.literals.items() if pin not in linked}, **(mask or {})}
    agent_id, version = given.get("graph_id"), given.get("graph_version")
    return (agent_id, version) if isinstance(agent_id, str) and isinstance(version, int) else None


def _refuse_unknown_paths(planned: Planned, masks: Mapping[str, JsonObject]) -> None:
    report = Report("run")
    inside = {node.id for node in planned.sub_agents}
    for path in sorted(masks):
        head, is_nested, _ = path.partition(MASK_PATH)
        if head not in (inside if is_nested else planned.plan.by_id):
            report.add("$agent", "input_masks", "mask_unknown_node", f"There is no node '{path}' to mask.")
    if not report.valid:
        raise refused(report)


def _told_of_child(node_id: str, found: Report) -> AgentInvalid:
    report = Report("run")
    for issue in found.issues:
        place = node_id if issue.node_id == "$agent" else f"{node_id}{MASK_PATH}{issue.node_id}"
        report.add(place, issue.field, issue.code, issue.message)
    return refused(report)


def _fault(node_id: str, code: str, message: str) -> AgentInvalid:
    report = Report("run")
    report.add(node_id, "graph_id", code, message)
    return refused(report)


def new_run(
    run_id: str, user_id: str, ask: RunAsk, planned: Planned, modes: Modes = USUAL, parent: Parent | None = None
) -> NewRun:
    """The run as it will be written."""
    now = micros()
    inputs = dict(ask.inputs)
    masks = {node: dict(mask) for node, mask in ask.masks.items()} if ask.masks else None
    entry = accepted(now, inputs, masks)
    if modes is not USUAL and modes != USUAL:
        entry[2]["reviews"] = list(modes)
    if parent is not None:
        entry[2]["parent"] = list(parent)
    kept: Kept = {}
    text = dump_bytes(entry)
    if len(text) > LIMIT:
        text = dump_bytes(*pack_entries([entry], kept))
    return NewRun(
        id=run_id,
        user_id=user_id,
        agent_id=ask.agent_id,
        version=planned.version,
        trigger=ask.trigger,
        inputs=dumps(inputs),
        dry_run=False,
        created_at=now,
        first_entry=text.decode(),
        values=tuple(kept.items()),
    )
