"""Agents for these tests, made of blocks that really exist."""

from pilothouse.kit.json import Json, JsonObject

SHORT_TEXT = "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158"
NUMBER = "96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"


def node(id: str, block: str, **inputs: Json) -> JsonObject:
    return {"id": id, "block": block, "inputs": inputs}


def link(source: str, out: str, target: str, sink: str) -> JsonObject:
    return {"from": source, "out": out, "to": target, "in": sink}


def greeter(text: str = "Hello {{ who }}!", name: str = "Greeter") -> JsonObject:
    """Takes `who`, gives `greeting`."""
    return {
        "format": "pilothouse.agent/1",
        "name": name,
        "nodes": [
            node("who", SHORT_TEXT, name="who"),
            node("fill", TEMPLATE, format=text),
            node("out", OUTPUT, name="greeting"),
        ],
        "links": [link("who", "result", "fill", "values_#_who"), link("fill", "output", "out", "value")],
    }
