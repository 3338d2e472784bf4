"""Small agents through the whole stack, with their exact outputs."""

from typing import Any

from tests.features.runs import graphs
from tests.features.runs.graphs import link, node
from tests.features.runs.stand import Stand


async def outcome(stand: Stand, document: Any, **inputs: Any) -> tuple[str, dict[str, Any]]:
    run = await stand.run(document, **inputs)
    return run["status"], run["outputs"]


async def test_a_greeting_greets(stand: Stand):
    assert await outcome(stand, graphs.greeting(), who="Ada") == ("completed", {"greeting": ["Hello Ada!"]})


async def test_a_table_is_read_row_by_row_in_its_order(stand: Stand):
    table = [{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}, {"name": "Grace", "born": 1906}]
    reader = graphs.graph(
        "Table reader",
        [
            node("table", graphs.ANY, name="table"),
            node("rows", graphs.STEP_THROUGH),
            node("fill", graphs.TEMPLATE, format="{{ n }}: {{ who }} ({{ born }})"),
            node("lines", graphs.OUTPUT, name="line"),
            node("keys", graphs.OUTPUT, name="key"),
        ],
        [
            link("table", "result", "rows", "items"),
            link("rows", "item_#_name", "fill", "values_#_who"),
            link("rows", "item_#_born", "fill", "values_#_born"),
            link("rows", "key", "fill", "values_#_n"),
            link("rows", "key", "keys", "value"),
            link("fill", "output", "lines", "value"),
        ],
    )
    assert await outcome(stand, reader, table=table) == (
        "completed",
        {"line": ["0: Ada (1815)", "1: Alan (1912)", "2: Grace (1906)"], "key": [0, 1, 2]},
    )


async def test_a_condition_takes_one_of_two_ways(stand: Stand):
    document = graphs.graph(
        "Gate",
        [
            node("n", graphs.NUMBER, name="n"),
            node("if", graphs.CONDITION, operator=">", value2=10),
            node("big", graphs.OUTPUT, name="big"),
            node("small", graphs.TEMPLATE, format="only {{ n }}"),
            node("out", graphs.OUTPUT, name="small"),
        ],
        [
            link("n", "result", "if", "value1"),
            link("if", "yes_output", "big", "value"),
            link("if", "no_output", "small", "values_#_n"),
            link("small", "output", "out", "value"),
        ],
    )
    agent = await stand.agent(document)
    big = await stand.start(agent, wait=20, n=11)
    assert (big["outputs"], big["not_reached"]) == ({"big": [11]}, ["out", "small"])
    small = await stand.start(agent, wait=20, n=3)
    assert (small["outputs"], small["not_reached"]) == ({"small": ["only 10"]}, ["big"])
