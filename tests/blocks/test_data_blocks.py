"""Lists, objects and values: what holds for any of them."""

from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilothouse.blocks.contract import BlockFailed, Category
from pilothouse.blocks.equality import distinct, identity, same
from pilothouse.blocks.lists import chunks, tokens_in
from pilothouse.blocks.rehearsal import PreparedHttp, Rehearsal
from pilothouse.graph.catalogue import Effects
from pilothouse.graph.fields import properties
from pilothouse.graph.json_schema import as_list, resolve, types_of
from pilothouse.graph.values import NotConvertible, coerce
from pilothouse.kit.json import Json, JsonObject
from tests.blocks.playing import REGISTRY, error_of, run

DATA = [
    spec for spec in REGISTRY.values() if {Category.DATA, Category.LOGIC} & set(spec.categories) and not spec.plugin
]
PURE = [spec for spec in DATA if spec.effects is Effects.NONE]

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.sampled_from(["", "a", "1", "[1]"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab1"), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.parametrize("spec", PURE, ids=[spec.name for spec in PURE])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
async def test_data_blocks_never_change_what_they_were_given(spec: object, data: st.DataObject):
    """Whatever comes in, whether it fits or not."""
    block = next(one for one in PURE if one is spec)
    inputs: JsonObject = {}
    for pin, schema in properties(block.inputs).items():
        choices = as_list(resolve(schema, block.inputs).get("enum"))
        likely = st.lists(values, max_size=4) if types_of(schema) == ["array"] else values
        inputs[pin] = data.draw(st.sampled_from(choices) if choices else likely, label=pin)
    inputs.pop("accumulate", None)
    before = deepcopy(inputs)
    with suppress(BlockFailed):  # most of it does not fit
        await REGISTRY.runnable(block.id).call(inputs, Rehearsal(http=PreparedHttp()))
    assert repr(inputs) == repr(before)


def test_that_covers_the_data_blocks():
    assert {"Add to list", "Zip lists", "Add to dictionary", "Sort list", "Data sampling"} <= {b.name for b in PURE}
    assert len(PURE) >= 35


@given(values, values)
@settings(max_examples=100, deadline=None)
def test_sameness_is_that_of_json(left: Json, right: Json):
    assert same(left, deepcopy(left))
    assert same(left, right) == same(right, left)
    if same(left, right):
        assert left == right  # and never the other way round: true is not 1
    assert hash(identity(left)) == hash(identity(deepcopy(left)))


def test_true_is_not_one_and_one_is_one_point_zero():
    assert distinct([1, True, 1.0, [1], [True], {"a": 0}, {"a": False}]) == [
        1,
        True,
        [1],
        [True],
        {"a": 0},
        {"a": False},
    ]


@given(st.lists(values, max_size=12), st.integers(1, 5) | st.none(), st.integers(1, 8) | st.none())
@settings(max_examples=50, deadline=None)
def test_chunks_are_the_list_in_pieces_within_both_limits(items: list[Json], size: int | None, tokens: int | None):
    parts = list(chunks(items, size, tokens))
    assert [item for part in parts for item in part] == items
    assert all(part for part in parts)
    for part in parts:
        assert size is None or len(part) <= size
        assert tokens is None or len(part) == 1 or sum(map(tokens_in, part)) <= tokens


@pytest.mark.parametrize("wanted", ["string", "number", "boolean", "list", "dictionary"])
@given(values)
@settings(max_examples=40, deadline=None)
async def test_the_converter_obeys_the_table_of_pins(wanted: str, value: Json):
    """F14: one table for pins and for the block."""
    kind = {"list": "array", "dictionary": "object"}.get(wanted, wanted)
    try:
        expected: list[tuple[str, Json]] = [("value", coerce(value, {"type": kind}, {}))]
    except NotConvertible:
        assert (await error_of("Universal type converter", value=value, type=wanted)).startswith("cannot be made")
        return
    assert await run("Universal type converter", value=value, type=wanted) == expected


async def test_a_position_past_the_end_is_the_end():
    assert await run("Add to list", list=[1], entry=2, position=9) == [("updated_list", [1, 2])]
    assert await run("Add to list", list=[1, 2], entries=[8, 9], entry=None, position=1) == [
        ("updated_list", [1, 8, 9, 2])
    ]


async def test_lists_that_come_as_text_or_as_one_value_are_made_lists():
    assert await run("Get list item", list='["a", "b"]', index=1) == [("item", "b")]
    assert await run("List is empty", list="a") == [("is_empty", False)]


@pytest.mark.parametrize("name", ["Concatenate lists", "Interleave lists", "Zip lists"])
@pytest.mark.parametrize("other", [5, "a", {"a": 1}, True])
async def test_what_is_no_list_is_an_error_and_null_is_left_out(name: str, other: Json):
    assert await error_of(name, lists=[[1], None, other]) == "item 2 is no list"
    assert (await run(name, lists=[None, [1]]))[1] == ("length", 1)


async def test_a_number_as_key_finds_the_text_of_it():
    assert await run("Find in dictionary", input={"7": "x"}, key=7) == [("output", "x")]
    assert await run("Find in dictionary", input='[{"a": 1}]', key=0) == [("output", {"a": 1})]
    assert await run("Find in dictionary", input=5, key="a") == [("missing", 5)]
    assert await run("Find in dictionary", input=[1, 2], key="a") == [("missing", [1, 2])]


async def test_nothing_is_removed_where_null_was_not():
    assert await run("Remove from list", list=[1, None], value=None) == [("updated_list", [1])]
    assert await error_of("Remove from list", list=[1]) == "the list does not hold that value"


@pytest.mark.parametrize(
    ("operator", "value", "kept"),
    [
        ("==", "1", [1, "1", 1.0]),
        ("!=", 1, [True, "b", None, [1]]),
        (">=", 1, [1, "1", 1.0]),
        ("contains", 1, ["1", [1]]),
        ("starts_with", "b", ["b"]),
        ("ends_with", "1", [1, "1"]),
        ("is_empty", None, [None]),
    ],
)
async def test_filters(operator: str, value: Json, kept: list[Json]):
    items: list[Json] = [1, True, "1", "b", None, [1], 1.0]
    (_, found), (_, dropped) = await run("Filter list", list=items, operator=operator, value=value)
    assert repr(found) == repr(kept)
    assert isinstance(dropped, list)
    assert len(kept) + len(dropped) == len(items)


async def test_sorting_is_stable_both_ways():
    rows: list[Json] = [{"n": 2, "i": 0}, {"n": 1, "i": 1}, {"n": "2", "i": 2}, {"n": 1.0, "i": 3}]
    ((_, up),) = await run("Sort list", list=rows, key="n")
    ((_, down),) = await run("Sort list", list=rows, key="n", descending=True)
    assert up == [rows[1], rows[3], rows[0], rows[2]]
    assert down == [rows[0], rows[2], rows[1], rows[3]]


async def test_many_items_are_quick():
    """Looking values up must not cost the square of their number."""
    many: list[Json] = [{"n": number} for number in range(20_000)]
    ((_, left), _) = await run("List difference", list_a=many, list_b=many)
    assert left == []
    ((_, once), _) = await run("Concatenate lists", lists=[many, many], deduplicate=True)
    assert once == many
