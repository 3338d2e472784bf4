"""The agents that are measured. All pure, so that what is measured is us."""

from pilothouse.kit.json import Json, JsonObject

INPUT = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
STORE = "1ff065e9-88e8-4358-9d82-8dc91f622ba9"
STEP_THROUGH = "f66a3543-28d3-4ab5-8945-9b336371e2ce"
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"
CALCULATOR = "b1ab9b19-67a6-406d-abf5-2dba76d00c79"
TRIGGER = "8fa8c167-2002-47ce-aba8-97572fc5d387"
REVIEW = "8b2a7b3c-6e9d-4a5f-8c1b-2e3f4a5b6c7d"
TIMER = "d67a9c52-5e4e-11e2-bcfd-0800200c9a71"
ACT = "0e57b10c-0000-4000-8000-000000000008"  # of the test blocks


def chain(steps: int, block: str = STORE, sink: str = "input", out: str = "output") -> JsonObject:
    """An input, so many steps one after another, an output."""
    nodes: list[Json] = [{"id": "in", "block": INPUT, "inputs": {"name": "x"}}]
    links: list[Json] = []
    source, pin = "in", "result"
    for number in range(steps):
        nodes.append({"id": f"s{number}", "block": block})
        links.append({"from": source, "out": pin, "to": f"s{number}", "in": sink})
        source, pin = f"s{number}", out
    nodes.append({"id": "out", "block": OUTPUT, "inputs": {"name": "y"}})
    links.append({"from": source, "out": pin, "to": "out", "in": "value"})
    return {"format": "pilothouse.agent/1", "name": f"Chain of {steps}", "nodes": nodes, "links": links}


def fan_out() -> JsonObject:
    """A list taken apart, each item through two branches, item by item joined again: i gives 3 i + 1."""
    nodes: list[Json] = [
        {"id": "in", "block": INPUT, "inputs": {"name": "items"}},
        {"id": "each", "block": STEP_THROUGH},
        {"id": "left", "block": CALCULATOR, "inputs": {"operation": "Add", "b": 1}},
        {"id": "right", "block": CALCULATOR, "inputs": {"operation": "Multiply", "b": 2}},
        {"id": "join", "block": CALCULATOR, "inputs": {"operation": "Add"}},
        {"id": "out", "block": OUTPUT, "inputs": {"name": "y"}},
    ]
    links: list[Json] = [
        {"from": "in", "out": "result", "to": "each", "in": "items"},
        {"from": "each", "out": "item", "to": "left", "in": "a"},
        {"from": "each", "out": "item", "to": "right", "in": "a"},
        {"from": "left", "out": "result", "to": "join", "in": "a"},
        {"from": "right", "out": "result", "to": "join", "in": "b"},
        {"from": "join", "out": "result", "to": "out", "in": "value"},
    ]
    return {"format": "pilothouse.agent/1", "name": "Fan-out", "nodes": nodes, "links": links}


def triggered() -> JsonObject:
    """What an event brings, handed to one block."""
    nodes: list[Json] = [{"id": "hook", "block": TRIGGER}, {"id": "one", "block": STORE}]
    links: list[Json] = [{"from": "hook", "out": "payload", "to": "one", "in": "input"}]
    return {"format": "pilothouse.agent/1", "name": "Triggered", "nodes": nodes, "links": links}


def effects(steps: int) -> JsonObject:
    """So many steps that each need the disk before and after."""
    return chain(steps, ACT, "value", "value")


def kilobytes() -> JsonObject:
    """Each item becomes a kilobyte of text that passes three nodes and meets itself in a join."""
    nodes: list[Json] = [
        {"id": "in", "block": INPUT, "inputs": {"name": "items"}},
        {"id": "each", "block": STEP_THROUGH},
        {"id": "text", "block": TEMPLATE, "inputs": {"format": "{{ i }}" + "x" * 1_000}},
        {"id": "one", "block": STORE},
        {"id": "two", "block": STORE},
        {"id": "join", "block": STORE},
    ]
    links: list[Json] = [
        {"from": "in", "out": "result", "to": "each", "in": "items"},
        {"from": "each", "out": "item", "to": "text", "in": "values_#_i"},
        {"from": "text", "out": "output", "to": "one", "in": "input"},
        {"from": "one", "out": "output", "to": "two", "in": "input"},
        {"from": "two", "out": "output", "to": "join", "in": "input"},
        {"from": "text", "out": "output", "to": "join", "in": "data"},
    ]
    return {"format": "pilothouse.agent/1", "name": "Kilobytes", "nodes": nodes, "links": links}


def open_joins() -> JsonObject:
    """All items wait in a join until the second list comes, which a person holds back."""
    nodes: list[Json] = [
        {"id": "in", "block": INPUT, "inputs": {"name": "items"}},
        {"id": "each", "block": STEP_THROUGH},
        {"id": "ask", "block": REVIEW, "inputs": {"name": "The other list"}},
        {"id": "again", "block": STEP_THROUGH},
        {"id": "join", "block": STORE},
    ]
    links: list[Json] = [
        {"from": "in", "out": "result", "to": "each", "in": "items"},
        {"from": "in", "out": "result", "to": "ask", "in": "data"},
        {"from": "ask", "out": "approved_data", "to": "again", "in": "items"},
        {"from": "each", "out": "item", "to": "join", "in": "input"},
        {"from": "again", "out": "item", "to": "join", "in": "data"},
    ]
    return {"format": "pilothouse.agent/1", "name": "Open joins", "nodes": nodes, "links": links}


def asks() -> JsonObject:
    """Asks a person, again after each approval: whoever decides says how often it waits."""
    nodes: list[Json] = [
        {"id": "in", "block": INPUT, "inputs": {"name": "x"}},
        {"id": "ask", "block": REVIEW, "inputs": {"name": "Once more?"}},
        {"id": "out", "block": OUTPUT, "inputs": {"name": "y"}},
    ]
    links: list[Json] = [
        {"from": "in", "out": "result", "to": "ask", "in": "data"},
        {"from": "ask", "out": "approved_data", "to": "ask", "in": "data"},
        {"from": "ask", "out": "rejected_data", "to": "out", "in": "value"},
    ]
    return {"format": "pilothouse.agent/1", "name": "Asks", "nodes": nodes, "links": links}


def laps(times: int, seconds: float) -> JsonObject:
    """One step that waits again and again; laps due while it is woken are gone through at once."""
    nodes: list[Json] = [
        {"id": "in", "block": INPUT, "inputs": {"name": "x"}},
        {"id": "wait", "block": TIMER, "inputs": {"seconds": seconds, "repeat": times}},
    ]
    links: list[Json] = [{"from": "in", "out": "result", "to": "wait", "in": "input_message"}]
    return {"format": "pilothouse.agent/1", "name": f"{times} laps", "nodes": nodes, "links": links}
