"""The agent document (A2, A3, J1, J2)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.graph.document import (
    Document,
    Link,
    Node,
    Policy,
    Retry,
    canonical,
    content_hash,
    to_json,
)
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.kit.json import Json, JsonObject, loads
from tests.graph.blocks import FETCH, OUT

NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e9, 1e9), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)
RETRIES = st.builds(
    Retry, st.integers(1, 10), st.integers(0, 9), st.integers(1, 3), on=st.sampled_from(["retryable", "any"])
)
POLICIES = st.builds(
    Policy,
    RETRIES,
    st.one_of(st.none(), st.integers(1, 86_400)),
    st.sampled_from(["continue", "fail"]),
    st.booleans(),
)
NODES = st.builds(
    Node,
    NAMES,
    st.sampled_from([FETCH, OUT]),
    st.text(max_size=4),
    st.dictionaries(NAMES, VALUES, max_size=3),
    st.tuples(st.integers(-9, 9), st.floats(-9, 9)),
    POLICIES,
    st.booleans(),
)
LINKS = st.builds(Link, NAMES, NAMES, NAMES, NAMES, st.booleans())
DOCUMENTS = st.builds(
    Document,
    st.text(max_size=5),
    st.text(max_size=5),
    nodes=st.lists(NODES, max_size=4, unique_by=lambda node: node.id).map(tuple),
    links=st.lists(LINKS, max_size=4, unique_by=lambda link: link.key).map(tuple),
    id=st.one_of(st.none(), NAMES),
    version=st.one_of(st.none(), st.integers(1, 99)),
)


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS)
def test_parsing_and_printing_is_byte_equal(doc: Document):
    """engine:J1"""
    text = canonical(doc)
    assert canonical(parse(loads(text))) == text
    assert text.endswith("\n")


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.randoms())
def test_order_in_the_file_changes_neither_text_nor_hash(doc: Document, random: Any):
    """engine:J1"""
    nodes, links = list(doc.nodes), list(doc.links)
    random.shuffle(nodes)
    random.shuffle(links)
    shuffled = Document(
        doc.name, doc.description, nodes=tuple(nodes), links=tuple(links), id=doc.id, version=doc.version
    )
    assert canonical(shuffled) == canonical(doc)
    assert content_hash(shuffled) == content_hash(doc)


def test_the_hash_leaves_out_id_version_and_positions_and_nothing_else():
    """engine:J2"""
    plain = Document("A", nodes=(Node("n", FETCH, inputs={"url": "u"}),))
    moved = Document("A", nodes=(Node("n", FETCH, inputs={"url": "u"}, position=(5, 6)),), id="x", version=3)
    other = Document("A", nodes=(Node("n", FETCH, inputs={"url": "v"}),))
    assert content_hash(plain) == content_hash(moved)
    assert content_hash(plain) != content_hash(other)
    assert len(content_hash(plain)) == 64


def test_defaults_are_left_out_and_keys_stand_in_a_fixed_order():
    """engine:J1"""
    doc = Document(
        "A", nodes=(Node("n", FETCH, inputs={"z": 1, "a": {"z": 1, "a": 2}}),), links=(Link("n", "o", "n", "i"),)
    )
    body = to_json(doc)
    assert list(body) == ["format", "name", "nodes", "links"]
    assert body["nodes"] == [{"id": "n", "block": FETCH, "inputs": {"a": {"z": 1, "a": 2}, "z": 1}}]
    assert "policy" not in canonical(doc)
    assert '"z": 1,\n          "a": 2' in canonical(doc), "the order inside a value is the author's"


def test_nodes_stand_by_id_and_links_by_identity():
    """engine:J1"""
    links = (Link("n", "o", "n", "z"), Link("n", "o", "n", "a"), Link("a", "o", "n", "i"))
    body = parse(to_json(Document("A", nodes=(Node("n", FETCH), Node("a", FETCH)), links=links)))
    assert [node.id for node in body.nodes] == ["a", "n"]
    assert [(link.source, link.sink) for link in body.links] == [("a", "i"), ("n", "a"), ("n", "z")]


def test_every_fault_is_named_with_its_place():
    """engine:J2, engine:V2, engine:A2"""
    bad: JsonObject = {
        "format": "other/1",
        "colour": "red",
        "version": 0,
        "nodes": [
            {"id": "a b", "block": "nope", "speed": 1},
            {"block": FETCH, "policy": {"retry": {"max_attempts": 11}, "timeout_s": 0}},
            5,
        ],
        "links": [{"from": "a", "out": "b", "to": "c", "static": "yes"}],
    }
    with pytest.raises(BadDocument) as caught:
        parse(bad)
    assert caught.value.code == "bad_document"
    assert caught.value.status == 422
    places = {where for where, _ in caught.value.faults}
    assert places == {
        *("$.format", "$.colour", "$.version", "$.nodes[0].id", "$.nodes[0].block", "$.nodes[0].speed"),
        *("$.nodes[1].id", "$.nodes[1].policy.retry.max_attempts", "$.nodes[1].policy.timeout_s", "$.nodes[2]"),
        *("$.nodes[2].id", "$.nodes[2].block", "$.links[0].in", "$.links[0].static"),
    }


@given(VALUES)
def test_no_json_at_all_breaks_the_parser(value: Json):
    """A value that is no document is refused with a reason, never with another error."""
    if value == {}:
        assert parse(value) == Document()
    else:
        with pytest.raises(BadDocument):
            parse(value)


def test_a_document_nested_too_deep_is_refused():
    """engine:X3"""
    deep: Json = 1
    for _ in range(200):
        deep = [deep]
    with pytest.raises(BadDocument):
        parse({"nodes": [{"id": "n", "block": FETCH, "inputs": {"x": deep}}]})


def test_sub_agents_are_documents_too():
    child: JsonObject = {"id": "c", "version": 2, "name": "Child"}
    doc = parse({"name": "Parent", "sub_agents": [child]})
    assert doc.sub_agents[0].name == "Child"
    assert canonical(parse(loads(canonical(doc)))) == canonical(doc)
