"""Graphs for tests, made of blocks that really exist."""

from pilothouse.kit.json import Json, JsonObject

SHORT_TEXT = "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158"
NUMBER = "96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"
WEB_REQUEST = "6595ae1f-b924-42cb-9a41-551a0611c4b4"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def node(id: str, block: str, position: tuple[int, int] = (0, 0), **inputs: Json) -> JsonObject:
    return {"id": id, "block": block, "position": list(position), "inputs": inputs}


def link(source: str, out: str, target: str, sink: str) -> JsonObject:
    return {"from": source, "out": out, "to": target, "in": sink}


def greeter(text: str = "Hello {{ who }}!", name: str = "Greeter", **metadata: Json) -> JsonObject:
    """Takes `who` and, if told, `times`; gives `greeting`."""
    return {
        "format": "pilothouse.agent/1",
        "name": name,
        "description": "Says hello.",
        **metadata,
        "nodes": [
            node("who", SHORT_TEXT, name="who"),
            node("times", NUMBER, name="times", value=1),
            node("fill", TEMPLATE, format=text),
            node("out", OUTPUT, name="greeting"),
        ],
        "links": [
            link("who", "result", "fill", "values_#_who"),
            link("times", "result", "fill", "values_#_times"),
            link("fill", "output", "out", "value"),
        ],
    }


def broken() -> JsonObject:
    """A graph with three faults of structure."""
    return {
        "name": "Broken",
        "nodes": [node("a", UNKNOWN), node("b", TEMPLATE, format="x")],
        "links": [link("b", "nothing", "b", "values_#_x"), link("nowhere", "output", "b", "format")],
    }
