"""Random edits against a naive model (P7), random differences applied (R3)."""

from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.graph.diff import diff
from pilothouse.graph.diff_operations import operations_between
from pilothouse.graph.document import Document, Link, Node, Policy, Retry, canonical, to_json
from pilothouse.graph.fields import properties
from pilothouse.graph.merge import merged, patch_between
from pilothouse.graph.operations import MAX_OPERATIONS, OperationFailed, apply_operations
from pilothouse.graph.parse import parse
from pilothouse.kit.json import Json, JsonObject
from tests.graph.blocks import CATALOGUE, FETCH, NOTE, OUT, SUB, TEXT_IN, Raw
from tests.graph.naive_edits import PINS, Naive

EXAMPLES = 150
IDS = st.sampled_from(["a", "b", "c"])
NODES = st.sampled_from(["a", "b", "c", "fetch", "@0", "@1", "@2"])
BLOCKS = st.sampled_from(["Fetch", "fetch", OUT, "Note", FETCH, "Teleport"])
VALUES: st.SearchStrategy[Json] = st.sampled_from([None, 1, "s", "fast", {"k": "v"}, {"k": {"m": 1}}])
INS = st.sampled_from(["url", "limit", "mode", "headers", "name", "value", "text", "bogus"])
OUTS = st.sampled_from(["text", "links", "output", "name", "error", "bogus"])
FIELDS = st.one_of(INS, st.sampled_from(["headers.k", "headers.k.m", "limit.k", "value.k"]))
PLACES = st.sampled_from([[0, 0], [1, 2.5], [-3, 4]])
PATCHES = st.sampled_from(
    [
        {"name": "N"},
        {"name": None, "position": [1, 2]},
        {"inputs": {"limit": 2, "mode": None}},
        {"inputs": {"headers": {"k": None, "z": "1"}, "bogus": None}},
        {"inputs": {"bogus": 1}},
        {"inputs": None},
        {"policy": {"on_error": "fail", "retry": {"max_attempts": 2}}},
        {"policy": None},
        {"block": OUT},
    ]
)


def op(name: str, **fields: st.SearchStrategy[object]) -> st.SearchStrategy[Raw]:
    return st.fixed_dictionaries({"op": st.just(name), **fields})


ENDS: dict[str, st.SearchStrategy[str]] = {"from": NODES, "out": OUTS, "to": NODES, "in": INS}
OPERATIONS = st.one_of(
    op("add_node", block=BLOCKS),
    op("add_node", block=BLOCKS, id=IDS, inputs=st.dictionaries(INS, VALUES, max_size=2), position=PLACES),
    op("remove_node", node=NODES),
    op("update_node", node=NODES, patch=PATCHES),
    op("replace_block", node=NODES, block=BLOCKS),
    op("rename_node", node=NODES).map(lambda one: {**one, "name": "New"}),
    op("move_node", node=NODES, position=PLACES),
    op("set_input", node=NODES, field=FIELDS, value=VALUES),
    op("unset_input", node=NODES, field=FIELDS),
    op("connect", **ENDS),
    op("connect", **ENDS, static=st.booleans()),
    op("disconnect", **ENDS),
    op("set_name", value=st.sampled_from(["", "Digest"])),
    op("set_description", value=st.sampled_from(["", "Words"])),
    op("set_instructions", value=st.sampled_from(["", "Do"])),
    op("set_recommended_schedule", value=st.sampled_from(["0 9 * * *", None])),
)
START = parse(
    {
        "name": "Start",
        "nodes": [
            {"id": "a", "block": FETCH, "inputs": {"url": "s", "limit": 1, "headers": {"k": "v"}}},
            {"id": "b", "block": OUT, "inputs": {"name": "s"}, "position": [5, 5]},
            {"id": "c", "block": NOTE, "inputs": {"text": "s"}, "name": "Note"},
        ],
        "links": [{"from": "a", "out": "text", "to": "b", "in": "value"}],
    }
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(OPERATIONS, max_size=8))
def test_random_edits_equal_a_naive_model(operations: list[Raw]):
    """engine:P7: the same operations can be done, and all of them together make the same graph, or none."""
    model, before = Naive(to_json(START)), canonical(START)
    could = model.all(operations)
    try:
        applied = apply_operations(START, operations, CATALOGUE)
    except OperationFailed as failed:
        answers = cast(list[Raw], failed.facts["ops"])
        assert [answer["ok"] for answer in answers] == could
        assert not all(could)
    else:
        assert all(could)
        assert to_json(applied.document) == model.graph()
        assert dict(applied.nodes) == model.made
    assert canonical(START) == before


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(OPERATIONS, max_size=8))
def test_random_edits_that_can_be_done_make_the_graph_of_a_naive_model(operations: list[Raw]):
    """engine:P7: as above, with something harmless in the place of each that cannot be done."""
    could = Naive(to_json(START)).all(operations)
    harmless = {"op": "set_description", "value": "Instead"}
    operations = [one if ok else harmless for one, ok in zip(operations, could, strict=True)]
    model = Naive(to_json(START))
    assert all(model.all(operations))
    applied = apply_operations(START, operations, CATALOGUE)
    assert to_json(applied.document) == model.graph()
    assert dict(applied.nodes) == model.made


PARTS = st.recursive(
    st.sampled_from([None, 0, 1, True, 1.0, "s"]),
    lambda inner: st.dictionaries(st.sampled_from(["k", "a.b"]), inner, max_size=2),
    max_leaves=3,
)
ANY_NODES = st.builds(
    Node,
    st.sampled_from(["a", "b", "c", "d"]),
    st.sampled_from([FETCH, OUT, TEXT_IN, SUB]),
    st.sampled_from(["", "Name"]),
    st.dictionaries(st.sampled_from(["url", "limit", "name", "value", "gone", "a.b"]), PARTS, max_size=3),
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2.5])),
    st.builds(Policy, st.builds(Retry, st.integers(1, 2)), st.sampled_from([None, 5]), ordered=st.booleans()),
    st.booleans(),
)


@st.composite
def graphs(draw: st.DrawFn) -> Document:
    nodes = draw(st.lists(ANY_NODES, max_size=4, unique_by=lambda node: node.id))
    links: dict[tuple[str, ...], Link] = {}
    for source, target in draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4 if nodes else 0)):
        giver, taker = nodes[source % len(nodes)], nodes[target % len(nodes)]
        out, sink = (
            sorted(properties(CATALOGUE[giver.block].outputs)),
            sorted(properties(CATALOGUE[taker.block].inputs)),
        )
        link = Link(giver.id, out[source % len(out)], taker.id, sink[target % len(sink)], static=source > 6)
        links[link.key] = link
    name, description, instructions = (draw(st.sampled_from(["", "X"])) for _ in range(3))
    cron = draw(st.sampled_from([None, "0 9 * * *"]))
    return Document(name, description, instructions, cron, tuple(nodes), tuple(links.values()))


@settings(max_examples=EXAMPLES, deadline=None)
@given(graphs(), graphs())
def test_a_difference_applied_as_operations_makes_the_other_version(a: Document, b: Document):
    """engine:R3"""
    operations = operations_between(a, b, CATALOGUE)
    made = a
    for start in range(0, len(operations), MAX_OPERATIONS):
        made = apply_operations(made, operations[start : start + MAX_OPERATIONS], CATALOGUE).document
    assert canonical(made) == canonical(b)
    assert (operations == []) == (diff(a, b, positions=True) == {})
    assert operations_between(made, b, CATALOGUE) == []


@settings(max_examples=100, deadline=None)
@given(graphs(), graphs())
def test_without_positions_nodes_stay_where_they_are(a: Document, b: Document):
    """engine:R3"""
    operations = operations_between(a, b, CATALOGUE, positions=False)
    made = apply_operations(a, operations, CATALOGUE).document
    assert diff(made, b) == {}
    places = {node.id: node.position for node in a.nodes}
    assert all(node.position == places.get(node.id, node.position) for node in made.nodes)


WITHOUT_NULL = st.recursive(
    st.sampled_from([0, 1, True, 1.0, "s"]),
    lambda inner: st.dictionaries(st.sampled_from(["k", "m"]), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=100, deadline=None)
@given(*[st.dictionaries(st.sampled_from(["a", "b", "c"]), WITHOUT_NULL, max_size=3)] * 2)
def test_a_patch_between_two_objects_makes_the_one_of_the_other(old: JsonObject, new: JsonObject):
    made = merged(old, patch_between(old, new))
    assert _exact(made) == _exact(new)


def _exact(value: Json) -> object:
    """1, 1.0 and true told apart, the order of keys not."""
    if isinstance(value, dict):
        return {key: _exact(part) for key, part in value.items()}
    return type(value).__name__, value


def test_the_model_knows_the_blocks_that_are_there():
    for block, pins in PINS.items():
        assert set(properties(CATALOGUE[block].inputs)) == pins["in"]
        assert set(properties(CATALOGUE[block].outputs)) == pins["out"]
