"""A version of an agent, compiled once: everything a run looks up, by number. Shared by any number of runs."""

from collections import defaultdict

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Effects, Kind
from pilothouse.graph.document import Document, Link, Node
from pilothouse.graph.fields import properties, secret_pins, takes_any_pin
from pilothouse.graph.fitting import accepts_null
from pilothouse.graph.pins import Path, Pin, parse_sink, parse_source
from pilothouse.kit.errors import Invalid
from pilothouse.kit.json import JsonObject

_UNTIMED = (Kind.AGENT, Kind.REVIEW)


class PlanImpossible(Invalid):
    """This version names a block that is not installed."""

    wire_code = "unknown_block"


class PlanPin:
    """An input pin that links feed. `slot` numbers the pins that a join waits for, static ones apart."""

    __slots__ = ("base", "name", "path", "slot", "static")

    def __init__(self, pin: Pin, static: bool, slot: int) -> None:
        self.name = pin.text
        self.base = pin.base
        self.path = pin.path
        self.static = static
        self.slot = slot


class PlanLink:
    """Where one output goes: `index` is the link's place in the document."""

    __slots__ = ("index", "link", "path", "pin", "target")

    def __init__(self, index: int, link: Link, path: Path, target: int, pin: PlanPin) -> None:
        self.index = index
        self.link = link
        self.path = path
        self.target = target
        self.pin = pin


class PlanNode:
    """A node and what is known of it before any run."""

    __slots__ = (
        *("block", "id", "index", "inline", "is_output", "join", "kind", "literals", "no_null", "ordered"),
        *("outs", "pins", "plain", "policy", "secrets", "slots", "spec", "starts", "statics", "timeout_s"),
    )

    def __init__(
        self, index: int, node: Node, spec: BlockSpec, pins: tuple[PlanPin, ...], no_null: frozenset[str]
    ) -> None:
        fields = properties(spec.inputs)
        any_pin = takes_any_pin(spec, spec.inputs)
        self.index = index
        self.id = node.id
        self.block = node.block
        self.spec = spec
        self.kind = spec.kind
        self.policy = node.policy
        self.ordered = node.policy.ordered
        self.literals: JsonObject = {pin: value for pin, value in node.inputs.items() if any_pin or pin in fields}
        self.no_null = no_null
        self.secrets = secret_pins(spec.inputs)
        self.pins = pins
        self.statics = frozenset(pin.name for pin in pins if pin.static)
        self.slots = len(pins) - len(self.statics)
        self.join = spec.join
        self.plain = spec.join is not None or not any(pin.path for pin in pins)
        self.outs: dict[str, tuple[PlanLink, ...]] = {}
        self.is_output = spec.kind is Kind.OUTPUT
        self.starts = spec.kind is Kind.INPUT or (not pins and spec.kind not in (Kind.NOTE, Kind.TRIGGER))
        self.inline = spec.effects is Effects.NONE and not spec.cpu_heavy and spec.kind is not Kind.AI
        self.timeout_s = None if spec.kind in _UNTIMED else node.policy.timeout_s or spec.timeout_s


class Plan:
    """The compiled graph."""

    __slots__ = ("by_id", "links", "nodes")

    def __init__(self, nodes: tuple[PlanNode, ...], links: tuple[PlanLink, ...]) -> None:
        self.nodes = nodes
        self.links = links
        self.by_id = {node.id: node for node in nodes}


def compile_plan(doc: Document, catalogue: Catalogue) -> Plan:
    """Compile a document that has passed validation; raises `PlanImpossible` for a block that is not installed."""
    missing = sorted({node.block for node in doc.nodes if node.block not in catalogue})
    if missing:
        raise PlanImpossible(blocks=list(missing))

    specs = {node.id: catalogue[node.block] for node in doc.nodes}
    pins = _pins(doc, specs)
    no_null = {spec.id: _without_null(spec) for spec in {spec.id: spec for spec in specs.values()}.values()}
    nodes = tuple(
        PlanNode(index, node, specs[node.id], tuple(pins[node.id].values()), no_null[specs[node.id].id])
        for index, node in enumerate(doc.nodes)
    )
    by_id = {node.id: node for node in nodes}

    links: list[PlanLink] = []
    outs: dict[str, dict[str, list[PlanLink]]] = defaultdict(lambda: defaultdict(list))
    for index, link in enumerate(doc.links):
        source = parse_source(link.out)
        made = PlanLink(index, link, source.path, by_id[link.target].index, pins[link.target][link.sink])
        links.append(made)
        outs[link.source][source.base].append(made)
    for node_id, by_pin in outs.items():
        by_id[node_id].outs = {pin: tuple(made) for pin, made in by_pin.items()}
    return Plan(nodes, tuple(links))


def _without_null(spec: BlockSpec) -> frozenset[str]:
    return frozenset(name for name, field in properties(spec.inputs).items() if not accepts_null(field, spec.inputs))


def _pins(doc: Document, specs: dict[str, BlockSpec]) -> dict[str, dict[str, PlanPin]]:
    """The linked pins of each node by their exact text: two paths into one field are two pins."""
    fed: dict[str, dict[str, bool]] = {node.id: {} for node in doc.nodes}
    for link in doc.links:
        known = fed[link.target]
        known[link.sink] = known.get(link.sink, True) and (link.static or specs[link.source].static_output)
    return {node_id: _numbered(statics) for node_id, statics in fed.items()}


def _numbered(statics: dict[str, bool]) -> dict[str, PlanPin]:
    made: dict[str, PlanPin] = {}
    slot = 0
    for text, static in statics.items():
        made[text] = PlanPin(parse_sink(text), static, -1 if static else slot)
        slot += not static
    return made


def open_inputs(node: PlanNode, inputs: JsonObject) -> JsonObject:
    """What others may read of a step's inputs: secrets are left out."""
    if not node.secrets:
        return inputs
    return {pin: value for pin, value in inputs.items() if pin not in node.secrets}
