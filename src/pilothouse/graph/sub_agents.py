"""Agents inside agents: what a node pins, and the pins that its child gives it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeAlias

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Kind
from pilothouse.graph.document import Document, Node
from pilothouse.graph.fields import CHILD, properties, required
from pilothouse.graph.json_schema import as_object, item_schema
from pilothouse.graph.pins import pin_base
from pilothouse.graph.schema import input_schema, output_schema
from pilothouse.kit.json import Json, JsonObject

MAX_DEPTH: Final = 10  # levels of agents below the first
AGENT_FIELD: Final = "graph_id"
VERSION_FIELD: Final = "graph_version"
VALUES_FIELD: Final = "inputs"  # literals of the child's inputs by name, as imported agents hold them
MASKS_FIELD: Final = "nodes_input_masks"  # masks of the child's nodes that the node itself brings

Pinned: TypeAlias = tuple[str, int]
Children: TypeAlias = Mapping[Pinned, Document]
Masks: TypeAlias = Mapping[str, JsonObject]  # values by node id and pin; `parent/child` is a node of a sub-agent
NO_MASKS: Final[Masks] = MappingProxyType({})
_NAMING: Final = (AGENT_FIELD, VERSION_FIELD)


def pinned_by(node: Node, mask: JsonObject | None = None) -> Pinned | None:
    """The agent and version that a sub-agent node, or its mask, names; None when it names none."""
    given = {**node.inputs, **mask} if mask else node.inputs
    agent_id, version = given.get(AGENT_FIELD), given.get(VERSION_FIELD)
    if isinstance(agent_id, str) and agent_id and isinstance(version, int) and not isinstance(version, bool):
        return agent_id, version
    return None


def sub_agents_of(doc: Document, catalogue: Catalogue, masks: Masks = NO_MASKS) -> Iterator[tuple[Node, Pinned | None]]:
    """Each sub-agent node with what it pins, but for those whose agent a link names, which only a run can tell.

    A mask is stronger than a literal and than a link.
    """
    linked = {
        link.target
        for link in doc.links
        if (pin := pin_base(link.sink)) in _NAMING and pin not in masks.get(link.target, {})
    }
    for node in doc.nodes:
        spec = catalogue.get(node.block)
        if spec is not None and spec.kind is Kind.AGENT and node.id not in linked:
            yield node, pinned_by(node, masks.get(node.id))


def embedded(doc: Document) -> dict[Pinned, Document]:
    """The documents that travel inside this one, at any depth."""
    found: dict[Pinned, Document] = {}
    waiting = list(doc.sub_agents)
    while waiting:
        child = waiting.pop()
        waiting.extend(child.sub_agents)
        if child.id is not None and child.version is not None:
            found.setdefault((child.id, child.version), child)
    return found


def face_of(node: Node, spec: BlockSpec, catalogue: Catalogue, children: Children) -> BlockSpec:
    """The block as this node shows it: a sub-agent has the pins of its child, when that is known."""
    if spec.kind is not Kind.AGENT:
        return spec
    pinned = pinned_by(node)
    child = None if pinned is None else children.get(pinned)
    return spec if child is None else _with_child(spec, child, catalogue)


def literals_of(node: Node, spec: BlockSpec) -> JsonObject:
    """A node's literals by pin; those of a sub-agent's inputs may stand in one object."""
    if spec.kind is not Kind.AGENT:
        return node.inputs
    return {**as_object(node.inputs.get(VALUES_FIELD)), **node.inputs}


def masks_inside(node: Node, masks: Masks) -> dict[str, JsonObject]:
    """The masks of the nodes in its child, as that names them: the node's own, and over them those of the run."""
    own = {key: as_object(mask) for key, mask in as_object(node.inputs.get(MASKS_FIELD)).items()}
    return masks_below(node.id, masks, own)


def masks_below(node_id: str, masks: Masks, own: Masks = NO_MASKS) -> dict[str, JsonObject]:
    """Those of the nodes inside one sub-agent, pin by pin over the ones that its node brings."""
    way, found = f"{node_id}/", dict(own)
    for key, mask in masks.items():
        if key.startswith(way):
            found[key.removeprefix(way)] = {**found.get(key.removeprefix(way), {}), **mask}
    return found


def _with_child(spec: BlockSpec, child: Document, catalogue: Catalogue) -> BlockSpec:
    takes, gives = input_schema(child, catalogue), output_schema(child, catalogue)
    own = {
        name: field
        for name, field in properties(spec.inputs).items()
        if name in (AGENT_FIELD, VERSION_FIELD) or name not in properties(takes)
    }
    inputs: JsonObject = {
        **spec.inputs,
        "properties": {**properties(takes), **own},
        "required": [*required(spec.inputs), *required(takes)],
        "$defs": {**as_object(spec.inputs.get("$defs")), **as_object(takes.get("$defs"))},
        CHILD: True,
    }
    pins: dict[str, Json] = {name: item_schema(field, 0) for name, field in properties(gives).items()}
    outputs: JsonObject = {**spec.outputs, "properties": {**properties(spec.outputs), **pins}, CHILD: True}
    return replace(spec, inputs=inputs, outputs=outputs)


def repinned(doc: Document, catalogue: Catalogue, places: Mapping[Pinned, Pinned]) -> Document:
    """The same document, its sub-agent nodes pointing at where those agents are now."""
    moved: dict[str, Node] = {}
    for node, pinned in sub_agents_of(doc, catalogue):
        if pinned is not None and pinned in places:
            agent_id, version = places[pinned]
            inputs = {**node.inputs, AGENT_FIELD: agent_id, VERSION_FIELD: version}
            moved[node.id] = replace(node, inputs=inputs)
    return replace(doc, nodes=tuple(moved.get(node.id, node) for node in doc.nodes)) if moved else doc
