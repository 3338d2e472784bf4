"""engine:P1-P4, autopilot-tools:AB2, AB3: a graph changed by operations, all or none."""

from typing import cast

import pytest

from pilothouse.graph.document import Document, Link, Node, Policy, Retry
from pilothouse.graph.operations import KNOWN, OperationFailed, apply_operations
from pilothouse.graph.validate import validate
from pilothouse.kit.json import Json, JsonObject
from tests.graph.blocks import CATALOGUE, FETCH, NOTE, NUMBER_IN, OUT, TEXT_IN, UNKNOWN, Raw, doc, fetch, sub
from tests.graph.test_sub_agents import CHILD

BASE = doc(
    [
        Node("in", TEXT_IN, inputs={"name": "x"}),
        fetch("f", limit=5, headers={"a": "1", "b": "2"}),
        Node("out", OUT, inputs={"name": "y"}),
        Node("n", NOTE, inputs={"text": "Why."}),
    ],
    [Link("in", "result", "f", "url"), Link("f", "text", "out", "value")],
)


def applied(*operations: Json, base: Document = BASE) -> Document:
    return apply_operations(base, cast(list[JsonObject], operations), CATALOGUE).document


def judged(*operations: Json, base: Document = BASE) -> list[Raw]:
    with pytest.raises(OperationFailed) as caught:
        apply_operations(base, cast(list[JsonObject], operations), CATALOGUE)
    return cast(list[Raw], caught.value.facts["ops"])


def node(document: Document, node_id: str) -> Node:
    return next(one for one in document.nodes if one.id == node_id)


def op(name: str, /, **fields: Json) -> JsonObject:
    return {"op": name, **fields}


def wire(source: str, out: str, target: str, sink: str, name: str = "connect", **more: Json) -> JsonObject:
    return {"op": name, "from": source, "out": out, "to": target, "in": sink, **more}


def test_every_operation_of_the_specification_is_known():
    """engine:P2"""
    assert set(KNOWN) == {
        *("add_node", "remove_node", "update_node", "replace_block", "rename_node", "move_node", "set_input"),
        *("unset_input", "connect", "disconnect", "set_name", "set_description", "set_instructions"),
        "set_recommended_schedule",
    }


def test_nodes_are_added_and_linked_by_the_operation_that_made_them():
    """engine:P3"""
    done = apply_operations(
        BASE, [op("add_node", block="fetch"), op("set_name", value="N"), wire("@0", "text", "f", "proxy")], CATALOGUE
    )
    assert dict(done.nodes) == {"@0": "fetch"}
    assert Link("fetch", "text", "f", "proxy") in done.document.links
    assert [(answer["index"], answer["ok"], answer["node_id"]) for answer in done.answers] == [
        (0, True, "fetch"),
        (1, True, None),
        (2, True, "f"),
    ]


def test_new_nodes_get_names_of_their_own_and_places_in_a_row():
    """autopilot-tools:AB4"""
    add = op("add_node", block=FETCH)
    made = applied(add, add, op("add_node", block=FETCH, id="mine", position=[7, 8]), base=Document())
    assert [(one.id, one.position) for one in made.nodes] == [
        ("fetch", (0, 0)),
        ("fetch_2", (320, 0)),
        ("mine", (7, 8)),
    ]


def test_a_node_goes_with_its_links_and_they_are_listed():
    """engine:P2"""
    done = apply_operations(BASE, [op("remove_node", node="f")], CATALOGUE)
    assert [one.id for one in done.document.nodes] == ["in", "out", "n"]
    assert done.document.links == ()
    dropped = cast(dict[str, list[JsonObject]], done.answers[0]["dropped"])
    assert [link["from"] for link in dropped["links"]] == ["in", "f"]


def test_a_patch_is_merged_and_null_takes_away():
    """engine:P2"""
    patch: JsonObject = {
        "name": "Get",
        "inputs": {"headers": {"a": None, "c": "3"}, "limit": None, "mode": "safe"},
        "policy": {"retry": {"max_attempts": 3}},
        "optional_credentials": True,
    }
    made = node(applied(op("update_node", node="f", patch=patch)), "f")
    assert made == Node(
        "f",
        FETCH,
        "Get",
        {"url": "https://a.test", "headers": {"b": "2", "c": "3"}, "mode": "safe"},
        policy=Policy(retry=Retry(max_attempts=3)),
        optional_credentials=True,
    )
    again = applied(
        op("update_node", node="f", patch=patch), op("update_node", node="f", patch={"policy": None, "name": None})
    )
    assert (node(again, "f").policy, node(again, "f").name) == (Policy(), "")


def test_a_replaced_block_keeps_what_fits_and_lists_the_rest():
    """engine:P2"""
    base = doc(
        [Node("a", NUMBER_IN, inputs={"name": "x", "value": 3, "title": "T"}), Node("o", OUT, inputs={"name": "y"})],
        [Link("a", "result", "o", "value")],
    )
    kept = apply_operations(base, [op("replace_block", node="a", block="Text")], CATALOGUE)
    assert node(kept.document, "a") == Node("a", TEXT_IN, inputs={"name": "x", "value": 3, "title": "T"})
    assert kept.document.links == base.links
    assert kept.answers[0]["dropped"] == {}
    lost = apply_operations(base, [op("replace_block", node="a", block=FETCH)], CATALOGUE)
    assert node(lost.document, "a").inputs == {}
    assert lost.document.links == ()
    assert lost.answers[0]["dropped"] == {
        "inputs": ["name", "value", "title"],
        "links": [{"from": "a", "out": "result", "to": "o", "in": "value"}],
    }
    back = applied(op("set_input", node="a", field="value", value="many"), base=base)
    assert "value" not in node(applied(op("replace_block", node="a", block=NUMBER_IN), base=_text(back)), "a").inputs


def _text(document: Document) -> Document:
    return applied(op("replace_block", node="a", block=TEXT_IN), base=document)


def test_names_places_and_texts_are_set():
    """engine:P2"""
    made = applied(
        op("rename_node", node="f", name="Get"),
        op("move_node", node="f", position=[3, 4.5]),
        op("set_name", value="New"),
        op("set_description", value="D"),
        op("set_instructions", value="I"),
        op("set_recommended_schedule", value="0 9 * * *"),
    )
    assert (node(made, "f").name, node(made, "f").position) == ("Get", (3, 4.5))
    assert (made.name, made.description, made.instructions, made.recommended_schedule_cron) == (
        *("New", "D", "I", "0 9 * * *"),
    )
    assert applied(op("set_recommended_schedule", value=None), base=made).recommended_schedule_cron is None


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("limit", 7, {"limit": 7}),
        ("limit", None, {"limit": None}),
        ("headers.c", "3", {"headers": {"a": "1", "b": "2", "c": "3"}}),
        (["headers", "c.d"], "3", {"headers": {"a": "1", "b": "2", "c.d": "3"}}),
        ("proxy.deep.er", 1, {"proxy": {"deep": {"er": 1}}}),
    ],
)
def test_an_input_is_set_at_its_place(field: Json, value: Json, expected: JsonObject):
    """engine:P2"""
    made = node(applied(op("set_input", node="f", field=field, value=value)), "f")
    assert made.inputs == {**node(BASE, "f").inputs, **expected}


def test_a_place_in_a_list_is_its_number():
    """engine:P2"""
    steps = [
        op("set_input", node="f", field="headers", value=["a", {"k": 1}]),
        op("set_input", node="f", field="headers.1.k", value=2),
        op("set_input", node="f", field="headers.2", value="c"),
        op("unset_input", node="f", field="headers.0"),
    ]
    assert node(applied(*steps), "f").inputs["headers"] == [{"k": 2}, "c"]
    assert judged(*steps, op("set_input", node="f", field="headers.9", value=0))[-1]["code"] == "bad_path"


def test_an_input_is_taken_away_whole_or_in_part():
    """engine:P2"""
    made = applied(op("unset_input", node="f", field="limit"), op("unset_input", node="f", field="headers.a"))
    assert node(made, "f").inputs == {"url": "https://a.test", "headers": {"b": "2"}}


def test_links_are_made_and_taken_away():
    """engine:P2"""
    made = applied(
        wire("f", "links_$_0", "f", "headers_#_x", static=True), wire("in", "result", "f", "url", "disconnect")
    )
    assert made.links == (Link("f", "text", "out", "value"), Link("f", "links_$_0", "f", "headers_#_x", static=True))


def test_a_block_that_is_not_installed_takes_any_pin():
    """engine:X5: what is not known of a placeholder cannot be held against an edit."""
    base = doc([Node("p", UNKNOWN), fetch("f")])
    made = applied(wire("p", "any", "f", "url"), op("set_input", node="p", field="x", value=1), base=base)
    assert node(made, "p").inputs == {"x": 1}


def test_a_sub_agents_pins_are_those_of_its_child():
    """engine:A8, engine:P4"""
    base = doc([fetch("f"), sub("s", "kid")])
    kids = {("kid", 1): CHILD}
    good = apply_operations(base, [wire("f", "text", "s", "topic"), wire("s", "summary", "f", "url")], CATALOGUE, kids)
    assert len(good.document.links) == 2
    with pytest.raises(OperationFailed) as caught:
        apply_operations(base, [wire("f", "text", "s", "topics")], CATALOGUE, kids)
    answers = cast(list[Raw], caught.value.facts["ops"])
    assert answers[0]["allowed"][0] == "topic"


def test_a_literal_that_the_block_does_not_know_is_kept_when_asked():
    """engine:J2: a stored version may hold one; it is an issue, not a fault."""
    made = applied(op("set_input", node="f", field=["uri"], value=None, keep_unknown=True))
    assert node(made, "f").inputs["uri"] is None
    assert {issue.code for issue in validate(made, CATALOGUE, "save").issues} == {"unknown_input"}
