"""Pins and values: what fits, what is converted, what is refused (engine:F12, engine:F14)."""

from datetime import date, datetime, time
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, HttpUrl, ValidationError

from pilothouse.graph.values import NotConvertible, accepts_null, coerce, fits, problems
from pilothouse.kit.json import Json, JsonObject, dumps

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


class Inner(BaseModel):
    size: Annotated[int, Field(ge=1, le=9)]
    label: str | None = None


class Everything(BaseModel):
    text: Annotated[str, Field(min_length=2, max_length=4, pattern="^[a-z]+$")] = "ab"
    number: Annotated[float, Field(gt=0, lt=10)] = 1
    choice: Literal["a", "b"] = "a"
    pair: tuple[int, str] = (1, "a")
    inner: Inner | None = None
    inners: Annotated[list[Inner], Field(max_length=2)] = []
    sizes: dict[str, int] = {}
    day: date | None = None
    at: time | None = None
    moment: datetime | None = None
    link: HttpUrl | None = None


ROOT: JsonObject = Everything.model_json_schema()
PINS = ROOT["properties"]
assert isinstance(PINS, dict)


def schema_of(pin: str) -> JsonObject:
    assert isinstance(PINS, dict)
    schema = PINS[pin]
    assert isinstance(schema, dict)
    return schema


@pytest.mark.parametrize(
    ("pin", "value"),
    [
        ("text", "abc"),
        ("number", 9),
        ("number", 9.5),
        ("choice", "b"),
        ("pair", [1, "x"]),
        ("inner", None),
        ("inner", {"size": 3, "label": None}),
        ("inner", {"size": 3.0}),
        ("inners", [{"size": 1}]),
        ("sizes", {"a": 1}),
        ("day", "2026-02-28"),
        ("at", "10:30"),
        ("at", "10:30:00.5+02:00"),
        ("moment", "2026-02-28T10:30:00Z"),
        ("link", "https://example.com/a"),
    ],
)
def test_a_value_of_the_right_shape_fits(pin: str, value: Json):
    assert problems(value, schema_of(pin), ROOT) == []


@pytest.mark.parametrize(
    ("pin", "value", "code", "words"),
    [
        ("text", 5, "wrong_type", "expected string, got integer"),
        ("text", "a", "out_of_bounds", "at least 2 characters"),
        ("text", "abcde", "out_of_bounds", "at most 4 characters"),
        ("text", "AB", "not_allowed", "must match"),
        ("number", True, "wrong_type", "expected number, got boolean"),
        ("number", 0, "out_of_bounds", "more than 0"),
        ("number", 10, "out_of_bounds", "less than 10"),
        ("choice", "c", "not_allowed", 'must be one of "a", "b"'),
        ("pair", [1, 2], "wrong_type", "1: expected string"),
        ("pair", [1], "out_of_bounds", "at least 2 items"),
        ("inner", {"size": 10}, "out_of_bounds", "size: must be at most 9"),
        ("inner", {}, "wrong_type", "size: is missing"),
        ("inner", "text", "wrong_type", "expected object or null, got string"),
        ("inners", [{"size": 1}, {"size": "x"}], "wrong_type", "1.size: expected integer"),
        ("inners", [{"size": 1}] * 3, "out_of_bounds", "at most 2 items"),
        ("sizes", {"a": 1.5}, "wrong_type", "a: expected integer"),
        ("day", "2026-02-30", "wrong_type", "is not a date"),
        ("day", "20260228", "wrong_type", "is not a date"),
        ("at", "25:00", "wrong_type", "is not a time"),
        ("moment", "yesterday", "wrong_type", "is not a date-time"),
        ("link", "not a link", "wrong_type", "is not a uri"),
    ],
)
def test_a_misfit_says_what_and_where(pin: str, value: Json, code: str, words: str):
    (problem,) = problems(value, schema_of(pin), ROOT)
    assert problem.code == code
    assert words in problem.message


def test_a_closed_object_names_the_field_it_does_not_know():
    closed: JsonObject = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    assert [p.message for p in problems({"a": 1, "b": 2}, closed, {})] == ["b: is not a known field"]


def test_null_is_accepted_only_where_the_type_says_so():
    assert accepts_null(schema_of("inner"), ROOT)
    assert accepts_null({}, {})
    assert not accepts_null(schema_of("text"), ROOT)


def test_a_reference_to_itself_ends():
    loop: JsonObject = {"$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert fits(1, {"$ref": "#/$defs/a"}, loop)


def test_recursive_types_are_followed_as_deep_as_the_value_goes():
    root: JsonObject = {"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert fits([[], [[]]], {"$ref": "#/$defs/tree"}, root)
    assert not fits([[], [[1]]], {"$ref": "#/$defs/tree"}, root)


TEXT: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "number"}
WHOLE: JsonObject = {"type": "integer"}
BOOL: JsonObject = {"type": "boolean"}
LIST: JsonObject = {"type": "array"}
OBJECT: JsonObject = {"type": "object"}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        (5, TEXT, "5"),
        (True, TEXT, "true"),
        ({"a": [1]}, TEXT, '{"a":[1]}'),
        (" 12 ", NUMBER, 12),
        ("1.5e3", NUMBER, 1500.0),
        ([1, 2], NUMBER, 2),
        ({"a": 1}, NUMBER, 1),
        (True, NUMBER, 1),
        ("7.0", WHOLE, 7),
        ("YES", BOOL, True),
        ("off", BOOL, False),
        ("", BOOL, False),
        (0, BOOL, False),
        (-0.5, BOOL, True),
        ("[1, 2]", LIST, [1, 2]),
        ({"a": 1}, LIST, [["a", 1]]),
        ("a", LIST, ["a"]),
        ('{"a": 1}', OBJECT, {"a": 1}),
        (["x", "y"], OBJECT, {"0": "x", "1": "y"}),
        ("a", OBJECT, {"value": "a"}),
        (5, OBJECT, {"value": 5}),
        ("[1", LIST, ["[1"]),
        ('["1", true]', {"type": "array", "items": WHOLE}, [1, 1]),
        ({"a": "1"}, {"type": "object", "additionalProperties": WHOLE}, {"a": 1}),
        ("5", {"anyOf": [BOOL, WHOLE]}, 5),
        ("yes", {"anyOf": [WHOLE, BOOL]}, True),
        ("5", {"anyOf": [WHOLE, TEXT]}, "5"),
        (5, {"anyOf": [{"type": "null"}, TEXT]}, "5"),
        ("2", {"enum": [1, 2]}, 2),
    ],
)
def test_values_convert_by_the_table(value: Json, schema: JsonObject, expected: Json):
    made = coerce(value, schema, {})
    assert made == expected
    assert type(made) is type(expected)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("abc", NUMBER),
        ("", NUMBER),
        ("nan", NUMBER),
        ("1_000", NUMBER),
        ("1.5", WHOLE),
        (1.5, WHOLE),
        ("9" * 30, WHOLE),
        ("1e300", WHOLE),
        ("1e999", NUMBER),
        ("maybe", BOOL),
        ([], BOOL),
        (None, TEXT),
        (None, LIST),
        (["x"], {"type": "array", "items": WHOLE}),
        ("c", {"enum": ["a", "b"]}),
        (11, {"type": "integer", "maximum": 10}),
        ("2026-13-01", {"type": "string", "format": "date"}),
    ],
)
def test_what_does_not_convert_is_refused_and_never_becomes_a_silent_zero(value: Json, schema: JsonObject):
    with pytest.raises(NotConvertible, match=r"\w"):
        coerce(value, schema, {})


@given(json_values, st.sampled_from([TEXT, NUMBER, WHOLE, BOOL, LIST, OBJECT]))
def test_a_converted_value_always_fits(value: Json, schema: JsonObject):
    try:
        made = coerce(value, schema, {})
    except NotConvertible:
        return
    assert fits(made, schema, {})


@given(json_values)
def test_a_value_that_fits_is_left_alone(value: Json):
    assert coerce(value, {}, {}) is value
    assert coerce(value, {"anyOf": [TEXT, {}]}, {}) is value


@given(st.fixed_dictionaries({}, optional={name: json_values for name in ("text", "number", "inner", "sizes", "pair")}))
def test_what_we_say_fits_pydantic_takes(value: JsonObject):
    if fits(value, ROOT, ROOT):
        Everything.model_validate_json(dumps(value))


@given(st.fixed_dictionaries({"inner": st.fixed_dictionaries({"size": st.integers(-3, 12)})}))
def test_bounds_agree_with_pydantic(value: JsonObject):
    try:
        Everything.model_validate(value)
    except ValidationError:
        assert not fits(value, ROOT, ROOT)
    else:
        assert fits(value, ROOT, ROOT)
