"""Agents of AutoGPT read as documents of ours."""

from dataclasses import replace
from typing import cast

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.graph.autogpt import is_autogpt, read_autogpt
from pilothouse.graph.brought import Brought
from pilothouse.graph.catalogue import Catalogue, Kind
from pilothouse.graph.document import canonical
from pilothouse.graph.fit_brought import fitted
from pilothouse.graph.model_names import our_name
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.kit.json import Json, JsonObject, loads
from tests.graph import blocks
from tests.graph.autogpt_files import (
    CALCULATOR,
    HOOK,
    INPUT,
    MISSING,
    NOTE,
    OUTPUT,
    TEMPLATE,
    agent,
    doubler,
    link,
    node,
    sub_agent,
)

REGISTRY = Registry()
FIRST = "0fa7c2f8-0000-4000-8000-000000000001"


def brought(file: JsonObject, catalogue: Catalogue = REGISTRY) -> Brought:
    return fitted(read_autogpt(file, catalogue), catalogue)


def dropped(found: Brought) -> list[tuple[str, str]]:
    return [(note.node_id, note.field) for note in found.dropped]


def test_it_is_known_by_its_nodes_and_links():
    """engine:X4"""
    assert is_autogpt(doubler())
    assert is_autogpt({"nodes": [{"block_id": "x"}]})
    others: list[Json] = [
        {"format": "pilothouse.agent/1", "nodes": [], "links": []},
        {"nodes": [{"block": "x"}], "links": [{"source_id": "a"}]},
        {"nodes": [{"block_id": "x"}], "links": [{"from": "a"}]},
        {"nodes": "block_id", "links": {}},
        [],
        None,
        "block_id",
    ]
    assert [is_autogpt(other) for other in others] == [False] * len(others)


def test_every_part_has_its_place():
    """engine:X4"""
    first: JsonObject = {
        "id": FIRST,
        "block_id": TEMPLATE.upper(),
        "input_default": {"format": "Hi {{ who }}", "values": {"who": "you"}},
        "metadata": {"position": {"x": -12.5, "y": 300}, "customized_name": "Greet", "credentials_optional": True},
    }
    file = agent(
        "Greeter",
        [first, node("out", OUTPUT, name="greeting")],
        [link(FIRST, "output", "out", "value", static=True)],
        description="Says hello.",
        instructions="Just run it.",
        recommended_schedule_cron="0 9 * * 1-5",
    )
    found = brought(file)
    assert found.changed == []
    assert found.dropped == []
    assert loads(canonical(found.doc)) == {
        "format": "pilothouse.agent/1",
        "name": "Greeter",
        "description": "Says hello.",
        "instructions": "Just run it.",
        "recommended_schedule_cron": "0 9 * * 1-5",
        "nodes": [
            {
                "id": FIRST,
                "block": TEMPLATE,
                "name": "Greet",
                "position": [-12.5, 300],
                "inputs": {"format": "Hi {{ who }}", "values": {"who": "you"}},
                "optional_credentials": True,
            },
            {"id": "out", "block": OUTPUT, "inputs": {"name": "greeting"}},
        ],
        "links": [
            {
                "from": FIRST,
                "out": "output",
                "to": "out",
                "in": "value",
                "static": True,
            }
        ],
    }


def test_links_at_nodes_count_only_without_a_list_of_links():
    """engine:X4"""
    wire, other = link("a", "output", "out", "value"), link("b", "output", "out", "value")
    nodes = [node("a", TEMPLATE, format="a"), node("b", TEMPLATE, format="b"), node("out", OUTPUT, name="o")]
    nodes[0]["output_links"], nodes[2]["input_links"] = [wire], [wire, other]
    alone = agent("Wired", nodes, [])
    del alone["links"]
    both = brought(alone)
    assert [link.source for link in both.doc.links] == ["a", "b"]
    assert both.dropped == []

    listed = brought(agent("Wired", nodes, [other]))
    assert [link.source for link in listed.doc.links] == ["b"]
    assert dropped(listed) == [("$agent", "nodes[].input_links"), ("$agent", "nodes[].output_links")]
    assert brought(agent("Wired", nodes, [])).doc.links == ()


def test_whatever_is_left_behind_is_named():
    """engine:X4, engine:X6"""
    hook = {**node("hook", HOOK), "webhook_id": "w", "graph_id": "g", "graph_version": 3}
    cast(JsonObject, hook["metadata"])["color"] = "red"
    note = {**node("note", NOTE, text="Mind this"), "graph_id": "g", "graph_version": 3}
    more: JsonObject = {"user_id": "u", "is_active": True, "input_schema": {"a": 1}, "created_at": None}
    found = brought(agent("Hooked", [hook, note], [], recommended_schedule_cron="now and then", **more))
    assert dropped(found) == [
        ("$agent", "input_schema"),
        ("$agent", "is_active"),
        ("$agent", "user_id"),
        ("hook", "webhook_id"),
        ("$agent", "nodes[].graph_id"),
        ("$agent", "nodes[].graph_version"),
        ("$agent", "nodes[].metadata.color"),
        ("$agent", "recommended_schedule_cron"),
    ]
    assert all(note.reason for note in found.dropped)
    assert found.doc.recommended_schedule_cron is None


def test_credentials_stay_behind_and_their_provider_is_remembered():
    """engine:X4, engine:X6"""
    given: JsonObject = {"id": "canary", "provider": "github", "type": "oauth2", "title": "Mine"}
    masks: JsonObject = {"inner": {"credentials": given, "text": "stays"}}
    sub = sub_agent("sub", "0000aaaa-0000-4000-8000-000000000001", n=1)
    cast(JsonObject, sub["input_default"])["nodes_input_masks"] = masks
    file = agent(
        "Secretive",
        [
            node("a", MISSING, credentials=given, token_credentials=None, repo="stays"),
            node("b", TEMPLATE, format="x", values={"file": {"_credentials_id": "canary"}}),
            sub,
        ],
        [],
        sub_graphs=[doubler()],
    )
    found = brought(file)
    by_id = {node.id: node.inputs for node in found.doc.nodes}
    assert "canary" not in canonical(found.doc)
    assert by_id["a"] == {"repo": "stays"}
    assert by_id["b"] == {"format": "x", "values": None}
    assert by_id["sub"]["nodes_input_masks"] == {"inner": {"text": "stays"}}
    assert dropped(found) == [
        ("a", "credentials"),
        ("b", "values"),
        ("sub", "nodes_input_masks.inner.credentials"),
    ]
    assert found.named == [(None, "a", "github")]


def test_a_sub_agent_is_the_one_in_the_file_whatever_version_the_node_asks_for():
    """engine:X4"""
    child = "0000aaaa-0000-4000-8000-000000000001"
    older, newer = sub_agent("older", child, 2), sub_agent("newer", child, 9)
    cast(JsonObject, newer["input_default"])["user_id"] = "somebody"
    unused = doubler("0000aaaa-0000-4000-8000-00000000ffff")
    file = agent("Twice", [older, newer], [], sub_graphs=[doubler(child, 2), doubler(child, 5), unused, {"id": 7}])
    found = brought(file)
    assert {node.id: node.inputs["graph_version"] for node in found.doc.nodes} == {"older": 2, "newer": 5}
    assert [(child.id, child.version) for child in found.doc.sub_agents] == [(child, 2), (child, 5)]
    (change,) = found.changed
    assert (change.node_id, change.field, change.before, change.after) == ("newer", "graph_version", 9, 5)
    assert dropped(found) == [("$agent", "sub_graphs[]"), ("newer", "user_id"), ("$agent", "sub_graphs[]")]


def test_links_that_cannot_be_are_taken_away_by_name():
    """engine:X6"""
    good = link("a", "output", "out", "value")
    bad = [
        link("a", "no_such_pin", "out", "value"),
        link("a", "output", "a", "no_such_pin"),
        link("a", "output_$_x", "out", "value"),
        link("a", "output", "note", "text"),
        link("nowhere", "output", "out", "value"),
    ]
    nodes = [node("a", TEMPLATE, format="x"), node("out", OUTPUT, name="o"), node("note", NOTE, text="")]
    found = brought(agent("Tangled", nodes, [good, *bad, good]))
    assert [link.key for link in found.doc.links] == [("a", "output", "out", "value")]
    told = [note.link for note in found.dropped if note.link is not None]
    assert sorted(link.key for link in told) == sorted(
        [("a", "output", "out", "value"), *(tuple(str(text) for text in list(wire.values())[:4]) for wire in bad)]
    )


def test_inputs_and_outputs_without_a_name_and_odd_ids_get_others():
    """engine:X6"""
    nodes = [node("my node!", INPUT, name=""), node("my node?", OUTPUT), node("my_node_", INPUT, name="input")]
    found = brought(agent("Nameless", nodes, [link("my node!", "result", "my node?", "value")]))
    assert {node.id: node.inputs["name"] for node in found.doc.nodes} == {
        "my_node__2": "input_2",
        "my_node__3": "output",
        "my_node_": "input",
    }
    assert [link.key[::2] for link in found.doc.links] == [("my_node__2", "my_node__3")]
    assert [(note.node_id, note.field, note.before, note.after) for note in found.changed] == [
        ("my_node__2", "id", "my node!", "my_node__2"),
        ("my_node__3", "id", "my node?", "my_node__3"),
        ("my_node__2", "name", "", "input_2"),
        ("my_node__3", "name", None, "output"),
    ]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("gpt-4o-mini", "openai/gpt-4o-mini"),
        ("o3-mini", "openai/o3-mini"),
        ("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5-20250929"),
        ("gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("llama-3.3-70b-versatile", "groq/llama-3.3-70b-versatile"),
        ("llama3.1:405b", "ollama/llama3.1:405b"),
        ("sonar-pro", "perplexity/sonar-pro"),
        ("deepseek/deepseek-chat", "deepseek/deepseek-chat"),
        ("a name of nobody", None),
        ("", None),
        ("/x", None),
    ],
)
def test_models_are_called_by_provider_and_name(theirs: str, ours: str | None):
    """engine:X6"""
    assert our_name(theirs) == ours


def test_a_model_is_renamed_or_left_to_the_default_and_both_are_told():
    """engine:X6"""
    spec = blocks.block(MISSING, "Think", {"model": {"type": "string"}, "prompt": {"type": "string"}}, {})
    catalogue = {**REGISTRY, MISSING: replace(spec, kind=Kind.AI)}
    nodes = [node(name, MISSING, model=name, prompt="p") for name in ("gpt-4o", "openai/gpt-4o", "nobody-knows")]
    nodes[1]["id"] = "named"
    found = brought(agent("Thinker", nodes, []), catalogue)
    assert [node.inputs.get("model") for node in found.doc.nodes] == ["openai/gpt-4o", "openai/gpt-4o", None]
    assert [(note.node_id, note.before, note.after) for note in found.changed] == [
        ("gpt-4o", "gpt-4o", "openai/gpt-4o"),
        ("nobody-knows", "nobody-knows", None),
    ]
    unknown = brought(agent("Thinker", nodes, []))
    assert [node.inputs["model"] for node in unknown.doc.nodes] == ["gpt-4o", "openai/gpt-4o", "nobody-knows"]
    assert unknown.changed == []


def test_a_block_that_is_not_installed_keeps_all_it_has():
    """engine:X5"""
    nodes = [node("a", MISSING, any_pin=[{"deep": 1}], model="x"), node("calc", CALCULATOR, operation="Add", a=1)]
    wires = [link("a", "made_$_0_#_up", "calc", "b"), link("calc", "result", "a", "in_#_k"), link("a", "x", "a", "y")]
    found = brought(agent("Kept", nodes, wires))
    assert found.doc.nodes[0].inputs == {"any_pin": [{"deep": 1}], "model": "x"}
    assert len(found.doc.links) == 3
    assert found.dropped == []


def test_a_file_nested_too_deep_is_refused():
    """engine:X3"""
    deep: Json = 1
    for _ in range(101):
        deep = [deep]
    with pytest.raises(BadDocument):
        read_autogpt(agent("Deep", [node("a", TEMPLATE, values=deep)], []), REGISTRY)
    inner: JsonObject = {}
    for _ in range(60):
        inner = {"id": "a", "sub_graphs": [inner]}
    with pytest.raises(BadDocument):
        read_autogpt(agent("Deep", [node("a", TEMPLATE)], [], sub_graphs=[inner]), REGISTRY)


def test_faults_of_shape_are_all_named_at_once():
    """engine:X4"""
    nodes: list[Json] = [7, {"id": "a", "block_id": "no uuid"}, {"block_id": TEMPLATE, "input_default": []}]
    with pytest.raises(BadDocument) as refused:
        read_autogpt({"name": 3, "nodes": nodes, "links": [None, {"source_id": 1}]}, REGISTRY)
    assert {where for where, _ in refused.value.faults} >= {
        "$.name",
        "$.nodes[0]",
        "$.nodes[1].block",
        "$.nodes[2].id",
        "$.nodes[2].inputs",
        "$.links[0]",
        "$.links[1].from",
    }


def test_what_was_read_is_canonical():
    """engine:J1"""
    text = canonical(brought(agent("Twice", [sub_agent("s", "c", n=2)], [], sub_graphs=[doubler("c")])).doc)
    assert canonical(parse(loads(text))) == text
