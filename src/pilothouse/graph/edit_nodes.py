"""Operations on nodes."""

from collections.abc import Container
from dataclasses import replace
from itertools import chain, count
from typing import Final

from pilothouse.graph.catalogue import BlockSpec
from pilothouse.graph.document import Link, Node, link_json, node_json
from pilothouse.graph.fields import is_credentials, properties
from pilothouse.graph.merge import merged
from pilothouse.graph.parse import NODE_ID, BadDocument, parse_node
from pilothouse.graph.pins import pin_base
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.graph.workbench import Done, Operation, Workbench, Wrong, has_pin
from pilothouse.kit.json import Json, JsonObject

COLUMN: Final = 320  # pixels from one new node to the next
_CHANGEABLE: Final = ("name", "inputs", "position", "policy", "optional_credentials")


def add_node(bench: Workbench, operation: Operation) -> Done:
    spec = bench.block(operation["block"])
    node_id = operation.get("id") or _free_id(spec.name, bench.nodes.keys())
    if not isinstance(node_id, str) or not NODE_ID.fullmatch(node_id):
        raise Wrong("bad_value", "A node id is 1 to 64 letters, digits, '_' or '-'.")
    if node_id in bench.nodes:
        raise Wrong("node_exists", f"There is a node '{node_id}' already.")
    inputs = operation.get("inputs") or {}
    if not isinstance(inputs, dict):
        raise Wrong("bad_inputs", "`inputs` must be an object.")
    place: Json = operation.get("position") or [len(bench.nodes) * COLUMN, 0]
    name = operation.get("name") or ""
    node = _read({"id": node_id, "block": spec.id, "name": name, "inputs": inputs, "position": place})
    if operation.get("keep_unknown") is not True:
        for pin in inputs:
            bench.check_input(node, pin)
    bench.nodes[node_id] = node
    return Done(node_id)


def remove_node(bench: Workbench, operation: Operation) -> Done:
    node = bench.node(operation["node"])
    del bench.nodes[node.id]
    gone = [link for link in bench.links.values() if node.id in (link.source, link.target)]
    return Done(node.id, _without(bench, gone))


def update_node(bench: Workbench, operation: Operation) -> Done:
    node, patch = bench.node(operation["node"]), operation["patch"]
    if not isinstance(patch, dict):
        raise Wrong("bad_value", "`patch` must be an object.")
    for key in patch:
        if key not in _CHANGEABLE:
            raise Wrong("unknown_field", f"A patch cannot change '{key}'.", _CHANGEABLE)
    changed = _read(merged(node_json(node), patch))
    for pin in changed.inputs.keys() - node.inputs.keys():
        bench.check_input(changed, pin)
    bench.nodes[node.id] = changed
    return Done(node.id)


def rename_node(bench: Workbench, operation: Operation) -> Done:
    node = bench.node(operation["node"])
    bench.nodes[node.id] = _read({**node_json(node), "name": operation["name"]})
    return Done(node.id)


def move_node(bench: Workbench, operation: Operation) -> Done:
    node = bench.node(operation["node"])
    bench.nodes[node.id] = _read({**node_json(node), "position": operation["position"]})
    return Done(node.id)


def replace_block(bench: Workbench, operation: Operation) -> Done:
    """What fits the new block stays; the rest is taken away and listed."""
    node, spec = bench.node(operation["node"]), bench.block(operation["block"])
    changed = replace(node, block=spec.id, placeholder=False)
    face = bench.face(changed) or spec
    kept = {pin: value for pin, value in node.inputs.items() if _fits(face, pin, value)}
    bench.nodes[node.id] = replace(changed, inputs=kept)
    lost: list[Json] = [pin for pin in node.inputs if pin not in kept]
    dropped = _without(bench, [link for link in bench.links.values() if not _still_fits(link, node.id, face)])
    return Done(node.id, {**({"inputs": lost} if lost else {}), **dropped})


def _read(body: Json) -> Node:
    try:
        return parse_node(body)
    except BadDocument as bad:
        raise Wrong("bad_value", bad.message) from bad


def _fits(spec: BlockSpec, pin: str, value: Json) -> bool:
    field = properties(spec.inputs).get(pin)
    if field is None:
        return has_pin(spec, spec.inputs, pin)
    if value is None or is_credentials(pin):
        return True
    try:
        coerce(value, field, spec.inputs)
    except NotConvertible:
        return False
    return True


def _still_fits(link: Link, node_id: str, spec: BlockSpec) -> bool:
    gives = link.source != node_id or has_pin(spec, spec.outputs, pin_base(link.out))
    return gives and (link.target != node_id or has_pin(spec, spec.inputs, pin_base(link.sink)))


def _without(bench: Workbench, links: list[Link]) -> JsonObject:
    for link in links:
        del bench.links[link.key]
    return {"links": [link_json(link) for link in links]} if links else {}


def _free_id(name: str, taken: Container[str]) -> str:
    stem = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name.lower())[:50]
    return next(made for made in chain([stem], (f"{stem}_{n}" for n in count(2))) if made not in taken)
