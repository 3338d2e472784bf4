"""What of an agent stays with its owner when the agent is handed on."""

from dataclasses import replace
from typing import Final

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Kind
from pilothouse.graph.document import Document, Node
from pilothouse.graph.fields import is_credentials, properties
from pilothouse.graph.json_schema import as_object
from pilothouse.graph.sub_agents import MASKS_FIELD, Children, masks_inside, sub_agents_of
from pilothouse.kit.json import Json, JsonObject

# What says whose an agent is, on the blocks where it means that.
_OWNERSHIP: Final = {
    Kind.AGENT: frozenset({"user_id"}),
    Kind.TRIGGER: frozenset({"webhook_id", "webhook_token", "hook_id"}),
}
# Of a block that is not installed only names can tell.
_NAMED_SO: Final = frozenset({"secret_token", "webhook_id", "webhook_token", "hook_id"})


def without_secrets(doc: Document, catalogue: Catalogue, children: Children) -> Document:
    """The same without credentials, secrets and owners, in its own nodes and in those that travel inside.

    `children` are all agents below it; they say which of the values that it lays over their nodes are secret.
    """
    below = {node.id: children.get(pinned) for node, pinned in sub_agents_of(doc, catalogue) if pinned is not None}
    return replace(
        doc,
        nodes=tuple(_bare(node, catalogue, below.get(node.id), children) for node in doc.nodes),
        sub_agents=tuple(without_secrets(child, catalogue, children) for child in doc.sub_agents),
    )


def holds_credentials(value: Json) -> bool:
    """Whether a reference to a credential lies anywhere in this value."""
    waiting: list[Json] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "_credentials_id" in item:
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def _bare(node: Node, catalogue: Catalogue, child: Document | None, children: Children) -> Node:
    spec = catalogue.get(node.block)
    kept = _kept(node.inputs, spec)
    if spec is not None and spec.kind is Kind.AGENT and MASKS_FIELD in kept:
        kept[MASKS_FIELD] = _masks_kept(node, catalogue, child, children)
    return replace(node, inputs=kept)


def _kept(inputs: JsonObject, spec: BlockSpec | None) -> JsonObject:
    return {
        pin: None if holds_credentials(value) else value
        for pin, value in inputs.items()
        if not is_credentials(pin) and not _is_secret(pin, spec)
    }


def _is_secret(pin: str, spec: BlockSpec | None) -> bool:
    if spec is None:
        return pin in _NAMED_SO
    return properties(spec.inputs).get(pin, {}).get("secret") is True or pin in _OWNERSHIP.get(spec.kind, ())


def _masks_kept(node: Node, catalogue: Catalogue, child: Document | None, children: Children) -> Json:
    """Of the values that it lays over the nodes of its child, those that are nobody's secret."""
    if node.inputs[MASKS_FIELD] is None:
        return None
    kept: JsonObject = {}
    for way, mask in masks_inside(node, {}).items():
        kept[way] = _kept(as_object(mask), _spec_at(way, child, catalogue, children))
    return kept


def _spec_at(way: str, child: Document | None, catalogue: Catalogue, children: Children) -> BlockSpec | None:
    """The block of the node that a mask names, `parent/child` in an agent further down."""
    *parents, last = way.split("/")
    for parent in parents:
        pins = {} if child is None else {node.id: pinned for node, pinned in sub_agents_of(child, catalogue)}
        pinned = pins.get(parent)
        child = None if pinned is None else children.get(pinned)
    nodes = {} if child is None else {node.id: node for node in child.nodes}
    return catalogue.get(nodes[last].block) if last in nodes else None
