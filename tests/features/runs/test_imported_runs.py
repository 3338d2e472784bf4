"""Agents in AutoGPT's form, imported and run: they give what they gave there (X7)."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pilothouse.graph.autogpt import read_autogpt
from pilothouse.kit.json import JsonObject, loads
from tests.engine import toys
from tests.features.runs.stand import Stand
from tests.graph.autogpt_files import (
    ADD_TO_LIST,
    CALCULATOR,
    CONDITION,
    DICTIONARY,
    INPUT,
    MISSING,
    NOTE,
    OUTPUT,
    STEP_THROUGH,
    TEMPLATE,
    agent,
    doubler,
    link,
    node,
    sub_agent,
)

CHILD = "0000aaaa-0000-4000-8000-000000000001"


def nested_pins() -> JsonObject:
    """Values put together from parts, and parts taken out of them."""
    outs = ["second", "last", "object", "missed"]
    return agent(
        "Nested pins",
        [
            node("a", INPUT, name="a"),
            node("b", INPUT, name="b"),
            node("all", DICTIONARY, values={"kept": True}),
            node("note", NOTE, text="Never runs."),
            *(node(name, OUTPUT, name=name) for name in outs),
        ],
        [
            link("a", "result", "all", "values_#_x_@_deep"),
            link("b", "result", "all", "values_#_list_$_1"),
            link("all", "dictionary_#_list_$_1", "second", "value"),
            link("all", "dictionary_#_list_$_-1", "last", "value"),
            link("all", "dictionary", "object", "value"),
            link("all", "dictionary_#_nothing_#_here", "missed", "value"),
        ],
    )


def self_link() -> JsonObject:
    """A list that grows: what it was comes back to it."""
    return agent(
        "Self-link",
        [
            node("seed", INPUT, name="seed", value=[]),
            node("each", STEP_THROUGH, items=[1, 2, 3]),
            node("grow", ADD_TO_LIST),
            node("out", OUTPUT, name="grown"),
        ],
        [
            link("seed", "result", "grow", "list"),
            link("grow", "updated_list", "grow", "list"),
            link("each", "item", "grow", "entry"),
            link("grow", "updated_list", "out", "value"),
        ],
    )


def static_links() -> JsonObject:
    """Two values that are there once and serve every item: one of an input, one over a link that says so."""
    return agent(
        "Static links",
        [
            node("factor", INPUT, name="factor"),
            node("three", CALCULATOR, operation="Add", a=1, b=2),
            node("each", STEP_THROUGH, items=[1, 2, 3]),
            node("mul", CALCULATOR, operation="Multiply"),
            node("add", CALCULATOR, operation="Add"),
            node("out", OUTPUT, name="sums"),
        ],
        [
            link("each", "item", "mul", "a"),
            link("factor", "result", "mul", "b", static=True),
            link("mul", "result", "add", "a"),
            link("three", "result", "add", "b", static=True),
            link("add", "result", "out", "value"),
        ],
    )


def branches() -> JsonObject:
    """Each item goes one of two ways."""
    return agent(
        "Branches",
        [
            node("each", STEP_THROUGH, items=[1, 5, 2, 7]),
            node("if", CONDITION, operator=">", value2=2),
            node("big", OUTPUT, name="big"),
            node("text", TEMPLATE, format="only {{ n }}"),
            node("small", OUTPUT, name="small"),
        ],
        [
            link("each", "item", "if", "value1"),
            link("each", "item", "if", "no_value"),
            link("if", "yes_output", "big", "value"),
            link("if", "no_output", "text", "values_#_n"),
            link("text", "output", "small", "value"),
        ],
    )


def sub_graphs() -> JsonObject:
    """An agent in an agent in an agent; one value is literal, one comes over a link."""
    middle = agent(
        "Middle",
        [node("n", INPUT, name="n"), sub_agent("deep", CHILD, 3), node("out", OUTPUT, name="m")],
        [link("n", "result", "deep", "n", static=True), link("deep", "twice", "out", "value")],
        id="middle",
        version=2,
    )
    return agent(
        "Top",
        [
            node("n", INPUT, name="n"),
            sub_agent("linked", "middle", 2),
            sub_agent("literal", CHILD, 3, n=50),
            node("a", OUTPUT, name="linked"),
            node("b", OUTPUT, name="literal"),
        ],
        [
            link("n", "result", "linked", "n", static=True),
            link("linked", "m", "a", "value"),
            link("literal", "twice", "b", "value"),
        ],
        sub_graphs=[middle, doubler(CHILD, 3)],
    )


CASES: list[tuple[JsonObject, dict[str, Any], dict[str, Any]]] = [
    (
        nested_pins(),
        {"a": 1, "b": "two"},
        {
            "second": ["two"],
            "last": ["two"],
            "object": [{"kept": True, "x": {"deep": 1}, "list": [None, "two"]}],
        },
    ),
    (self_link(), {}, {"grown": [[1], [1, 2], [1, 2, 3]]}),
    (static_links(), {"factor": 10}, {"sums": [13, 23, 33]}),
    (branches(), {}, {"big": [5, 7], "small": ["only 1", "only 2"]}),
    (sub_graphs(), {"n": 7}, {"linked": [14], "literal": [100]}),
]


@pytest.mark.parametrize(("file", "inputs", "outputs"), CASES, ids=[str(case[0]["name"]) for case in CASES])
async def test_x7_an_imported_agent_gives_what_is_expected(
    stand: Stand, file: JsonObject, inputs: dict[str, Any], outputs: dict[str, Any]
):
    """engine:X7"""
    answer = await stand.ann.browser.post("/api/agents/import", json={"document": file})
    assert answer.status_code == 201, answer.text
    report = answer.json()["report"]
    assert report["runnable"]
    assert (report["placeholders"], report["changed"], report["dropped"]) == ([], [], [])
    run = await stand.start(answer.json()["agent_id"], wait=30, **inputs)
    assert run["status"] == "completed", run
    assert {name: values for name, values in run["outputs"].items() if values} == outputs


async def test_x5_a_run_of_an_agent_with_a_placeholder_is_refused_and_makes_no_row(small: Stand):
    """engine:X5"""
    file = agent("Half", [node("odd", MISSING), node("out", OUTPUT, name="o", value=1)], [])
    made = (await small.ann.browser.post("/api/agents/import", json={"document": file})).json()
    answer = await small.ann.http.post(f"/api/v1/agents/{made['agent_id']}/runs", json={"inputs": {}})
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
    assert [issue["code"] for issue in answer.json()["detail"]["issues"]] == ["unknown_block"]
    assert await small.rows("select id from runs where agent_id=?1", made["agent_id"]) == []


async def test_x7_an_argument_goes_to_its_tool_whatever_the_file_calls_the_tool():
    """engine:X7, engine:F11"""
    names = {f"00000000-0000-4000-8000-00000000000{n}": name for n, name in enumerate(("agent", "pair", "echo"))}
    calling, pair, echo = names
    file = agent(
        "Tools",
        [
            node("ask", calling, calls={"tools_^_p_~_a": 1, "tools_^_p_~_b": 2, "tools_^_e_~_value": 3}),
            *(node("p", pair), node("e", echo), node("twin", echo)),
        ],
        [
            link("ask", "tools_^_add_numbers_~_a", "p", "a"),
            link("ask", "tools_^_add_numbers_~_b", "p", "b"),
            link("ask", "tools_^_say_~_value", "e", "value"),
            link("ask", "tools_^_say_~_value", "twin", "value"),
        ],
    )
    shelf = toys.shelf()
    doc = read_autogpt(file, {}).doc
    doc = replace(doc, nodes=tuple(replace(one, block=names[one.block]) for one in doc.nodes))
    played = await toys.play(doc, shelf)
    assert (played.fired("p"), played.fired("e"), played.fired("twin")) == ([[1, 2]], [3], [])


PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "move-from-autogpt.md"


async def test_x6_the_example_of_the_page_is_true(small: Stand):
    """engine:X6"""
    example: dict[str, Any] = {
        name: loads(text) for name, text in re.findall(r"```json (\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    }
    made = (await small.ann.browser.post("/api/agents/import", json={"document": example["theirs"]})).json()
    assert made["report"] == example["report"]
    assert (await small.start(made["agent_id"], wait=30, n=21))["outputs"] == {"twice": [42]}
