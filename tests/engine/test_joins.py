"""Blocks that join in their own way, and values for one tool among several (F4, F11)."""

import pytest

from pilothouse.engine.run import Run
from pilothouse.graph.document import Document
from pilothouse.kit.json import Json, JsonObject, dumps
from tests.engine.toys import graph, node, play, shelf


def collected(items: list[Json], count: Json = None, *, late: bool = False, literal: Json = None) -> Document:
    """A fan-out into a collecting node; `count` comes over a link, the sooner the better unless `late`."""
    nodes = [node("all", "items", items=items), node("c", "gather", count=literal)]
    links = ["all.item -> c.item"]
    if count is not None:
        nodes.append(node("n", "slow" if late else "echo", value=count))
        links.append("n.out -> c.count")
    return graph(nodes, *links)


async def test_so_many_items_make_a_list_and_the_next_ones_another():
    """engine:F4"""
    played = await play(collected([1, 2, 3, 4, 5], count=2), shelf())
    assert played.fired("c") == [[1, 2], [3, 4]]
    assert [(left["filled"], left["missing"]) for left in played.left_over("c")] == [(["count"], ["item"])]


async def test_a_literal_count_does_as_well():
    """engine:F4"""
    assert (await play(collected([1, 2, 3], literal="3"), shelf())).fired("c") == [[1, 2, 3]]


async def test_a_count_that_comes_late_takes_what_is_there():
    """engine:F4"""
    played = await play(collected([1, 2, 3, 4, 5], count=2, late=True), shelf())
    assert played.fired("c") == [[1, 2], [3, 4]]


async def test_when_nothing_is_to_come_the_list_is_empty_at_once():
    """engine:F4"""
    assert (await play(collected([], count=0), shelf())).fired("c") == [[]]


@pytest.mark.parametrize("count", ["many", -1, {}, [1, 2]])
async def test_a_count_that_is_none_never_leaves_a_step_open(count: Json):
    """engine:F4, engine:F13: the block gets what there is and says what is wrong; a list counts by its length"""
    played = await play(collected([1, 2], count=count, late=True), shelf())
    assert played.fired("c") == [[1, 2]]
    assert played.run.leftovers == []


async def test_a_masked_count_and_a_masked_item():
    """engine:F4, engine:F5"""
    played = await play(collected([1, 2, 3, 4], count=9), shelf(), masks={"c": {"count": 2}})
    assert (played.fired("c"), played.run.stats()["dropped"]) == ([[1, 2], [3, 4]], 1)

    played = await play(collected([1, 2], count=3), shelf(), masks={"c": {"item": ["m"]}})
    assert (played.fired("c"), played.run.stats()["dropped"]) == ([["m"]], 2)


async def test_a_path_into_the_item_makes_each_item_a_part():
    """engine:F4, engine:F10"""
    doc = graph([node("all", "items", items=[1, 2]), node("c", "gather", count=2)], "all.item -> c.item_#_n")
    assert (await play(doc, shelf())).fired("c") == [[{"n": 1}, {"n": 2}]]


async def test_what_is_gathered_survives_in_the_log_and_in_a_snapshot():
    """engine:F4, engine:D1"""
    played = await play(collected([1, 2, 3, 4, 5], count=3), shelf())
    for cut in range(1, len(played.log)):
        before = Run(played.plan).fold(played.log[:cut])
        shot: JsonObject = before.snapshot()
        kept = dumps(shot)
        after = Run.restore(played.plan, shot).fold(played.log[cut:])
        assert dumps(shot) == kept  # a snapshot shares nothing with who goes on from it
        assert dumps(after.snapshot()) == dumps(played.run.snapshot())


def tools(out: str = "tools") -> Document:
    return graph(
        [
            node("agent", "agent", calls={"tools_^_left_~_a": 1, "tools_^_left_~_b": 2, "tools_^_right_~_value": 3}),
            node("left", "pair"),
            node("right", "echo"),
            node("twin", "echo"),
        ],
        f"agent.{out if out == 'tools' else 'tools_^_add_~_a'} -> left.a",
        f"agent.{out if out == 'tools' else 'tools_^_add_~_b'} -> left.b",
        "agent.tools -> right.value",
        "agent.tools -> right.other",
        "agent.tools -> twin.value",
    )


@pytest.mark.parametrize("out", ["tools", "imported"])
async def test_an_argument_goes_to_its_tool_and_pin_only(out: str):
    """engine:F11"""
    played = await play(tools(out), shelf(), masks={"right": {"other": None}})
    assert played.fired("left") == [[1, 2]]
    assert played.fired("right") == [3]
    assert played.fired("twin") == []


async def test_an_argument_for_a_tool_that_is_not_linked_goes_nowhere():
    """engine:F11"""
    doc = graph(
        [node("agent", "agent", calls={"tools_^_gone_~_a": 1, "tools_^_x": 2, "odd_^_": 3}), node("x", "echo")],
        "agent.tools -> x.value",
    )
    played = await play(doc, shelf())
    assert (played.status, played.fired("x"), played.run.not_reached()) == ("completed", [], ["x"])
