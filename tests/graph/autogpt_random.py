"""Random agents in AutoGPT's form: every block of the first wave, wired in every way that its links know."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.fields import is_credentials, properties
from pilothouse.graph.workbench import has_pin
from pilothouse.kit.json import Json, JsonObject
from tests.graph.autogpt_files import BLOCKS, NOTE, SUB, agent, doubler, link, node, sub_agent

CHILD = "0000aaaa-0000-4000-8000-000000000001"
_CHUNK = 20
_LEFT_ALONE = frozenset({"name", "model", "graph_id", "graph_version", "nodes_input_masks"})
_IN_PATHS = ("", "", "_#_key", "_$_3", "_@_field", "_#_a_$_0_@_b")
_OUT_PATHS = ("", "", "_#_key", "_$_-1", "_@_field", "_$_0_#_a b")
_VALUES: tuple[Json, ...] = (None, True, 0, -1.5, "", "text ü", [], [1, {"a": None}], {"a": {"b": [2]}})


@dataclass
class Block:
    """What of a block's pins the installed one has too; all of them when it is not installed."""

    id: str
    name: str
    ins: list[str]
    outs: list[str]
    literals: list[str]


@dataclass
class Made:
    """A file, and the ids of its nodes by block."""

    file: JsonObject
    blocks: dict[str, str] = field(default_factory=dict[str, str])


def random_agents(seed: int, catalogue: Catalogue) -> Iterator[Made]:
    """Agents that hold every block of the first wave twice among them, and some of the others."""
    draw = random.Random(seed)
    first, rest = _blocks("first", catalogue), [*_blocks("second", catalogue), *_blocks("others", catalogue)]
    for _ in range(2):
        draw.shuffle(first)
        for start in range(0, len(first), _CHUNK):
            chosen = [*first[start : start + _CHUNK], *draw.sample(rest, 5)]
            yield _made(draw, chosen)


def _blocks(wave: str, catalogue: Catalogue) -> list[Block]:
    found: list[Block] = []
    for name, facts in BLOCKS[wave].items():
        block_id, spec = str(facts["id"]), catalogue.get(str(facts["id"]))
        ins = [str(pin) for pin in cast(list[Json], facts["in"]) if not is_credentials(str(pin))]
        outs = [str(pin) for pin in cast(list[Json], facts["out"])] or ["error"]
        if spec is not None:
            ins = [pin for pin in ins if has_pin(spec, spec.inputs, pin)]
            outs = [pin for pin in outs if has_pin(spec, spec.outputs, pin)]
        fields = {} if spec is None else properties(spec.inputs)
        literals = [pin for pin in ins if pin not in _LEFT_ALONE and not fields.get(pin, {}).get("secret")]
        found.append(Block(block_id, name, [pin for pin in ins if pin != "name"], outs, literals))
    return found


def _made(draw: random.Random, chosen: list[Block]) -> Made:
    made, nodes = Made({}), list[JsonObject]()
    for number, block in enumerate(chosen):
        node_id = f"{number}-{block.name}"
        made.blocks[node_id] = block.id
        nodes.append(_node(draw, node_id, block))
    ends = [(node_id, block) for node_id, block in zip(made.blocks, chosen, strict=True) if block.id != NOTE]
    links = {str(list(wire.values())[:4]): wire for wire in (_link(draw, ends) for _ in range(2 * len(nodes)))}
    made.file = agent(f"Random {draw.random()}", nodes, list(links.values()), sub_graphs=[doubler(CHILD)])
    return made


def _node(draw: random.Random, node_id: str, block: Block) -> JsonObject:
    if block.id == SUB:
        return sub_agent(node_id, CHILD, n=draw.choice(_VALUES))
    values = {pin: draw.choice(_VALUES) for pin in block.literals if draw.random() < 0.5}
    made = node(node_id, block.id, name=f"the {node_id}", **values)
    made["metadata"] = {
        "position": {"x": draw.randrange(-900, 900) / 4, "y": draw.randrange(900)},
        "customized_name": draw.choice(["", "Mine", "Ünï"]),
        "credentials_optional": draw.random() < 0.2,
    }
    return made


def _link(draw: random.Random, ends: list[tuple[str, Block]]) -> JsonObject:
    (source, gives), (target, takes) = draw.choice(ends), draw.choice([end for end in ends if end[1].ins])
    if gives.ins and draw.random() < 0.1:
        target, takes = source, gives
    out = "twice" if gives.id == SUB else draw.choice(gives.outs)
    sink = "n" if takes.id == SUB else draw.choice(takes.ins)
    out = f"tools_^_any name_~_{sink}" if out == "tools" else out + draw.choice(_OUT_PATHS)
    return link(source, out, target, sink + draw.choice(_IN_PATHS), static=draw.random() < 0.3)


def mutilated(draw: random.Random, file: Json) -> Json:
    """The same with a few parts replaced, doubled or taken away, wherever they are."""
    for _ in range(draw.randrange(1, 5)):
        file = _mutilated(draw, file)
    return file


def _mutilated(draw: random.Random, value: Json) -> Json:
    if not isinstance(value, dict | list) or not value or draw.random() < 0.15:
        return draw.choice([*_VALUES, "0", 7, {"id": "a"}, [[]], "tools_^_", "x" * 300, 2**63, float(2**70)])
    if isinstance(value, list):
        place = draw.randrange(len(value))
        changed = [_mutilated(draw, value[place])] if draw.random() < 0.7 else draw.choice([[], [value[place]] * 2])
        return [*value[:place], *changed, *value[place + 1 :]]
    key = draw.choice(list(value))
    if draw.random() < 0.2:
        return {name: item for name, item in value.items() if name != key}
    return {**value, key: _mutilated(draw, value[key])}
