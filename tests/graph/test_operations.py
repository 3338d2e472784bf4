"""engine:P2-P4, autopilot-tools:AB2, AB3: a graph built by operations, all or none."""

from typing import Any, cast

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.graph.document import Document, to_json
from pilothouse.graph.operations import MAX_OPERATIONS, OperationFailed, apply_operations
from pilothouse.kit.json import JsonObject

CATALOGUE = Registry()
ASK: JsonObject = {"op": "add_node", "block": "Agent short text input", "id": "who", "inputs": {"name": "name"}}
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"
FILL: JsonObject = {"op": "add_node", "block": TEMPLATE, "inputs": {"format": "Hi {{ name }}"}}
LINK: JsonObject = {"op": "connect", "from": "@0", "out": "result", "to": "@1", "in": "values_#_name"}


def judged(*operations: Any) -> list[dict[str, Any]]:
    with pytest.raises(OperationFailed) as caught:
        apply_operations(Document(name="x"), operations, CATALOGUE)
    return cast(list[dict[str, Any]], caught.value.facts["ops"])


def test_nodes_are_added_and_linked_by_the_operation_that_made_them():
    applied = apply_operations(Document(name="x"), [ASK, FILL, LINK], CATALOGUE)
    assert dict(applied.nodes) == {"@0": "who", "@1": "fill_text_template"}
    link = cast(list[dict[str, Any]], to_json(applied.document)["links"])[0]
    assert link == {"from": "who", "out": "result", "to": "fill_text_template", "in": "values_#_name"}


def test_texts_and_inputs_are_set():
    told: JsonObject = {"op": "set_input", "node": "@0", "field": "values.name", "value": "Ada"}
    operations: list[JsonObject] = [FILL, told, {"op": "set_description", "value": "Says hi."}]
    document = apply_operations(Document(name="x"), operations, CATALOGUE).document
    assert document.description == "Says hi."
    assert document.nodes[0].inputs == {"format": "Hi {{ name }}", "values": {"name": "Ada"}}


def test_a_failing_operation_judges_all_and_blocks_what_depends_on_it():
    answers = judged({"op": "add_node", "block": "Teleport"}, FILL, LINK)
    assert [answer["ok"] for answer in answers] == [False, True, False]
    assert answers[0]["code"] == "unknown_block"
    assert "Fill text template" in answers[0]["allowed"]
    assert answers[2]["code"] == "blocked"


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ({"op": "fly"}, "unknown_operation"),
        ({**ASK, "id": "b", "inputs": {"nme": 1}}, "unknown_pin"),
        ({**ASK, "id": "b", "inputs": 7}, "bad_inputs"),
        ({"op": "connect", "from": "ghost", "out": "x", "to": "ghost", "in": "y"}, "unknown_node"),
        ({"op": "set_input", "node": "who", "field": "nme", "value": 1}, "unknown_pin"),
        (ASK, "node_exists"),
    ],
)
def test_what_cannot_be_done_says_why(operation: dict[str, Any], code: str):
    assert judged(ASK, operation)[1]["code"] == code


def test_a_link_is_made_once_and_only_between_real_pins():
    assert judged(ASK, FILL, LINK, LINK)[3]["code"] == "link_exists"
    wrong = judged(ASK, FILL, {**LINK, "out": "results"})[2]
    assert (wrong["code"], wrong["allowed"]) == ("unknown_pin", ["error", "result"])


def test_there_is_a_limit():
    assert judged(*[FILL] * (MAX_OPERATIONS + 1))[-1]["code"] == "too_many"


def test_new_nodes_get_names_of_their_own_and_places_in_a_row():
    document = apply_operations(Document(name="x"), [FILL, FILL, FILL], CATALOGUE).document
    assert [node.id for node in document.nodes] == [
        "fill_text_template",
        "fill_text_template_2",
        "fill_text_template_3",
    ]
    assert [node.position[0] for node in document.nodes] == [0, 320, 640]
