"""The operations that make one version of another."""

from collections.abc import Iterator

from pilothouse.graph.catalogue import Catalogue, Kind
from pilothouse.graph.diff import same
from pilothouse.graph.document import Document, Link, Node, link_json, node_json
from pilothouse.graph.fields import properties, takes_any_pin
from pilothouse.graph.merge import patch_between
from pilothouse.kit.json import Json, JsonObject

_TEXTS = {
    "name": "set_name",
    "description": "set_description",
    "instructions": "set_instructions",
    "recommended_schedule_cron": "set_recommended_schedule",
}


def operations_between(a: Document, b: Document, catalogue: Catalogue, *, positions: bool = True) -> list[JsonObject]:
    """Applied to `a` in order they yield `b`; of more than an edit takes, one edit takes the first, the next the rest.

    Nodes go before links: a link that stays is never touched. Blocks that are not installed cannot be placed.
    """
    before, after = {node.id: node for node in a.nodes}, {node.id: node for node in b.nodes}
    made: list[JsonObject] = [
        {"op": "remove_node", "node": node_id} for node_id in sorted(before.keys() - after.keys())
    ]
    kept = before.keys() & after.keys()
    gone = set(a.links) - set(b.links)
    made += [{"op": "disconnect", **_ends(link)} for link in _sorted(gone) if {link.source, link.target} <= kept]
    for node_id in sorted(kept):
        made += _changes(before[node_id], after[node_id], catalogue, positions)
    for node_id in sorted(after.keys() - before.keys()):
        made += _addition(after[node_id], catalogue)
    made += [{"op": "connect", **link_json(link)} for link in _sorted(set(b.links) - set(a.links))]
    for key, op in _TEXTS.items():
        if getattr(a, key) != getattr(b, key):
            made.append({"op": op, "value": getattr(b, key)})
    return made


def _sorted(links: set[Link]) -> list[Link]:
    return sorted(links, key=lambda link: link.key)


def _ends(link: Link) -> JsonObject:
    return {"from": link.source, "out": link.out, "to": link.target, "in": link.sink}


def _changes(old: Node, new: Node, catalogue: Catalogue, positions: bool) -> Iterator[JsonObject]:
    node: JsonObject = {"node": new.id}
    other = old.block != new.block
    for pin in sorted(old.inputs):
        if other or pin not in new.inputs:  # another block starts without literals: none is kept or lost by chance
            yield {"op": "unset_input", **node, "field": [pin]}
    if other:
        yield {"op": "replace_block", **node, "block": new.block}
    for pin, value in sorted(new.inputs.items()):
        if other or pin not in old.inputs or not same(old.inputs[pin], value):
            yield {"op": "set_input", **node, "field": [pin], "value": value, **_unknown([pin], new, catalogue)}
    if old.name != new.name:
        yield {"op": "rename_node", **node, "name": new.name}
    if positions and not same(list(old.position), list(new.position)):
        yield {"op": "move_node", **node, "position": list(new.position)}
    if patch := patch_between(_rest(old), _rest(new)):
        yield {"op": "update_node", **node, "patch": patch}


def _addition(node: Node, catalogue: Catalogue) -> Iterator[JsonObject]:
    body: JsonObject = {"id": node.id, "block": node.block, "position": list(node.position)}
    if node.name:
        body["name"] = node.name
    if node.inputs:
        body["inputs"] = {pin: node.inputs[pin] for pin in sorted(node.inputs)}
    yield {"op": "add_node", **body, **_unknown(list(node.inputs), node, catalogue)}
    if rest := _rest(node):
        yield {"op": "update_node", "node": node.id, "patch": rest}


def _rest(node: Node) -> JsonObject:
    """What has no operation of its own."""
    return {key: value for key, value in node_json(node).items() if key in ("policy", "optional_credentials")}


def _unknown(pins: list[str], node: Node, catalogue: Catalogue) -> dict[str, Json]:
    """A stored version may hold literals that its block does not know (any more); a sub-agent's are its child's."""
    spec = catalogue.get(node.block)
    if spec is None or (spec.kind is not Kind.AGENT and takes_any_pin(spec, spec.inputs)):
        return {}
    known = properties(spec.inputs)
    return {} if all(pin in known for pin in pins) else {"keep_unknown": True}
