"""What changed between two versions, in words that edit operations can be made of."""

from dataclasses import replace

from pilothouse.graph.document import Document, Node, link_json, node_json, policy_json
from pilothouse.kit.json import Json, JsonObject

_METADATA = ("name", "description", "instructions", "recommended_schedule_cron")
_MISSING = object()


def diff(a: Document, b: Document, *, positions: bool = False) -> JsonObject:
    """`{nodes: {added, removed, changed}, links: {added, removed}, metadata}`, each only when there is something.

    A change is `{"from": old, "to": new}`; a side that had no value is left out. Equal versions give `{}`.
    """
    nodes = _clean(
        {
            "added": [node_json(node) for node in _only(b, a)],
            "removed": [node_json(node) for node in _only(a, b)],
            "changed": _changed(a, b, positions),
        }
    )
    before, after = set(a.links), set(b.links)
    links = _clean(
        {
            "added": [link_json(link) for link in sorted(after - before, key=lambda link: link.key)],
            "removed": [link_json(link) for link in sorted(before - after, key=lambda link: link.key)],
        }
    )
    metadata = _fields({key: getattr(a, key) for key in _METADATA}, {key: getattr(b, key) for key in _METADATA})
    return _clean({"nodes": nodes, "links": links, "metadata": metadata})


def _only(here: Document, there: Document) -> list[Node]:
    known = {node.id for node in there.nodes}
    return sorted((node for node in here.nodes if node.id not in known), key=lambda node: node.id)


def _changed(a: Document, b: Document, positions: bool) -> JsonObject:
    before = {node.id: node for node in a.nodes}
    changed: JsonObject = {}
    for node in sorted(b.nodes, key=lambda node: node.id):
        if node.id in before:
            old = before[node.id] if positions else replace(before[node.id], position=node.position)
            changed[node.id] = _node_changes(old, node)
    return _clean(changed)


def _node_changes(old: Node, new: Node) -> JsonObject:
    changes = _fields(_face(old), _face(new))
    inputs = _fields(old.inputs, new.inputs)
    if inputs:
        changes["inputs"] = inputs
    return changes


def _face(node: Node) -> JsonObject:
    return {
        "block": node.block,
        "name": node.name,
        "position": list(node.position),
        "policy": policy_json(node.policy),
        "optional_credentials": node.optional_credentials,
    }


def _fields(old: JsonObject, new: JsonObject) -> JsonObject:
    changes: JsonObject = {}
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key, _MISSING), new.get(key, _MISSING)
        if before is _MISSING:
            changes[key] = {"to": new[key]}
        elif after is _MISSING:
            changes[key] = {"from": old[key]}
        elif not same(old[key], new[key]):
            changes[key] = {"from": old[key], "to": new[key]}
    return changes


def same(left: Json, right: Json) -> bool:
    """Equality as JSON has it: 1 and true differ, and so do 1 and 1.0 in the canonical text."""
    return left == right and repr(left) == repr(right)


def _clean(parts: JsonObject) -> JsonObject:
    return {key: part for key, part in parts.items() if part}
