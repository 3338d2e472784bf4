"""Pin paths (F9, F10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.graph.pins import MISS, BadPinPath, Path, assemble, parse_sink, parse_source, pin_base, select
from pilothouse.kit.json import Json

KEYS = st.text(alphabet="abc é.", min_size=1, max_size=3)
PATHS = st.lists(st.one_of(KEYS, st.integers(0, 5)), max_size=4).map(tuple)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "base", "path"),
    [
        ("out", "out", ()),
        ("response_#_title", "response", ("title",)),
        ("a_#_b_$_-1_@_c", "a", ("b", -1, "c")),
        ("my_list_$_0", "my_list", (0,)),
        ("a_#_with space_and_underscore", "a", ("with space_and_underscore",)),
    ],
)
def test_a_source_pin_is_a_name_and_a_path(text: str, base: str, path: Path):
    """engine:F9"""
    pin = parse_source(text)
    assert (pin.text, pin.base, pin.path) == (text, base, path)
    assert pin_base(text) == base


@pytest.mark.parametrize("text", ["", "_#_a", "a_$_x", "a_$_", "a_#_", "a_$_1.5", "a_$_99999999999"])
def test_a_bad_path_says_so(text: str):
    with pytest.raises(BadPinPath):
        parse_source(text)


@pytest.mark.parametrize("text", ["a_$_-1", "a_$_10000"])
def test_a_sink_index_is_not_negative_and_not_huge(text: str):
    """engine:F10"""
    with pytest.raises(BadPinPath):
        parse_sink(text)
    assert parse_sink("a_$_9999").path == (9999,)


def test_a_sink_path_puts_a_bounded_number_of_levels_around_a_value():
    """engine:F10"""
    assert len(parse_sink("a" + "_#_b" * 10).path) == 10
    assert len(parse_source("a" + "_#_b" * 11).path) == 11
    with pytest.raises(BadPinPath):
        parse_sink("a" + "_#_b" * 11)


def test_no_segment_reads_an_attribute_of_the_host():
    """engine:F9"""
    values: list[Json] = [{}, [], "text", 5, None]
    for value in values:
        assert select(value, parse_source("a_@___class__").path) is MISS


def test_null_is_found_and_absence_is_missed():
    """engine:F9"""
    assert select({"a": None}, ("a",)) is None
    assert select({"a": None}, ("b",)) is MISS
    assert select([1], (1,)) is MISS
    assert select([1], (-2,)) is MISS
    assert select({"0": 1}, (0,)) is MISS


@given(VALUES, PATHS, VALUES)
def test_what_is_assembled_is_what_is_selected(base: Json, path: Path, value: Json):
    """engine:F9, engine:F10"""
    before = repr(base)
    assert select(assemble(base, path, value), path) == value
    assert repr(base) == before


def test_gaps_are_null_and_neighbours_stay():
    """engine:F10"""
    assert assemble(None, (2, "n"), 1) == [None, None, {"n": 1}]
    assert assemble({"a": 1, "l": [0, 0]}, ("l", 1), 5) == {"a": 1, "l": [0, 5]}
    assert assemble("text", ("k",), 1) == {"k": 1}
