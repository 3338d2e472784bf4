"""Agents for the tests of runs."""

from collections.abc import Sequence

from pilothouse.kit.json import Json, JsonObject

ANY = "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b"
TEXT = "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158"
NUMBER = "96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"
CONDITION = "715696a0-e1da-45c8-b209-c2fa9c3b0be6"
STEP_THROUGH = "f66a3543-28d3-4ab5-8945-9b336371e2ce"
STORE = "1ff065e9-88e8-4358-9d82-8dc91f622ba9"
DICTIONARY = "b924ddf4-de4f-4b56-9a85-358930dcbc91"
LIST = "a912d5c7-6e00-4542-b2a9-8034136930e4"
TIMER = "d67a9c52-5e4e-11e2-bcfd-0800200c9a71"
SLEEP = "0e57b10c-0000-4000-8000-000000000003"
ADD = "0e57b10c-0000-4000-8000-000000000004"
AWAIT = "0e57b10c-0000-4000-8000-000000000006"
BURN = "0e57b10c-0000-4000-8000-000000000007"


def node(id: str, block: str, policy: JsonObject | None = None, **inputs: Json) -> JsonObject:
    return {"id": id, "block": block, "inputs": inputs, **({"policy": policy} if policy else {})}


def link(source: str, out: str, target: str, sink: str) -> JsonObject:
    return {"from": source, "out": out, "to": target, "in": sink}


def graph(name: str, nodes: Sequence[JsonObject], links: Sequence[JsonObject]) -> JsonObject:
    return {"format": "pilothouse.agent/1", "name": name, "nodes": [*nodes], "links": [*links]}


def greeting(text: str = "Hello {{ who }}!") -> JsonObject:
    return graph(
        "Greeting",
        [node("who", TEXT, name="who"), node("fill", TEMPLATE, format=text), node("out", OUTPUT, name="greeting")],
        [link("who", "result", "fill", "values_#_who"), link("fill", "output", "out", "value")],
    )


def adder(by: int = 1) -> JsonObject:
    return graph(
        "Adder",
        [node("n", NUMBER, name="n"), node("add", ADD, b=by), node("out", OUTPUT, name="sum")],
        [link("n", "result", "add", "a"), link("add", "sum", "out", "value")],
    )


def sleeper(seconds: float) -> JsonObject:
    """Takes its time in one step, then gives `n`."""
    return graph(
        "Sleeper",
        [node("n", NUMBER, name="n"), node("sleep", SLEEP, seconds=seconds), node("out", OUTPUT, name="result")],
        [link("n", "result", "sleep", "value"), link("sleep", "value", "out", "value")],
    )


def timer(seconds: float, repeat: int = 1) -> JsonObject:
    """Gives `tick` after each wait."""
    return graph(
        "Timer",
        [
            node("timer", TIMER, seconds=seconds, repeat=repeat, input_message="tick"),
            node("out", OUTPUT, name="tick"),
        ],
        [link("timer", "output_message", "out", "value")],
    )


def waits_for(fact: str) -> JsonObject:
    return graph(
        "Waits",
        [node("wait", AWAIT, fact=fact), node("out", OUTPUT, name="said")],
        [link("wait", "fact", "out", "value")],
    )


def fan_out(count: int) -> JsonObject:
    """Each number, plus one, in order."""
    return graph(
        "Fan-out",
        [
            node("items", STEP_THROUGH, items=list(range(count))),
            node("add", ADD, b=1),
            node("out", OUTPUT, name="sum"),
        ],
        [link("items", "item", "add", "a"), link("add", "sum", "out", "value")],
    )
