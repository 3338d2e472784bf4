"""The one validator: every way in, from saving to AutoPilot, asks here."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pilothouse.graph.addresses import KnowsAddresses, check_addresses
from pilothouse.graph.catalogue import BlockSpec, Catalogue, Kind
from pilothouse.graph.check_links import check_links
from pilothouse.graph.check_nodes import check_node, check_value
from pilothouse.graph.cron import is_cron
from pilothouse.graph.document import MAX_BYTES, MAX_LINKS, MAX_NODES, MAX_SUB_AGENTS, Document, Link, Node, canonical
from pilothouse.graph.family import Family, survey
from pilothouse.graph.fields import properties
from pilothouse.graph.pins import BadPinPath, parse_sink, pin_base
from pilothouse.graph.reach import can_run, self_fed_pins
from pilothouse.graph.report import AGENT, Level, Report
from pilothouse.graph.schema import input_field, input_schema, same_type
from pilothouse.graph.sub_agents import (
    AGENT_FIELD,
    MAX_DEPTH,
    Children,
    Masks,
    Pinned,
    embedded,
    face_of,
    masks_inside,
    pinned_by,
    sub_agents_of,
)
from pilothouse.kit.json import Json, JsonObject, dumps

MAX_JUDGED: Final = 1_000  # uses of agents below one, each under masks of its own


def validate(
    doc: Document,
    catalogue: Catalogue,
    level: Level,
    inputs: JsonObject | None = None,
    masks: dict[str, JsonObject] | None = None,
    payload: Json = None,
    children: Children | None = None,
) -> Report:
    """All faults in one pass, those of sub-agents too. Without `inputs` (null) the agent is judged alone, not a run.

    `children` are the versions that sub-agent nodes pin, at every depth; what travels inside the document is known.
    Whether the credentials that it names can be used is for `check_credentials`: it depends on whose run it is.
    """
    known = {**embedded(doc), **(children or {})}
    family = survey(doc, catalogue, known)
    report = Report(level)
    judge = _Judge(catalogue, known, family, level)
    specs = judge.check(doc, None, masks or {}, report)
    if level == "save" and isinstance(catalogue, KnowsAddresses):
        check_addresses(doc, catalogue, catalogue, report)
    if inputs is not None:
        _check_run(doc, specs, catalogue, _Given(inputs, payload), report)
    return report


@dataclass(slots=True)
class _Judge:
    """Looks at an agent and, once each, at the agents below it."""

    catalogue: Catalogue
    known: Children
    family: Family
    level: Level
    judged: set[tuple[Pinned, str]] = field(default_factory=set[tuple[Pinned, str]])  # with the masks over it

    def check(self, doc: Document, me: Pinned | None, masks: Masks, report: Report) -> dict[str, BlockSpec]:
        _check_whole(doc, len(self.family.depth) - 1 if me is None else 0, report)
        specs = _check_blocks(doc, self.catalogue, self.known, report)
        check_links(doc, specs, report)
        _check_names(doc, specs, report)
        own = {node_id: mask for node_id, mask in masks.items() if "/" not in node_id}
        filled = _filled(doc, own)
        for node in doc.nodes:
            if node.id in specs:
                check_node(node, specs[node.id], filled[node.id], report)
        self._check_children(doc, me, masks, report)
        _check_masks(doc, specs, masks, report)
        _check_start(doc, specs, own, report)
        return specs

    def _check_children(self, doc: Document, me: Pinned | None, masks: Masks, report: Report) -> None:
        for node, pinned in sub_agents_of(doc, self.catalogue, masks):
            if pinned != pinned_by(node):
                self._check_named_by_mask(node, pinned, masks, report)
            elif pinned is None or pinned not in self.known:
                text = "Choose an agent and its version." if pinned is None else "There is no such version of an agent."
                report.add(node.id, AGENT_FIELD, "sub_agent_missing", text, to_run=node.placeholder)
            elif pinned[0] in self.family.above_children(me):
                report.add(node.id, AGENT_FIELD, "sub_agent_cycle", "This agent would run itself again.")
            elif self.family.depth[me] >= MAX_DEPTH:
                report.add(node.id, AGENT_FIELD, "too_deep", f"Agents nest at most {MAX_DEPTH} levels deep.")
            else:
                self._check_below(node, pinned, pinned, masks, report)

    def _check_named_by_mask(self, node: Node, pinned: Pinned | None, masks: Masks, report: Report) -> None:
        """As an agent of its own: where it stands, the document does not say. The run counts how deep that is."""
        child = None if pinned is None else self.known.get(pinned)
        if pinned is not None and child is not None:
            family = survey(child, self.catalogue, self.known)
            other = _Judge(self.catalogue, self.known, family, self.level, self.judged)
            other._check_below(node, pinned, None, masks, report)
        elif self.level == "run":  # a document that is imported may bring masks which name what is not here
            report.add(node.id, AGENT_FIELD, "sub_agent_missing", "There is no such version of an agent.")

    def _check_below(self, node: Node, pinned: Pinned, me: Pinned | None, masks: Masks, report: Report) -> None:
        """Judge the child behind this node, once under each set of masks. `me` is its place in the family."""
        inner = masks_inside(node, masks)
        seen = (pinned, dumps(inner))
        if seen in self.judged:
            return
        self.judged.add(seen)
        if len(self.judged) > MAX_JUDGED:
            report.add(node.id, AGENT_FIELD, "limit_sub_agents", "Masks make too many agents of those below this one.")
            return
        found = Report(self.level)
        specs = self.check(self.known[pinned], me, inner, found)
        _check_payload(specs, None, found)  # nobody sends anything to an agent that a step runs
        report.add_inside(node.id, found)


@dataclass(frozen=True, slots=True)
class _Given:
    inputs: JsonObject = field(default_factory=dict[str, Json])
    payload: Json = None


def _check_whole(doc: Document, below: int, report: Report) -> None:
    limits = (
        ("limit_nodes", "nodes", len(doc.nodes), MAX_NODES),
        ("limit_links", "links", len(doc.links), MAX_LINKS),
        ("limit_sub_agents", "sub_agents", max(len(doc.sub_agents), below), MAX_SUB_AGENTS),
        ("limit_bytes", "document", len(canonical(doc).encode()), MAX_BYTES),
    )
    for code, what, number, most in limits:
        if number > most:
            report.add(AGENT, what, code, f"{number} is more than the {most} that an agent may have.")
    for node_id in _repeated(node.id for node in doc.nodes):
        report.add(node_id, "id", "duplicate_node", f"Several nodes have the id '{node_id}'.")
    if any(child.id is None or child.version is None for child in doc.sub_agents):
        report.add(AGENT, "sub_agents", "bad_document", "A sub-agent inside needs the id and version that nodes pin.")
    cron = doc.recommended_schedule_cron
    if cron is not None and not is_cron(cron):
        report.add(AGENT, "recommended_schedule_cron", "bad_cron", f"'{cron}' is not a cron line of five fields.")


def _check_blocks(doc: Document, catalogue: Catalogue, known: Children, report: Report) -> dict[str, BlockSpec]:
    """The block of each node as that node shows it."""
    specs: dict[str, BlockSpec] = {}
    for node in doc.nodes:
        spec = catalogue.get(node.block)
        if spec is None:
            text = f"No block {node.block} is installed."
            report.add(node.id, "block", "unknown_block", text, to_run=node.placeholder)
            continue
        specs[node.id] = face_of(node, spec, catalogue, known)
        if spec.disabled:
            text = spec.reason or f"{spec.name} is switched off."
            report.add(node.id, "block", "disabled_block", text, to_run=node.placeholder)
    triggers = [node.id for node in doc.nodes if node.id in specs and specs[node.id].kind is Kind.TRIGGER]
    if len(triggers) > 1:
        report.add(AGENT, "nodes", "several_triggers", f"An agent has one trigger, not {len(triggers)}.")
    return specs


def _check_names(doc: Document, specs: dict[str, BlockSpec], report: Report) -> None:
    """Two Input nodes of one name both get the value, so they must take the same values."""
    first: dict[str, tuple[Node, JsonObject]] = {}
    for node in doc.nodes:
        spec, name = specs.get(node.id), node.inputs.get("name")
        if spec is None or spec.kind is not Kind.INPUT or not isinstance(name, str):
            continue
        schema = input_field(node, spec)
        other, theirs = first.setdefault(name, (node, schema))
        if not same_type(schema, theirs):
            report.add(node.id, "name", "input_type_conflict", f"'{name}' has another type on node '{other.id}'.")


def _check_masks(doc: Document, specs: dict[str, BlockSpec], masks: Masks, report: Report) -> None:
    nodes = {node.id for node in doc.nodes}
    for way in sorted(masks):
        node_id, _, inner = way.partition("/")
        if node_id not in nodes or (inner and (node_id not in specs or specs[node_id].kind is not Kind.AGENT)):
            report.add(AGENT, "input_masks", "mask_unknown_node", f"There is no node '{way}' to mask.")
        for pin in () if inner else masks[way]:
            try:
                parse_sink(pin)
            except BadPinPath as bad:
                report.add(node_id, pin, "bad_pin_path", str(bad), to_run=True)


def _filled(doc: Document, masks: Masks) -> dict[str, set[str]]:
    """The fields of each node that links or masks fill."""
    filled: dict[str, set[str]] = defaultdict(set)
    for link in doc.links:
        filled[link.target].add(pin_base(link.sink))
    for node_id, mask in masks.items():
        filled[node_id].update(pin_base(pin) for pin in mask)
    return filled


def _check_start(doc: Document, specs: dict[str, BlockSpec], masks: Masks, report: Report) -> None:
    """Whether anything starts, and what can never follow; a masked pin waits for nothing."""
    links = [link for link in doc.links if not _is_masked(link, masks.get(link.target))]
    linked = {link.target for link in links}
    kinds = {node_id: spec.kind for node_id, spec in specs.items()}
    known = [node.id for node in doc.nodes if kinds.get(node.id) is not Kind.NOTE]
    starters = {node_id for node_id in known if node_id not in linked or kinds.get(node_id) is Kind.INPUT}
    if not starters:
        report.add(AGENT, "nodes", "no_start_node", "No node can start: each waits for another.")
    dead = set(known) - can_run(links, starters)
    stuck = self_fed_pins(links, dead)
    for node_id, pin in sorted(stuck):
        report.add(node_id, pin, "never_ready", f"Only this node's own cycle feeds '{pin}', so it never starts.")
    for node_id in sorted(dead - {node_id for node_id, _ in stuck}):
        report.add(node_id, "block", "unreachable", "What this node waits for never comes.")


def _is_masked(link: Link, mask: JsonObject | None) -> bool:
    return bool(mask) and (link.sink in mask or pin_base(link.sink) in mask)


def _check_run(doc: Document, specs: dict[str, BlockSpec], catalogue: Catalogue, given: _Given, report: Report) -> None:
    schema = input_schema(doc, catalogue)
    fields = properties(schema)
    for name in sorted(given.inputs.keys() - fields.keys()):
        report.add(AGENT, name, "input_unknown", f"This agent has no input '{name}'.")
    required = schema["required"]
    for name, field_schema in fields.items():
        value = given.inputs.get(name)
        if value is not None:
            check_value(AGENT, name, value, field_schema, schema, report)
        elif isinstance(required, list) and name in required:
            report.add(AGENT, name, "input_missing", f"The input '{name}' is required.")
    _check_payload(specs, given.payload, report)


def _check_payload(specs: dict[str, BlockSpec], payload: Json, report: Report) -> None:
    for node_id, spec in specs.items():
        if spec.kind is Kind.TRIGGER and payload is None:
            report.add(node_id, "payload", "payload_missing", "This trigger starts only with a payload.")


def _repeated(items: Iterable[str]) -> list[str]:
    return [item for item, number in Counter(items).items() if number > 1]
