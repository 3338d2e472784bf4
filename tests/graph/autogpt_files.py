"""Agents in AutoGPT's form, of our own making. `data/autogpt.json` holds ids and pins of its blocks."""

from pathlib import Path
from typing import cast

from pilothouse.kit.json import Json, JsonObject, loads

INPUT = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
SUB = "e189baac-8c20-45a1-94a7-55177ea42565"
NOTE = "cc10ff7b-7753-4ff2-9af6-9399b1a7eddc"
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"
CALCULATOR = "b1ab9b19-67a6-406d-abf5-2dba76d00c79"
STEP_THROUGH = "f66a3543-28d3-4ab5-8945-9b336371e2ce"
DICTIONARY = "b924ddf4-de4f-4b56-9a85-358930dcbc91"
CONDITION = "715696a0-e1da-45c8-b209-c2fa9c3b0be6"
STORE = "1ff065e9-88e8-4358-9d82-8dc91f622ba9"
ADD_TO_LIST = "aeb08fc1-2fc1-4141-bc8e-f758f183a822"
HOOK = "8fa8c167-2002-47ce-aba8-97572fc5d387"
MISSING = "00000000-0000-4000-8000-00000000dead"  # no block will ever have this id

BLOCKS = cast(
    dict[str, dict[str, JsonObject]], loads((Path(__file__).parent / "data" / "autogpt.json").read_bytes())
)  # by wave, by name: {id, in, out}


def node(node_id: str, block: str, /, **inputs: Json) -> JsonObject:
    metadata: JsonObject = {"position": {"x": 0, "y": 0}}
    return {"id": node_id, "block_id": block, "input_default": inputs, "metadata": metadata}


def link(source: str, out: str, target: str, sink: str, *, static: bool = False) -> JsonObject:
    ends: JsonObject = {"source_id": source, "source_name": out, "sink_id": target, "sink_name": sink}
    return {**ends, "is_static": static}


def agent(name: str, nodes: list[JsonObject], links: list[JsonObject], **more: Json) -> JsonObject:
    return {"name": name, "description": "", "nodes": [*nodes], "links": [*links], **more}


def sub_agent(node_id: str, child: str, version: int = 1, **values: Json) -> JsonObject:
    """A node that runs another agent; `values` are literals of that agent's inputs."""
    return node(node_id, SUB, graph_id=child, graph_version=version, inputs=values, input_schema={}, output_schema={})


def doubler(agent_id: str = "0000aaaa-0000-4000-8000-000000000001", version: int = 1) -> JsonObject:
    """Takes `n`, gives `twice`."""
    nodes = [node("n", INPUT, name="n"), node("mul", CALCULATOR, operation="Multiply", b=2)]
    nodes += [node("out", OUTPUT, name="twice")]
    links = [link("n", "result", "mul", "a", static=True), link("mul", "result", "out", "value")]
    return agent("Doubler", nodes, links, id=agent_id, version=version)
