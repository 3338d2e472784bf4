"""Do these operations still mean what they meant, now that somebody else changed the graph?"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from pilothouse.graph.document import Document
from pilothouse.graph.workbench import Operation
from pilothouse.kit.json import Json

Place: TypeAlias = tuple[str, ...]  # a part of a document; a shorter place holds those that begin with it

_TEXTS: Final = {
    "set_name": "name",
    "set_description": "description",
    "set_instructions": "instructions",
    "set_recommended_schedule": "recommended_schedule_cron",
}
_PARTS: Final = {"rename_node": "name", "move_node": "position"}


def clashes(operations: Sequence[Operation], before: Document, after: Document) -> list[int]:
    """The numbers of the operations that touch what changed from `before` to `after`."""
    changed = _changed(before, after)
    return [
        index
        for index, operation in enumerate(operations)
        if any(_overlap(place, other) for place in _touched(operation) for other in changed)
    ]


def _overlap(left: Place, right: Place) -> bool:
    length = min(len(left), len(right))
    return left[:length] == right[:length]


def _changed(before: Document, after: Document) -> set[Place]:
    old, new = {node.id: node for node in before.nodes}, {node.id: node for node in after.nodes}
    places: set[Place] = {("nodes", node_id) for node_id in old.keys() ^ new.keys()}
    for node_id in old.keys() & new.keys():
        here, there = old[node_id], new[node_id]
        for key in ("block", "name", "position", "policy", "optional_credentials"):
            if getattr(here, key) != getattr(there, key):
                places.add(("nodes", node_id, key))
        for pin in here.inputs.keys() | there.inputs.keys():
            if repr(here.inputs.get(pin, ...)) != repr(there.inputs.get(pin, ...)):
                places.add(("nodes", node_id, "inputs", pin))
    for link in set(before.links) ^ set(after.links):
        places |= {("links", *link.key), ("wires", link.source), ("wires", link.target)}
    return places | {(key,) for key in _TEXTS.values() if getattr(before, key) != getattr(after, key)}


def _touched(operation: Operation) -> Iterable[Place]:
    """What an operation changes, and the block that its pins are those of."""
    name, node = str(operation.get("op")), str(operation.get("node"))
    if name in _TEXTS:
        return [(_TEXTS[name],)]
    if name in ("connect", "disconnect"):
        source, out, target, sink = (str(operation.get(key)) for key in ("from", "out", "to", "in"))
        return [("links", source, out, target, sink), ("nodes", source, "block"), ("nodes", target, "block")]
    if name in ("set_input", "unset_input"):
        pins = _pins(operation.get("field"))
        return [("nodes", node, "block"), *(("nodes", node, "inputs", pin) for pin in pins)]
    if name in _PARTS:
        return [("nodes", node, _PARTS[name])]
    if name == "update_node":
        patch = operation.get("patch")
        return [("nodes", node, key) for key in ("block", *patch)] if isinstance(patch, dict) else []
    if name == "add_node":
        return [("nodes", str(operation["id"]))] if operation.get("id") else []
    return [("nodes", node), ("wires", node)]  # the whole of it: remove_node, replace_block


def _pins(field: Json) -> set[str]:
    """The pin that a field is in; a text with dots may also be the name of one."""
    if isinstance(field, list):
        return {str(part) for part in field[:1]}
    return {str(field), str(field).split(".")[0]}
