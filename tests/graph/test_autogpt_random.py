"""Whatever an agent of AutoGPT looks like, it is read without loss, or refused with its faults."""

import random
from typing import cast

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.features.agents.coverage import coverage_of
from pilothouse.graph.autogpt import read_autogpt
from pilothouse.graph.brought import Brought
from pilothouse.graph.document import Document, canonical, unmarked
from pilothouse.graph.fit_brought import fitted
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.graph.placeholders import marked
from pilothouse.graph.secrets import without_secrets
from pilothouse.graph.sub_agents import embedded
from pilothouse.graph.validate import validate
from pilothouse.kit.json import Json, JsonObject, depth, loads
from tests.graph.autogpt_files import BLOCKS, SUB, agent, doubler, link, sub_agent
from tests.graph.autogpt_random import CHILD, mutilated, random_agents

REGISTRY = Registry()


def brought(file: JsonObject) -> Brought:
    found = fitted(read_autogpt(file, REGISTRY), REGISTRY)
    found.doc = marked(found.doc, REGISTRY, embedded(found.doc))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_every_block_of_the_first_wave_comes_in_without_loss(seed: int):
    """engine:X4, engine:X5, engine:X6, blocks:N2"""
    seen: list[str] = []
    for made in random_agents(seed, REGISTRY):
        found = brought(made.file)
        children = embedded(found.doc)
        report = validate(found.doc, REGISTRY, "save", children=children)
        assert report.valid, report.errors
        told = coverage_of(found, REGISTRY, children, runnable=False).to_json()
        missing: list[Json] = [
            {"node_id": node_id, "block_id": block} for node_id, block in made.blocks.items() if block not in REGISTRY
        ]
        inside = 3 if SUB in made.blocks.values() else 0
        nodes = len(made.blocks) + inside
        assert (told["nodes"], told["supported"]) == (nodes, nodes - len(missing))
        assert told["placeholders"] == missing
        assert (told["disabled"], told["changed"]) == ([], [])
        assert [note.field for note in found.dropped] == ([] if inside else ["sub_graphs[]"])
        check_nothing_is_lost(made.file, found.doc)
        seen += made.blocks.values()
    wave = [str(facts["id"]) for facts in BLOCKS["first"].values()]
    assert all(seen.count(block) == 2 for block in wave)


def check_nothing_is_lost(file: JsonObject, doc: Document) -> None:
    nodes = {node.id: node for node in doc.nodes}
    for raw in cast(list[JsonObject], file["nodes"]):
        node, metadata = nodes.pop(str(raw["id"])), cast(JsonObject, raw["metadata"])
        assert (node.block, node.inputs) == (raw["block_id"], raw["input_default"])
        assert (node.name, node.optional_credentials) == (
            metadata.get("customized_name", ""),
            metadata.get("credentials_optional", False),
        )
        assert node.position == tuple(cast(dict[str, float], metadata["position"]).values())
    assert nodes == {}
    wires = {
        (wire["source_id"], wire["source_name"], wire["sink_id"], wire["sink_name"], wire["is_static"])
        for wire in cast(list[JsonObject], file["links"])
    }
    assert {(*link.key, link.static) for link in doc.links} == wires

    handed_on = canonical(without_secrets(unmarked(doc), REGISTRY, embedded(doc)))
    again = parse(loads(handed_on))
    assert canonical(again) == handed_on == canonical(unmarked(doc))
    assert marked(again, REGISTRY, embedded(again)) == parse(loads(canonical(doc)))


@pytest.mark.parametrize("seed", range(10))
def test_a_mutilated_file_is_read_or_refused_and_nothing_else(seed: int):
    """engine:X4"""
    draw = random.Random(seed)
    files = [made.file for made in random_agents(seed, REGISTRY)][:2]
    files.append(
        agent("Top", [sub_agent("s", CHILD, n=1)], [link("s", "twice", "s", "n")], sub_graphs=[doubler(CHILD)])
    )
    read = 0
    for _ in range(120):
        file = mutilated(draw, draw.choice(files))
        if not isinstance(file, dict):
            continue
        try:
            found = brought(file)
        except BadDocument:
            continue
        read += 1
        children = embedded(found.doc)
        validate(found.doc, REGISTRY, "run", children=children)
        told = coverage_of(found, REGISTRY, children, runnable=False)
        assert told.nodes == told.supported + len(told.placeholders) + len(told.disabled)
        assert depth(told.to_json()) < 110
        assert canonical(parse(loads(canonical(found.doc)))) == canonical(found.doc)
    assert read > 10
