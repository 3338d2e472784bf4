"""How values flow: the rules F1 to F12 of the engine's spec, one by one."""

import pytest

from pilothouse.graph.document import Link, Policy
from pilothouse.kit.json import Json
from tests.engine.toys import graph, link, node, play, shelf


async def test_a_chain_hands_values_on_and_ends_completed():
    """engine:F1, engine:A6"""
    doc = graph(
        [node("in", "input", name="x"), node("a", "echo"), node("out", "output", name="y")],
        "in.result -> a.value",
        "a.out -> out.value",
    )
    played = await play(doc, shelf(), {"x": 42})
    assert played.status == "completed"
    assert played.run.outputs == {"y": [42]}


async def test_input_nodes_and_nodes_without_links_start_and_notes_do_not():
    """engine:F2, engine:A7"""
    doc = graph([node("in", "input", name="x"), node("alone", "echo", value=1), node("memo", "note", text="hi")])
    played = await play(doc, shelf(), {"x": 1})
    assert [len(played.started(name)) for name in ("in", "alone", "memo")] == [1, 1, 0]
    assert played.run.not_reached() == []


async def test_an_input_without_value_or_default_fires_nothing():
    """engine:F2"""
    doc = graph([node("in", "input", name="x"), node("a", "echo")], "in.result -> a.value")
    assert (await play(doc, shelf())).fired("a") == []
    with_default = graph([node("in", "input", name="x", value=5), node("a", "echo")], "in.result -> a.value")
    assert (await play(with_default, shelf())).fired("a") == [5]
    assert (await play(with_default, shelf(), {"x": 6})).fired("a") == [6]


async def test_two_inputs_of_one_name_both_get_the_value():
    """engine:A5"""
    doc = graph([node("one", "input", name="x"), node("two", "input", name="x")])
    played = await play(doc, shelf(), {"x": 7})
    assert played.fired("one", "result") == played.fired("two", "result") == [7]


async def test_a_trigger_starts_only_with_a_payload():
    """engine:F2"""
    doc = graph([node("hook", "hook"), node("a", "echo")], "hook.payload -> a.value")
    assert (await play(doc, shelf())).run.not_reached() == ["hook", "a"]
    assert (await play(doc, shelf(), payload={"n": 1})).fired("a") == [{"n": 1}]


async def test_a_delivery_fills_the_oldest_open_step_that_lacks_it():
    """engine:F3, engine:F16"""
    doc = graph(
        [node("three", "items", items=[1, 2, 3]), node("two", "items", items=["x", "y"]), node("pair", "pair")],
        "three.item -> pair.a",
        "two.item -> pair.b",
    )
    played = await play(doc, shelf())
    assert played.fired("pair") == [[1, "x"], [2, "y"]]
    assert played.run.leftovers == [{"step_id": 5, "node_id": "pair", "filled": ["a"], "missing": ["b"]}]
    assert played.status == "completed"


async def test_several_links_into_one_pin_merge():
    """engine:F3"""
    doc = graph(
        [node("x", "echo", value="x"), node("y", "echo", value="y"), node("m", "echo")],
        "x.out -> m.value",
        "y.out -> m.value",
    )
    assert sorted(map(str, (await play(doc, shelf())).fired("m"))) == ["x", "y"]


async def test_two_paths_into_one_field_are_two_pins_and_assemble():
    """engine:F3, engine:F10"""
    doc = graph(
        [node("x", "echo", value=1), node("y", "echo", value=2), node("c", "collect", values={"kept": True, "b": 0})],
        "x.out -> c.values_#_a",
        "y.out -> c.values_#_b",
    )
    assert (await play(doc, shelf())).fired("c") == [{"values": {"kept": True, "b": 2, "a": 1}}]


async def test_literals_do_not_fill_a_linked_pin():
    """engine:F4"""
    doc = graph(
        [node("never", "items", items=[]), node("x", "echo", value=1), node("pair", "pair", a="literal")],
        "never.item -> pair.a",
        "x.out -> pair.b",
    )
    played = await play(doc, shelf())
    assert played.fired("pair") == []
    assert played.run.not_reached() == ["pair"]


async def test_a_delivered_value_beats_a_literal_and_a_mask_beats_both():
    """engine:F5"""
    doc = graph([node("x", "echo", value=1), node("a", "echo", value=0)], "x.out -> a.value")
    assert (await play(doc, shelf())).fired("a") == [1]

    masked = await play(doc, shelf(), masks={"a": {"value": 2}})
    assert masked.fired("a") == [2]
    assert masked.run.stats()["dropped"] == 1


async def test_a_masked_pin_counts_as_filled():
    """engine:F5"""
    doc = graph(
        [node("never", "items", items=[]), node("x", "items", items=[1, 2]), node("pair", "pair")],
        "never.item -> pair.a",
        "x.item -> pair.b",
    )
    assert (await play(doc, shelf(), masks={"pair": {"a": "m"}})).fired("pair") == [["m", 1], ["m", 2]]


async def test_a_static_value_joins_every_step_and_opens_none():
    """engine:F6, engine:A4"""
    doc = graph(
        [node("in", "input", name="x"), node("all", "items", items=[1, 2, 3]), node("pair", "pair")],
        "in.result -> pair.a",
        "all.item -> pair.b",
    )
    played = await play(doc, shelf(), {"x": "s"})
    assert played.fired("pair") == [["s", 1], ["s", 2], ["s", 3]]
    assert played.run.stats()["leftovers"] == 0


async def test_a_late_static_value_fills_the_steps_that_wait_for_it():
    """engine:F6"""
    doc = graph(
        [node("all", "items", items=[1, 2]), node("late", "slow", value="s"), node("pair", "pair")],
        link("late.out -> pair.a", static=True),
        "all.item -> pair.b",
    )
    assert (await play(doc, shelf())).fired("pair") == [["s", 1], ["s", 2]]


async def test_static_pins_alone_run_the_node_at_each_arrival_once_all_are_there():
    """engine:F6"""
    doc = graph(
        [node("in", "input", name="x"), node("all", "items", items=[1, 2]), node("pair", "pair")],
        "in.result -> pair.a",
        link("all.item -> pair.b", static=True),
    )
    assert (await play(doc, shelf(), {"x": "s"})).fired("pair") == [["s", 1], ["s", 2]]


async def test_a_pin_with_one_plain_link_is_not_static():
    """engine:F6"""
    doc = graph(
        [node("in", "input", name="x"), node("y", "echo", value="y"), node("m", "echo")],
        "in.result -> m.value",
        "y.out -> m.value",
    )
    played = await play(doc, shelf(), {"x": "x"})
    assert sorted(map(str, played.fired("m"))) == ["x", "y"]


async def test_a_value_over_a_static_link_into_a_plain_pin_is_an_ordinary_delivery():
    """engine:F6: it is used up by one step"""
    doc = graph(
        [
            node("in", "input", name="x"),
            node("more", "items", items=["m"]),
            node("all", "items", items=[1, 2, 3]),
            node("pair", "pair"),
        ],
        *("in.result -> pair.a", "more.item -> pair.a", "all.item -> pair.b"),
    )
    played = await play(doc, shelf(), {"x": "s"})
    assert played.fired("pair") == [["s", 1], ["m", 2]]
    assert len(played.left_over("pair")) == 1


def _two_branches(slow: Policy | None = None):
    return graph(
        [
            node("all", "items", items=list(range(40))),
            node("fast", "echo"),
            node("slow", "slow", slow),
            node("pair", "pair"),
            node("out", "output", name="pairs"),
        ],
        "all.item -> fast.value",
        "all.item -> slow.value",
        "fast.out -> pair.a",
        "slow.out -> pair.b",
        "pair.out -> out.value",
    )


async def test_fan_out_through_branches_of_any_speed_pairs_item_with_item():
    """engine:F7"""
    played = await play(_two_branches(), shelf())
    assert played.run.outputs["pairs"] == [[i, i] for i in range(40)]


async def test_an_unordered_node_lets_fast_steps_overtake():
    """engine:F7"""
    played = await play(_two_branches(Policy(ordered=False)), shelf())
    pairs = played.run.outputs["pairs"]
    assert sorted(map(str, pairs)) != sorted(str([i, i]) for i in range(40))
    assert len(pairs) == 40


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ("out_#_title", ["T"]),
        ("out_@_title", ["T"]),
        ("out_#_tags_$_0", ["a"]),
        ("out_#_tags_$_-1", ["b"]),
        ("out_#_nothing", [None]),
    ],
)
async def test_a_path_on_a_source_pin_selects(out: str, expected: list[object]):
    """engine:F9"""
    value: Json = {"title": "T", "tags": ["a", "b"], "nothing": None}
    doc = graph([node("x", "echo", value=value), node("a", "echo")], Link("x", out, "a", "value"))
    assert (await play(doc, shelf())).fired("a") == expected


@pytest.mark.parametrize("out", ["out_#_none", "out_$_0", "out_@___class__", "out_#_tags_$_2", "out_#_title_$_0"])
async def test_a_path_that_leads_nowhere_delivers_nothing_and_warns(out: str):
    """engine:F9"""
    value: Json = {"title": "T", "tags": ["a", "b"]}
    doc = graph([node("x", "echo", value=value), node("a", "echo")], Link("x", out, "a", "value"))
    played = await play(doc, shelf())
    assert played.fired("a") == []
    assert played.run.stats()["selector_misses"] == 1
    assert [entry[2:] for entry in played.log if entry[0] == "n"] == [[1, 0, "selector_miss", 0]]


async def test_a_list_is_assembled_with_gaps_as_null():
    """engine:F10"""
    doc = graph(
        [node("x", "echo", value="x"), node("y", "echo", value="y"), node("c", "collect")],
        "x.out -> c.values_$_0",
        "y.out -> c.values_$_2_@_name",
    )
    assert (await play(doc, shelf())).fired("c") == [{"values": ["x", None, {"name": "y"}]}]


async def test_a_null_fills_its_pin_and_is_then_removed_when_the_type_has_none():
    """engine:F12"""
    doc = graph(
        [node("x", "echo", value=None), node("c", "collect", text="literal")], "x.out -> c.text", "x.out -> c.values"
    )
    assert (await play(doc, shelf())).fired("c") == [{"values": None}]


async def test_a_cycle_runs_until_nothing_comes_round_again():
    """engine:F18"""
    doc = graph(
        [node("x", "echo", value={"n": {"n": {"n": 0}}}), node("loop", "echo")],
        "x.out -> loop.value",
        "loop.out_#_n -> loop.value",
    )
    played = await play(doc, shelf())
    assert len(played.fired("loop")) == 4
    assert played.run.stats()["selector_misses"] == 1
