"""What the builder must do as the server does, as a file that its own tests read: `python -m tests.graph.web_cases`."""

import random
from pathlib import Path
from typing import Final

from pilothouse.graph.document import Document, to_json
from pilothouse.graph.operations import OperationFailed, apply_operations
from pilothouse.graph.parse import parse
from pilothouse.graph.report import ADVICE, STRUCTURE
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, JsonObject, pretty
from tests.graph.blocks import CATALOGUE, FETCH, NOTE, OUT
from tests.graph.test_conversion_table import ROWS, TYPES

FILE: Final = Path(__file__).with_suffix(".json")
EDITS: Final = 40
_NAMES: Final = {"text": "string", "whole": "integer", "bool": "boolean", "list": "array"}
_SAMPLES: Final[dict[str, type]] = {
    "string": str,
    "number": float,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


def cases() -> str:
    """The whole file."""
    chance = random.Random(20)
    edits: list[Json] = [_edit(chance) for _ in range(EDITS)]
    blocking: list[Json] = [*sorted(STRUCTURE)]
    advice: list[Json] = [*sorted(ADVICE)]
    body: JsonObject = {"edits": edits, "conversions": _conversions(), "save_codes": blocking, "advice_codes": advice}
    return pretty(body) + "\n"


def _edit(chance: random.Random) -> JsonObject:
    start = parse(
        {
            "name": "Start",
            "nodes": [
                {"id": "a", "block": FETCH, "inputs": {"url": "https://a.example"}, "position": [10, 20]},
                {"id": "b", "block": OUT, "name": "Say", "policy": {"timeout_s": 5}},
            ],
            "links": [{"from": "a", "out": "text", "to": "b", "in": "value"}],
        }
    )
    doc, operations = start, list[JsonObject]()
    refused: Json = None
    while len(operations) < 8 and refused is None:
        operation = _operation(chance, doc)
        try:
            doc = apply_operations(doc, [operation], CATALOGUE).document
        except OperationFailed as failed:
            answers = failed.facts["ops"]
            assert isinstance(answers, list)
            assert isinstance(answers[0], dict)
            refused = answers[0]["code"]
        operations.append(operation)
    return {"start": to_json(start), "ops": [*operations], "end": to_json(doc), "refused": refused}


def _operation(chance: random.Random, doc: Document) -> JsonObject:
    nodes = [node.id for node in doc.nodes] or ["none"]
    node, other = chance.choice(nodes), chance.choice(nodes)
    links = [{"from": one.source, "out": one.out, "to": one.target, "in": one.sink} for one in doc.links]
    link = chance.choice(links) if links else {"from": "x", "out": "text", "to": "x", "in": "url"}
    ways: list[JsonObject] = [
        {"op": "add_node", "id": f"n{chance.randrange(99)}", "block": FETCH, "inputs": {"limit": 3}},
        {"op": "add_node", "id": f"m{chance.randrange(99)}", "block": NOTE, "position": [chance.randrange(99), 5]},
        {"op": "remove_node", "node": node},
        {"op": "rename_node", "node": node, "name": chance.choice(["", "Called", "Örtlich"])},
        {"op": "move_node", "node": node, "position": [chance.randrange(-9, 9), 0]},
        {"op": "update_node", "node": node, "patch": {"policy": {"on_error": "fail", "timeout_s": None}}},
        {"op": "set_input", "node": node, "field": ["odd"], "value": [1, {"b": 2}], "keep_unknown": True},
        {"op": "set_input", "node": node, "field": ["odd"], "value": None, "keep_unknown": True},
        {"op": "unset_input", "node": node, "field": ["odd"]},
        {"op": "connect", "from": node, "out": "error", "to": other, "in": "value", "static": True},
        {"op": "connect", "from": "a", "out": "links_$_0", "to": node, "in": "headers_#_x"},
        {"op": "disconnect", **link},
        {
            "op": chance.choice(["set_name", "set_description", "set_instructions"]),
            "value": chance.choice(["", "Text"]),
        },
    ]
    made = chance.choice(ways)
    # What a pin is called only the server knows; the builder offers none that is not there.
    known = made["op"] != "connect" or _has_pins(doc, made)
    return made if known else _operation(chance, doc)


def _has_pins(doc: Document, operation: JsonObject) -> bool:
    blocks = {node.id: node.block for node in doc.nodes}
    takes = {"value": OUT, "headers_#_x": FETCH}[str(operation["in"])]
    return blocks.get(str(operation["to"])) == takes and blocks.get(str(operation["from"])) == FETCH


def _conversions() -> JsonObject:
    """From each type to each: whether all, some or none of the sample values can be used."""
    return {source: {_NAMES.get(to, to): _share(source, TYPES[to]) for to in TYPES} for source in _SAMPLES}


def _share(source: str, schema: JsonObject) -> str:
    found = {_converts(row[0], schema) for row in ROWS if type(row[0]) is _SAMPLES[source]}
    return "some" if len(found) == 2 else "all" if found == {True} else "none"


def _converts(value: Json, schema: JsonObject) -> bool:
    try:
        coerce(value, schema, {})
    except NotConvertible:
        return False
    return True


if __name__ == "__main__":
    FILE.write_text(cases())
