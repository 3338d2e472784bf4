"""When an edit that was based on an older version still means the same (P5)."""

from dataclasses import replace

import pytest

from pilothouse.graph.document import Document, Link, Node
from pilothouse.graph.rebase import clashes
from pilothouse.kit.json import JsonObject
from tests.graph.blocks import FETCH, OUT, TEXT_IN, doc, fetch
from tests.graph.test_operations import op, wire

A, B, C = fetch("a", limit=1, headers={"x": "1"}), fetch("b"), Node("c", OUT, inputs={"name": "y"})
BEFORE = doc([A, B, C], [Link("a", "text", "b", "url"), Link("b", "text", "c", "value")])


def with_nodes(*nodes: Node) -> Document:
    changed = {node.id: node for node in nodes}
    kept = [changed.pop(node.id, node) for node in BEFORE.nodes]
    return replace(BEFORE, nodes=(*kept, *changed.values()))


LIMIT = with_nodes(replace(A, inputs={**A.inputs, "limit": 2}))
OTHER_BLOCK = with_nodes(replace(A, block=TEXT_IN))
MOVED = with_nodes(replace(A, position=(5, 5)))
NAMED = with_nodes(replace(A, name="Get"))
ADDED = with_nodes(fetch("d"))
REMOVED = replace(BEFORE, nodes=(A, C), links=())
WIRED = replace(BEFORE, links=(*BEFORE.links, Link("a", "links", "c", "value")))
STATIC = replace(BEFORE, links=(BEFORE.links[0], replace(BEFORE.links[1], static=True)))
RENAMED = replace(BEFORE, name="Other")


@pytest.mark.parametrize(
    ("operation", "after", "clash"),
    [
        (op("set_input", node="a", field="limit", value=3), LIMIT, True),
        (op("set_input", node="a", field="limit.x", value=3), LIMIT, True),
        (op("unset_input", node="a", field=["limit"]), LIMIT, True),
        (op("set_input", node="a", field="mode", value="safe"), LIMIT, False),
        (op("set_input", node="b", field="limit", value=3), LIMIT, False),
        (op("set_input", node="a", field="mode", value="safe"), OTHER_BLOCK, True),
        (op("update_node", node="a", patch={"inputs": {"mode": "safe"}}), LIMIT, True),
        (op("update_node", node="a", patch={"policy": {"on_error": "fail"}}), LIMIT, False),
        (op("update_node", node="a", patch={"name": "X"}), OTHER_BLOCK, True),
        (op("rename_node", node="a", name="X"), NAMED, True),
        (op("rename_node", node="a", name="X"), MOVED, False),
        (op("move_node", node="a", position=[1, 1]), MOVED, True),
        (op("remove_node", node="a"), MOVED, True),
        (op("remove_node", node="a"), WIRED, True),
        (op("remove_node", node="b"), WIRED, False),
        (op("replace_block", node="a", block=FETCH), WIRED, True),
        (op("add_node", block=FETCH, id="d"), ADDED, True),
        (op("add_node", block=FETCH, id="e"), ADDED, False),
        (op("add_node", block=FETCH), ADDED, False),
        (op("set_input", node="@0", field="url", value="x"), ADDED, False),
        (wire("a", "links", "c", "value"), WIRED, True),
        (wire("a", "links", "b", "proxy"), WIRED, False),
        (wire("a", "links", "b", "proxy"), OTHER_BLOCK, True),
        (wire("a", "links", "b", "proxy"), REMOVED, True),
        (wire("a", "links", "b", "proxy"), LIMIT, False),
        (wire("b", "text", "c", "value", "disconnect"), STATIC, True),
        (wire("a", "text", "b", "url", "disconnect"), STATIC, False),
        (op("set_name", value="Mine"), RENAMED, True),
        (op("set_description", value="Mine"), RENAMED, False),
        (op("set_name", value="Mine"), LIMIT, False),
    ],
)
def test_an_operation_clashes_with_what_it_touches_and_with_nothing_else(
    operation: JsonObject, after: Document, clash: bool
):
    """engine:P5"""
    assert clashes([operation], BEFORE, after) == ([0] if clash else [])


def test_nothing_clashes_with_no_change_and_each_clash_is_named():
    """engine:P5"""
    operations = [op("remove_node", node="c"), op("set_name", value="x"), op("remove_node", node="a")]
    assert clashes(operations, BEFORE, BEFORE) == []
    assert clashes(operations, BEFORE, replace(LIMIT, name="Other")) == [1, 2]
