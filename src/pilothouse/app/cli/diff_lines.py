"""A difference between two versions, a line for each change."""

from collections.abc import Iterator

from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.json import Json, JsonObject, dumps


def diff_lines(diff: JsonObject) -> Iterator[str]:
    """`+` there is more, `-` there is less, `~` it changed."""
    for key, change in as_object(diff.get("metadata")).items():
        yield f"~ {key}: {_change(change)}"
    nodes, links = as_object(diff.get("nodes")), as_object(diff.get("links"))
    yield from (f"- node {as_object(node)['id']}" for node in as_list(nodes.get("removed")))
    yield from (f"+ node {as_object(node)['id']}" for node in as_list(nodes.get("added")))
    for node_id, fields in as_object(nodes.get("changed")).items():
        rest = {field: change for field, change in as_object(fields).items() if field != "inputs"}
        for field, change in {**rest, **as_object(as_object(fields).get("inputs"))}.items():
            yield f"~ node {node_id}, {field}: {_change(change)}"
    yield from (f"- link {_link(as_object(link))}" for link in as_list(links.get("removed")))
    yield from (f"+ link {_link(as_object(link))}" for link in as_list(links.get("added")))


def _change(change: Json) -> str:
    sides = as_object(change)
    old, new = (dumps(sides[side]) if side in sides else "nothing" for side in ("from", "to"))
    return f"{old} -> {new}"


def _link(link: JsonObject) -> str:
    static = ", static" if link.get("static") else ""
    return f"{link['from']}.{link['out']} -> {link['to']}.{link['in']}{static}"
