"""Arithmetic, branches and samples at their edges."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.blocks.rehearsal import Rehearsal
from pilothouse.blocks.sampling_methods import METHODS
from pilothouse.kit.json import Json
from tests.blocks.playing import error_of, run

numbers = st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9)


@given(st.sampled_from(["Add", "Subtract", "Multiply", "Divide", "Power", "Modulo"]), numbers, numbers, st.booleans())
@settings(max_examples=200, deadline=None)
async def test_the_calculator_gives_a_number_or_an_error(operation: str, a: float, b: float, whole: bool):
    ((pin, value),) = await run("Calculator", operation=operation, a=a, b=b, round_result=whole)
    if pin == "result":
        assert isinstance(value, int | float)
        assert abs(value) <= 2**63 or isinstance(value, float)
        assert not whole or isinstance(value, int)
    else:
        assert value in ("division by zero", "the result is too large", "the result is no real number")


@pytest.mark.parametrize(
    ("operation", "a", "b", "said"),
    [
        ("Divide", 1, 0.0, "division by zero"),
        ("Modulo", 1, 0, "division by zero"),
        ("Power", 0, -1, "division by zero"),
        ("Power", 9, 10**15, "the result is too large"),
        ("Multiply", 2**62, 4, "the result is too large"),
        ("Add", 1.7e308, 1.7e308, "the result is too large"),
    ],
)
async def test_what_has_no_result_is_an_error(operation: str, a: float, b: float, said: str):
    assert await error_of("Calculator", operation=operation, a=a, b=b) == said


@pytest.mark.parametrize(("a", "result"), [(2.5, 3), (-2.5, -3), (0.49999999999999994, 0), (3, 3)])
async def test_a_half_is_rounded_away_from_zero(a: float, result: int):
    assert await run("Calculator", operation="Add", a=a, b=0, round_result=True) == [("result", result)]


@pytest.mark.parametrize(
    ("given_", "value", "matches"),
    [
        ("1", 1, True),
        (1, "1.0", True),
        (1.5, "1.5", True),
        (False, 0, True),
        (True, "no", False),
        ({"a": 1}, '{"a": 1}', True),
        ([1], 1, True),
        (None, None, True),
        ("x", None, False),
        ("", "", True),
    ],
)
async def test_a_value_is_compared_as_the_type_of_the_input(given_: Json, value: Json, matches: bool):
    fired = await run("If input matches", input=given_, value=value, yes_value="y", no_value="n")
    assert fired == [("result", matches), ("yes_output", "y") if matches else ("no_output", "n")]


ROWS: list[Json] = [{"g": "abc"[n % 3], "w": n % 4, "n": n} for n in range(30)]


@pytest.mark.parametrize("method", list(METHODS))
@given(st.integers(0, 30), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_a_sample_is_that_many_different_items(method: str, size: int, seed: int):
    key = {"stratified": "g", "cluster": "g", "weighted": "w"}.get(method, "")
    indices = METHODS[method](ROWS, size, Random(seed), key)
    assert len(set(indices)) == len(indices) <= size
    assert all(0 <= index < len(ROWS) for index in indices)
    assert indices == METHODS[method](ROWS, size, Random(seed), key)
    if method == "weighted":
        assert all(index % 4 for index in indices)  # what weighs nothing is never chosen
    else:
        assert len(indices) == size


def test_a_stratified_sample_keeps_the_shares():
    rows: list[Json] = [{"g": "rare" if index < 10 else "common"} for index in range(40)]
    chosen = METHODS["stratified"](rows, 8, Random(1), "g")
    assert Counter("rare" if index < 10 else "common" for index in chosen) == {"rare": 2, "common": 6}


def test_a_systematic_sample_is_evenly_spaced():
    chosen = METHODS["systematic"](ROWS, 5, Random(3), "")
    assert {later - sooner for sooner, later in pairwise(chosen)} == {6}


def test_a_cluster_sample_takes_whole_groups():
    chosen = METHODS["cluster"](ROWS, 20, Random(2), "g")
    assert sorted(Counter(index % 3 for index in chosen).values()) == [10, 10]


async def test_more_than_there_is_gives_all_there_is():
    ((_, data), (_, indices)) = await run("Data sampling", data=[[1], [2]], sample_size=10, random_seed=3)
    assert data in ([[1], [2]], [[2], [1]])
    assert indices in ([0, 1], [1, 0])


async def test_bad_weights_are_errors():
    for weight in (-1, "2", None, True):
        said = await error_of("Data sampling", data=[{"w": weight}], sampling_method="weighted", weight_key="w")
        assert said == "the weight of item 0 is not a number of 0 or more"


async def test_samples_gather_on_one_stage_and_not_after_an_error():
    stage = Rehearsal()
    await run("Data sampling", stage, data=[{"g": 1}], accumulate=True)
    bare: list[Json] = [{}]
    await error_of("Data sampling", stage, data=bare, accumulate=True, sampling_method="cluster", cluster_key="g")
    ((_, data), _) = await run("Data sampling", stage, data=[{"g": 2}], accumulate=True, sampling_method="top")
    assert data == [{"g": 1}, {"g": 2}]


@pytest.mark.parametrize(("value", "text"), [(1, "1"), ("1", "1"), (True, "true"), ("true", "true")])
async def test_options_that_are_no_text_can_be_chosen_all_the_same(value: Json, text: str):
    assert await run("Agent dropdown input", name="x", value=value, options=[1, True]) == [("result", text)]
