"""The agents that are measured. All pure, so that what is measured is us."""

from pilothouse.kit.json import Json, JsonObject

INPUT = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
STORE = "1ff065e9-88e8-4358-9d82-8dc91f622ba9"
STEP_THROUGH = "f66a3543-28d3-4ab5-8945-9b336371e2ce"


def chain(steps: int) -> JsonObject:
    """An input, so many pure steps one after another, an output."""
    nodes: list[Json] = [{"id": "in", "block": INPUT, "inputs": {"name": "x"}}]
    links: list[Json] = []
    source, pin = "in", "result"
    for number in range(steps):
        nodes.append({"id": f"s{number}", "block": STORE})
        links.append({"from": source, "out": pin, "to": f"s{number}", "in": "input"})
        source, pin = f"s{number}", "output"
    nodes.append({"id": "out", "block": OUTPUT, "inputs": {"name": "y"}})
    links.append({"from": source, "out": pin, "to": "out", "in": "value"})
    return {"format": "pilothouse.agent/1", "name": f"Chain of {steps}", "nodes": nodes, "links": links}


def fan_out() -> JsonObject:
    """A list taken apart, each item through two branches, joined again."""
    nodes: list[Json] = [
        {"id": "in", "block": INPUT, "inputs": {"name": "items"}},
        {"id": "each", "block": STEP_THROUGH},
        {"id": "left", "block": STORE},
        {"id": "right", "block": STORE},
        {"id": "join", "block": STORE},
        {"id": "out", "block": OUTPUT, "inputs": {"name": "y"}},
    ]
    links: list[Json] = [
        {"from": "in", "out": "result", "to": "each", "in": "items"},
        {"from": "each", "out": "item", "to": "left", "in": "input"},
        {"from": "each", "out": "item", "to": "right", "in": "input"},
        {"from": "left", "out": "output", "to": "join", "in": "input"},
        {"from": "right", "out": "output", "to": "join", "in": "data"},
        {"from": "join", "out": "output", "to": "out", "in": "value"},
    ]
    return {"format": "pilothouse.agent/1", "name": "Fan-out", "nodes": nodes, "links": links}
