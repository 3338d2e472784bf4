"""Operations on literals: a field is a pin, or a pin and the keys inside its value."""

from dataclasses import replace

from pilothouse.graph.document import Node
from pilothouse.graph.fields import properties
from pilothouse.graph.nearest import nearest
from pilothouse.graph.workbench import Done, Operation, Workbench, Wrong
from pilothouse.kit.json import Json, JsonObject


def set_input(bench: Workbench, operation: Operation) -> Done:
    node = bench.node(operation["node"])
    pin, *rest = _path(bench, node, operation["field"])
    if operation.get("keep_unknown") is not True:
        bench.check_input(node, pin)
    value = _written(node.inputs.get(pin), rest, operation["value"])
    bench.nodes[node.id] = replace(node, inputs={**node.inputs, pin: value})
    return Done(node.id)


def unset_input(bench: Workbench, operation: Operation) -> Done:
    node = bench.node(operation["node"])
    path = _path(bench, node, operation["field"])
    bench.nodes[node.id] = replace(node, inputs=_erased(node.inputs, path))
    return Done(node.id)


def _path(bench: Workbench, node: Node, field: Json) -> list[str]:
    """`values.name` is the key `name` in `values`. A list of texts is taken as it is, dots and all."""
    if isinstance(field, list) and field and all(isinstance(part, str) for part in field):
        return [str(part) for part in field]
    if not isinstance(field, str):
        raise Wrong("bad_value", "`field` is a text with dots, or a list of texts.")
    spec = bench.face(node)
    if field in node.inputs or (spec is not None and field in properties(spec.inputs)):
        return [field]
    return field.split(".")


def _written(base: Json, path: list[str], value: Json) -> Json:
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(base, list):
        at = _index(base, key, len(base) + 1)
        return [*base[:at], _written(base[at] if at < len(base) else None, rest, value), *base[at + 1 :]]
    if base is not None and not isinstance(base, dict):
        raise Wrong("bad_path", f"There is no '{key}' in a value that is neither an object nor a list.")
    inside: JsonObject = base or {}
    return {**inside, key: _written(inside.get(key), rest, value)}


def _erased(base: JsonObject, path: list[str]) -> JsonObject:
    key, rest = path[0], path[1:]
    if key not in base:
        raise Wrong("no_such_value", f"Nothing is set at '{key}'.", nearest(key, base))
    if not rest:
        return {name: value for name, value in base.items() if name != key}
    return {**base, key: _erased_inside(base[key], rest)}


def _erased_inside(base: Json, path: list[str]) -> Json:
    if isinstance(base, dict):
        return _erased(base, path)
    if not isinstance(base, list):
        raise Wrong("no_such_value", f"Nothing is set at '{path[0]}'.")
    at = _index(base, path[0], len(base))
    kept = [_erased_inside(base[at], path[1:])] if path[1:] else []
    return [*base[:at], *kept, *base[at + 1 :]]


def _index(items: list[Json], key: str, end: int) -> int:
    if not (key.isascii() and key.isdigit() and int(key[:9]) < end):
        raise Wrong("bad_path", f"'{key}' is no place in a list of {len(items)}.")
    return int(key)
