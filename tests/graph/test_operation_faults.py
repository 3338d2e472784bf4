"""engine:P4: what cannot be done says why, and what could be done instead."""

import pytest

from pilothouse.graph.document import canonical
from pilothouse.graph.operations import MAX_OPERATIONS
from pilothouse.kit.json import Json, JsonObject
from tests.graph.blocks import FETCH, OUT
from tests.graph.test_operations import BASE, applied, judged, node, op, wire


@pytest.mark.parametrize(
    ("operation", "code", "allowed"),
    [
        (op("fly"), "unknown_operation", "move_node"),
        (op("add_node"), "missing_field", "block"),
        (op("add_node", block="Fetc"), "unknown_block", "Fetch"),
        (op("add_node", block=FETCH, id="f"), "node_exists", None),
        (op("add_node", block=FETCH, id="a b"), "bad_value", None),
        (op("add_node", block=FETCH, inputs=[1]), "bad_inputs", None),
        (op("add_node", block=FETCH, inputs={"uri": 1}), "unknown_pin", "url"),
        (op("add_node", block=FETCH, position=[1]), "bad_value", None),
        (op("add_node", block=FETCH, colour="red"), "unknown_field", "inputs"),
        (op("remove_node", node="ff"), "unknown_node", "f"),
        (op("remove_node", node=7), "bad_value", None),
        (op("update_node", node="f", patch=7), "bad_value", None),
        (op("update_node", node="f", patch={"block": OUT}), "unknown_field", "inputs"),
        (op("update_node", node="f", patch={"policy": {"timeout_s": 0}}), "bad_value", None),
        (op("update_node", node="f", patch={"inputs": {"uri": 1}}), "unknown_pin", "url"),
        (op("replace_block", node="f", block="Outpt"), "unknown_block", "Output"),
        (op("rename_node", node="f", name=None), "bad_value", None),
        (op("move_node", node="f", position="left"), "bad_value", None),
        (op("set_input", node="f", field="uri", value=1), "unknown_pin", "url"),
        (op("set_input", node="f", field="limit"), "missing_field", "value"),
        (op("set_input", node="f", field="limit.x", value=1), "bad_path", None),
        (op("set_input", node="f", field=[], value=1), "bad_value", None),
        (op("unset_input", node="f", field="mode"), "no_such_value", "limit"),
        (op("unset_input", node="f", field="headers.z"), "no_such_value", "a"),
        (op("unset_input", node="f", field="limit.z"), "no_such_value", None),
        (wire("f", "body", "out", "value"), "unknown_pin", "text"),
        (wire("f", "text", "out", "val"), "unknown_pin", "value"),
        (wire("f", "text_$_x", "out", "value"), "bad_pin_path", None),
        (wire("f", "text", "f", "url_$_-1"), "bad_pin_path", None),
        (wire("f", "text", "out", "value"), "link_exists", None),
        (wire("f", "text", "n", "text"), "note_linked", None),
        (wire("f", "", "out", "value"), "bad_value", None),
        (wire("f", "text", "out", "name", "disconnect"), "no_such_link", "f.text -> out.value"),
        (op("set_name", value=7), "bad_value", None),
    ],
)
def test_what_cannot_be_done_says_why_and_what_can(operation: JsonObject, code: str, allowed: str | None):
    """engine:P4"""
    answer = judged(operation)[0]
    assert (answer["ok"], answer["code"]) == (False, code)
    assert answer["message"]
    assert answer["allowed"] == [] if allowed is None else allowed in answer["allowed"]


def test_names_most_like_the_wrong_one_come_first():
    """engine:P4"""
    assert judged(op("set_input", node="f", field="proxy_usr", value=1))[0]["allowed"][0] == "proxy_user"
    assert judged(op("add_node", block="fetcher"))[0]["allowed"][0] == "Fetch"


def test_after_a_failure_the_rest_is_judged_and_what_needs_it_is_blocked():
    """engine:P4"""
    answers = judged(
        op("add_node", block="Teleport", id="t"),
        op("add_node", block=FETCH, id="g"),
        wire("@0", "text", "g", "url"),
        wire("g", "text", "t", "url"),
        op("set_input", node="t", field="url", value="x"),
        op("set_input", node="g", field="limits", value=1),
        wire("f", "nope", "g", "url"),
        wire("f", "nope", "g", "url", "disconnect"),
        op("replace_block", node="out", block="Teleport"),
        wire("f", "text", "out", "url"),
        op("rename_node", node="out", name="Still fine"),
        op("remove_node", node="@3"),
    )
    assert [answer["code"] for answer in answers] == [
        *("unknown_block", None, "blocked", "blocked", "blocked", "unknown_pin", "unknown_pin", "blocked"),
        *("unknown_block", "blocked", None, "unknown_node"),
    ]
    assert [answer["index"] for answer in answers] == list(range(12))


def test_an_operation_cannot_name_what_a_later_one_makes():
    """engine:P3"""
    assert judged(op("remove_node", node="@1"), op("add_node", block=FETCH))[0]["code"] == "unknown_node"


def test_a_refused_edit_leaves_the_document_byte_equal():
    """engine:P1, engine:P7"""
    before = canonical(BASE)
    judged(
        op("set_input", node="f", field="headers.a", value="changed"),
        op("remove_node", node="in"),
        op("update_node", node="f", patch={"inputs": {"headers": {"b": None}}}),
        op("fly"),
    )
    assert canonical(BASE) == before


def test_an_edit_takes_two_hundred_operations():
    """autopilot-tools:AB3"""
    moves: list[Json] = [op("move_node", node="f", position=[number, 0]) for number in range(MAX_OPERATIONS)]
    assert node(applied(*moves), "f").position == (MAX_OPERATIONS - 1, 0)
    assert judged(*moves, moves[0])[-1]["code"] == "too_many"


def test_values_that_nest_too_deep_are_refused():
    deep: Json = 1
    for _ in range(120):
        deep = [deep]
    assert judged(op("set_input", node="f", field="proxy", value=deep))[0]["code"] == "bad_value"
