"""F14: every cell of the table of conversions, from each kind of value to each type, and what is refused."""

from typing import Final

import pytest

from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, JsonObject, dumps


class Refused:
    """Stands in the table where the step fails."""

    def __repr__(self) -> str:
        return "refused"


NO: Final = Refused()
Cell = Json | Refused

TYPES: dict[str, JsonObject] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list": {"type": "array"},
    "object": {"type": "object"},
    "null": {"type": "null"},
    "any": {},
}

# A row per kind of value: the value, then what becomes of it as text, number, whole number, bool, list, object, null.
# What fits is left as it is; a null converts to nothing (F12 decides about it before).
ROWS: list[tuple[Json, Cell, Cell, Cell, Cell, Cell, Cell, Cell]] = [
    (None, NO, NO, NO, NO, NO, NO, None),
    (True, "true", 1, 1, True, [True], {"value": True}, NO),
    (False, "false", 0, 0, False, [False], {"value": False}, NO),
    (0, "0", 0, 0, False, [0], {"value": 0}, NO),
    (5, "5", 5, 5, True, [5], {"value": 5}, NO),
    (-5, "-5", -5, -5, True, [-5], {"value": -5}, NO),
    (0.0, "0.0", 0.0, 0.0, False, [0.0], {"value": 0.0}, NO),
    (3.0, "3.0", 3.0, 3.0, True, [3.0], {"value": 3.0}, NO),
    (2.5, "2.5", 2.5, NO, True, [2.5], {"value": 2.5}, NO),
    ("", "", NO, NO, False, [""], {"value": ""}, NO),
    ("word", "word", NO, NO, NO, ["word"], {"value": "word"}, NO),
    ("12", "12", 12, 12, NO, ["12"], {"value": "12"}, NO),
    (" 12 ", " 12 ", 12, 12, NO, [" 12 "], {"value": " 12 "}, NO),
    ("-12", "-12", -12, -12, NO, ["-12"], {"value": "-12"}, NO),
    ("2.5", "2.5", 2.5, NO, NO, ["2.5"], {"value": "2.5"}, NO),
    ("3.0", "3.0", 3.0, 3, NO, ["3.0"], {"value": "3.0"}, NO),
    ("1e3", "1e3", 1000.0, 1000, NO, ["1e3"], {"value": "1e3"}, NO),
    ("1", "1", 1, 1, True, ["1"], {"value": "1"}, NO),
    ("0", "0", 0, 0, False, ["0"], {"value": "0"}, NO),
    ("null", "null", NO, NO, NO, ["null"], {"value": "null"}, NO),
    ("[1, 2]", "[1, 2]", NO, NO, NO, [1, 2], {"value": "[1, 2]"}, NO),
    ('{"a": 1}', '{"a": 1}', NO, NO, NO, ['{"a": 1}'], {"a": 1}, NO),
    ("[1", "[1", NO, NO, NO, ["[1"], {"value": "[1"}, NO),
    ([], "[]", 0, 0, NO, [], {}, NO),
    ([0, "b"], '[0,"b"]', 2, 2, NO, [0, "b"], {"0": 0, "1": "b"}, NO),
    ({}, "{}", 0, 0, NO, [], {}, NO),
    ({"a": 1, "b": [2]}, '{"a":1,"b":[2]}', 2, 2, NO, [["a", 1], ["b", [2]]], {"a": 1, "b": [2]}, NO),
]
CELLS = [
    pytest.param(row[0], to, cell, id=f"{dumps(row[0])} to {to}")
    for row in ROWS
    for to, cell in zip(TYPES, (*row[1:], row[0]), strict=True)
]


def check(value: Json, schema: JsonObject, cell: Cell) -> None:
    if isinstance(cell, Refused):
        with pytest.raises(NotConvertible, match=r"\w"):
            coerce(value, schema, {})
        return
    made = coerce(value, schema, {})
    assert dumps(made) == dumps(cell)  # as text: 1, 1.0 and true are three values


@pytest.mark.parametrize(("value", "to", "cell"), CELLS)
def test_every_cell_of_the_table(value: Json, to: str, cell: Cell):
    """F14: one value, one type, one answer"""
    check(value, TYPES[to], cell)


@pytest.mark.parametrize("word", ["true", "1", "yes", "on"])
def test_words_that_mean_true(word: str):
    """F14: in any case"""
    for said in (word, word.upper(), word.title(), f" {word} "):
        assert coerce(said, TYPES["bool"], {}) is True


@pytest.mark.parametrize("word", ["false", "0", "no", "off", ""])
def test_words_that_mean_false(word: str):
    """F14: in any case"""
    for said in (word, word.upper(), word.title(), f" {word} "):
        assert coerce(said, TYPES["bool"], {}) is False


def list_of(name: str) -> JsonObject:
    return {"type": "array", "items": TYPES[name]}


def object_of(name: str) -> JsonObject:
    return {"type": "object", "additionalProperties": TYPES[name]}


@pytest.mark.parametrize(
    ("value", "schema", "cell"),
    [
        (["1", True, [7, 8]], list_of("whole"), [1, 1, 2]),
        (["1", "x"], list_of("whole"), NO),
        ([None], list_of("text"), NO),
        ("12", list_of("whole"), [12]),
        ("word", list_of("whole"), NO),
        ('["1"]', list_of("whole"), [1]),
        ({"a": 1}, list_of("text"), ['["a",1]']),
        ({"a": 1}, list_of("list"), [["a", 1]]),
        ({"a": "1", "b": 2}, object_of("whole"), {"a": 1, "b": 2}),
        ({"a": "x"}, object_of("whole"), NO),
        (["yes", 0], object_of("bool"), {"0": True, "1": False}),
        ("12", object_of("whole"), {"value": 12}),
        ('{"a": "12"}', object_of("whole"), {"a": 12}),
        ([["1"], 2], {"type": "array", "items": list_of("whole")}, [[1], [2]]),
        (["1", 2], {"type": "array", "prefixItems": [TYPES["whole"], TYPES["text"]]}, [1, "2"]),
    ],
)
def test_typed_elements_convert_likewise(value: Json, schema: JsonObject, cell: Cell):
    """F14: inside lists and objects the same table holds; one element that does not convert refuses the whole"""
    check(value, schema, cell)


def one_of(*names: str) -> JsonObject:
    return {"anyOf": [TYPES[name] for name in names]}


@pytest.mark.parametrize(
    ("value", "schema", "cell"),
    [
        ("5", one_of("whole", "text"), "5"),
        (5, one_of("text", "whole"), 5),
        (2.5, one_of("whole", "text"), "2.5"),
        (True, one_of("whole", "text"), 1),
        (True, one_of("text", "whole"), "true"),
        ("yes", one_of("whole", "bool"), True),
        ("1", one_of("bool", "whole"), True),
        ("1", one_of("whole", "bool"), 1),
        ("word", one_of("whole", "bool"), NO),
        (None, one_of("whole", "null"), None),
        (None, one_of("whole", "text"), NO),
        (5, one_of("null", "text"), "5"),
        ("word", one_of("null", "whole"), NO),
        ([1], one_of("bool", "whole"), 1),
        (["1"], {"anyOf": [list_of("whole"), TYPES["text"]]}, [1]),
        (["x"], {"anyOf": [list_of("whole"), TYPES["text"]]}, '["x"]'),
    ],
)
def test_a_union_takes_the_member_that_fits_else_the_first_that_converts(value: Json, schema: JsonObject, cell: Cell):
    """F14: in the order the type names them"""
    check(value, schema, cell)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("12", {"type": "integer", "maximum": 10}),
        (5, {"type": "string", "minLength": 2}),
        ("word", {"enum": [1, 2]}),
        ({"a": 1}, {"type": "object", "required": ["b"]}),
        ([1], {"type": "object", "properties": {}, "additionalProperties": False}),
        ("9" * 30, TYPES["whole"]),
        ("1e999", TYPES["number"]),
        ("1_000", TYPES["number"]),
        ("0x10", TYPES["whole"]),
        ("nan", TYPES["number"]),
        ("٣", TYPES["number"]),
    ],
)
def test_what_converts_into_something_not_allowed_is_refused(value: Json, schema: JsonObject):
    """F14: no value is bent to fit its bounds"""
    check(value, schema, NO)
