"""Ids and pins equal those of the agents that people bring along (blocks:N2)."""

from pathlib import Path
from typing import cast

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.json import JsonObject, loads

REGISTRY = Registry()
FACTS = cast(dict[str, JsonObject], loads((Path(__file__).parent / "data" / "interfaces.json").read_bytes()))
COMMON_INPUT = {"name", "value", "title", "description", "advanced"}
OURS = {"required"}
OUR_BLOCKS = {"740510bb-602b-4f0d-b65c-992eb8e9cebe"}  # collect items


def words(value: object) -> set[str]:
    return {str(item) for item in cast(list[object], value)}


@pytest.mark.parametrize("name", list(FACTS))
def test_ids_and_pins_equal_the_imported_format(name: str):
    facts = FACTS[name]
    spec = REGISTRY[str(facts["id"])]
    wanted = set(as_object(facts["in"]))
    if spec.kind is Kind.INPUT:
        wanted |= COMMON_INPUT  # typed inputs inherit these; the table lists only what each adds

    inputs = as_object(spec.inputs["properties"])
    assert set(inputs) - OURS == wanted
    assert set(as_object(spec.outputs["properties"])) == words(facts["out"]) | {"error"}


@pytest.mark.parametrize("name", list(FACTS))
def test_what_is_required_there_is_required_here(name: str):
    facts = FACTS[name]
    required = words(as_list(REGISTRY[str(facts["id"])].inputs.get("required")))
    for pin, told in as_object(facts["in"]).items():
        assert (pin in required) == as_object(told)["required"], pin


def test_every_shipped_block_is_in_the_table():
    assert {str(facts["id"]) for facts in FACTS.values()} == set(REGISTRY) - OUR_BLOCKS


def test_kinds_effects_and_static_outputs():
    by_name = {spec.name: spec for spec in REGISTRY.values()}
    inputs = [spec for spec in REGISTRY.values() if spec.kind is Kind.INPUT]
    assert len(inputs) == 9
    assert all(spec.static_output for spec in inputs)
    assert by_name["Agent output"].kind is Kind.OUTPUT
    assert by_name["Note"].kind is Kind.NOTE
    assert {spec.name for spec in REGISTRY.values() if spec.effects is not Effects.NONE} == {"Send web request"}
    assert not by_name["Send web request"].streams
    assert by_name["Store value"].static_output
    assert by_name["Countdown timer"].timeout_s is None
