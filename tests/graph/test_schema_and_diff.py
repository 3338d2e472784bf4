"""What an agent takes and gives (A5, A6), what changed between versions (R3), cron lines."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.graph.cron import is_cron
from pilothouse.graph.diff import diff
from pilothouse.graph.document import Document, Link, Node, Policy
from pilothouse.graph.schema import input_schema, output_schema
from tests.graph.blocks import CATALOGUE, CHOICE_IN, FETCH, NUMBER_IN, OUT, TEXT_IN, doc, fetch
from tests.graph.test_document import DOCUMENTS


def test_inputs_are_named_typed_and_required_unless_they_say_otherwise():
    """engine:A5"""
    document = doc(
        [
            Node("a", NUMBER_IN, inputs={"name": "n", "title": "How many"}),
            Node("b", TEXT_IN, inputs={"name": "t", "value": "hi"}),
            Node("c", TEXT_IN, inputs={"name": "u", "required": False}),
            Node("d", CHOICE_IN, inputs={"name": "c", "options": ["x", 1, True]}),
        ]
    )
    schema = input_schema(document, CATALOGUE)
    text = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schema["properties"] == {
        "n": {"anyOf": [{"type": "number"}, {"type": "null"}], "title": "How many"},
        "t": {**text, "default": "hi"},
        "u": text,
        "c": {**text, "enum": ["x", "1", "true"]},
    }
    assert schema["required"] == ["n", "c"]


def test_outputs_of_one_name_are_one_list():
    """engine:A6"""
    document = doc([Node("a", OUT, inputs={"name": "y", "title": "Y"}), Node("b", OUT, inputs={"name": "y"})])
    assert output_schema(document, CATALOGUE)["properties"] == {"y": {"type": "array", "items": {}, "title": "Y"}}


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS)
def test_a_version_does_not_differ_from_itself(document: Document):
    """engine:R3"""
    assert diff(document, document, positions=True) == {}


def test_a_diff_names_each_changed_field():
    """engine:R3"""
    before = doc([fetch("a", limit=1), fetch("b"), fetch("c")], [Link("a", "text", "b", "url")])
    after = Document(
        "Renamed",
        nodes=(
            Node("a", FETCH, "Get", {"url": "https://a.test", "mode": "safe"}, policy=Policy(on_error="fail")),
            fetch("b", limit=True),
            fetch("d"),
        ),
        links=(Link("a", "text", "b", "url", static=True), Link("a", "text", "d", "url")),
    )
    changed = diff(before, after)
    assert changed == {
        "nodes": {
            "added": [{"id": "d", "block": FETCH, "inputs": {"url": "https://a.test"}}],
            "removed": [{"id": "c", "block": FETCH, "inputs": {"url": "https://a.test"}}],
            "changed": {
                "a": {
                    "name": {"from": "", "to": "Get"},
                    "policy": {"from": {}, "to": {"on_error": "fail"}},
                    "inputs": {"limit": {"from": 1}, "mode": {"to": "safe"}},
                },
                "b": {"inputs": {"limit": {"to": True}}},
            },
        },
        "links": {
            "added": [
                {"from": "a", "out": "text", "to": "b", "in": "url", "static": True},
                {"from": "a", "out": "text", "to": "d", "in": "url"},
            ],
            "removed": [{"from": "a", "out": "text", "to": "b", "in": "url"}],
        },
        "metadata": {"name": {"from": "Test", "to": "Renamed"}},
    }


def test_one_and_true_are_two_values():
    """engine:R3"""
    assert diff(doc([fetch(limit=1)]), doc([fetch(limit=True)])) != {}


def test_positions_count_only_on_request():
    """engine:R3"""
    here, there = doc([fetch()]), doc([replace(fetch(), position=(4, 5))])
    assert diff(here, there) == {}
    moved = {"position": {"from": [0, 0], "to": [4, 5]}}
    assert diff(here, there, positions=True) == {"nodes": {"changed": {"f": moved}}}


@given(st.text(max_size=12))
def test_any_text_is_a_cron_line_or_not(text: str):
    assert is_cron(text) in (True, False)


@pytest.mark.parametrize("text", ["* * * * *", "0 9 * * 1-5", "*/15 0-23/2 1,15 JAN-mar SUN", "5 4 31 12 7"])
def test_cron_lines_are_known(text: str):
    assert is_cron(text)


@pytest.mark.parametrize(
    "text", ["", "* * * *", "60 * * * *", "* * 0 * *", "5-1 * * * *", "*/0 * * * *", "* * * FOO *", "*-5 * * * *"]
)
def test_other_texts_are_no_cron_lines(text: str):
    assert not is_cron(text)
