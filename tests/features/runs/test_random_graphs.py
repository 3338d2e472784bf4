"""Random graphs of pure blocks: the whole stack gives what the engine gives when it is driven in memory."""

import asyncio
from dataclasses import replace
from random import Random
from typing import cast

import pytest

from pilothouse.base.jobs.moves import micros
from pilothouse.blocks.context import Http
from pilothouse.blocks.registry import Registry
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.ports import Limits
from pilothouse.engine.run import Run
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.stage import Stage
from pilothouse.graph.document import canonical
from pilothouse.graph.parse import parse
from pilothouse.kit.json import Json, JsonObject, dumps, loads
from tests.engine.toys import Lease, MemoryJournal
from tests.features.runs import graphs
from tests.features.runs.graphs import link, node
from tests.features.runs.stand import Stand

# What a node may be: its block, its literals, the pins that links may feed, the pins that it fires.
KINDS: list[tuple[str, JsonObject, list[str], list[str]]] = [
    (graphs.ADD, {"a": 1}, ["a", "b"], ["sum", "error"]),
    (graphs.TEMPLATE, {"values": {}, "format": "{{ a }}-{{ b }}"}, ["values_#_a", "values_#_b"], ["output", "error"]),
    (graphs.CONDITION, {"value1": 2, "operator": ">", "value2": 1}, ["value1"], ["result", "yes_output", "no_output"]),
    (graphs.STEP_THROUGH, {"items": [1, "b", None, [2]]}, ["items"], ["item", "key"]),
    (graphs.DICTIONARY, {"values": {}}, ["values_#_x", "values_#_y"], ["dictionary", "dictionary_#_x"]),
    (graphs.LIST, {"values": [0]}, ["values_$_0", "values_$_1"], ["list", "list_$_-1", "list_$_1"]),
    (graphs.STORE, {"input": "kept"}, ["input"], ["output"]),
]
UNHURRIED = Limits(slice_s=60)
VALUES: list[Json] = [0, 3, -1.5, "7", "text", True, [1, 2], {"x": 1}, [[1], {"y": "ü"}]]


def random_graph(random: Random) -> JsonObject:
    """A few nodes in a row, each fed by pins of those before it; some pins become outputs."""
    nodes = [node("in", graphs.ANY, name="x")]
    links: list[JsonObject] = []
    sources = [("in", "result")]
    for number in range(random.randint(2, 8)):
        block, literals, sinks, outs = random.choice(KINDS)
        name = f"n{number}"
        nodes.append(node(name, block, None, **literals))
        for sink in random.sample(sinks, random.randint(0, len(sinks))):
            links += [link(*source, name, sink) for source in random.sample(sources, min(len(sources), 1))]
        sources += [(name, out) for out in outs]
    for number, source in enumerate(random.sample(sources, min(4, len(sources)))):
        nodes.append(node(f"out{number}", graphs.OUTPUT, name=f"o{number % 3}"))
        links.append(link(*source, f"out{number}", "value"))
    return graphs.graph("Random", nodes, links)


async def in_memory(document: JsonObject, inputs: JsonObject) -> Run:
    registry = Registry(test_blocks=True)
    entry: Entry = accepted(micros(), inputs)
    kept = parse(loads(canonical(parse(document))))  # as it is stored: the order of links decides between branches
    run = Run(compile_plan(kept, registry)).fold([entry])
    stage = Stage(registry, cast(Http, None), cast(RunMemories, None))  # pure blocks never ask for it
    journal, never = MemoryJournal([entry], None), asyncio.Event()
    await drive(run, "run", stage, journal, Lease(), clock=micros, cancelled=never, limits=UNHURRIED)
    return run


@pytest.mark.parametrize("seed", range(3))
async def test_the_whole_stack_gives_what_the_engine_gives(stand: Stand, seed: int):
    """Nothing is interrupted: between nodes the order is the journal's (F8), which a busy machine could change."""
    random = Random(seed)
    motor = stand.house.worker.motor
    motor.limits = replace(motor.limits, slice_s=UNHURRIED.slice_s)
    for number in range(12):
        document = random_graph(random)
        inputs: JsonObject = {"x": random.choice(VALUES)}
        run = await stand.run(document, **inputs)
        expected = await in_memory(document, inputs)
        told = f"seed {seed}, graph {number}: {dumps(document)} with {inputs}"
        assert (run["status"], run["outputs"]) == (expected.status, expected.outputs), told
        assert {name: run["stats"][name] for name in expected.stats()} == expected.stats(), told
        assert run["not_reached"] == expected.not_reached(), told
        assert run["reason"] == expected.reason, told
