"""Agents for the tests of runs."""

from collections.abc import Sequence
from typing import Any

from pilothouse.blocks.registry import Registry
from pilothouse.engine.state import Pause
from pilothouse.kit.json import Json, JsonObject

CATALOGUE = Registry(test_blocks=True)
PAUSE = Pause("fact", None, "go")

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
ACT = "0e57b10c-0000-4000-8000-000000000020"
LOCK = "0e57b10c-0000-4000-8000-000000000021"
LAPS = "0e57b10c-0000-4000-8000-000000000022"
SPEND = "0e57b10c-0000-4000-8000-000000000023"
TRIGGER = "8fa8c167-2002-47ce-aba8-97572fc5d387"
CHILD = "e189baac-8c20-45a1-94a7-55177ea42565"
HUMAN = "8b2a7b3c-6e9d-4a5f-8c1b-2e3f4a5b6c7d"


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


def hooked() -> JsonObject:
    """Gives what its trigger was sent, beside something that needs no event."""
    return graph(
        "Hooked",
        [node("hook", TRIGGER), node("sent", OUTPUT, name="sent"), node("add", ADD, a=1, b=1)],
        [link("hook", "payload", "sent", "value")],
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


def asks(data: Json = None, **inputs: Json) -> JsonObject:
    """Asks a person about `data`, and gives what comes of it."""
    pins = ("approved_data", "rejected_data", "review_message", "error")
    return graph(
        "Asks",
        [node("ask", HUMAN, None, data=data, name="Mail", **inputs), *(node(pin, OUTPUT, name=pin) for pin in pins)],
        [link("ask", pin, pin, "value") for pin in pins],
    )


def acts(*things: Json) -> JsonObject:
    """Does each of these, one after the other, by a block that may have to be allowed."""
    return graph(
        "Acts",
        [
            node("items", STEP_THROUGH, items=[*things]),
            node("act", ACT),
            node("done", OUTPUT, name="done"),
            node("wrong", OUTPUT, name="wrong"),
        ],
        [
            link("items", "item", "act", "what"),
            link("act", "done", "done", "value"),
            link("act", "error", "wrong", "value"),
        ],
    )


def locked(fact: str = "go", key: str = "x") -> JsonObject:
    """Waits, then opens a lock with a key that is secret."""
    return graph(
        "Locked",
        [node("wait", AWAIT, fact=fact), node("lock", LOCK, key=key), node("out", OUTPUT, name="opened")],
        [link("wait", "fact", "lock", "value"), link("lock", "opened", "out", "value")],
    )


def order(child: str, version: int = 1) -> dict[str, Any]:
    """What a node that runs another agent must say of it."""
    return {"graph_id": child, "graph_version": version, "input_schema": {}, "output_schema": {}}


def calls(child: str, out: str, /, *, version: int = 1, policy: JsonObject | None = None, **inputs: Json) -> JsonObject:
    """Runs another agent and gives what that gives under the same name."""
    return graph(
        "Parent",
        [
            node("sub", CHILD, policy, **order(child, version), inputs=inputs),
            node("out", OUTPUT, name=out),
            node("wrong", OUTPUT, name="wrong"),
        ],
        [link("sub", out, "out", "value"), link("sub", "error", "wrong", "value")],
    )


def two_pins() -> JsonObject:
    """A step that lacks one of its two values for ever."""
    return graph(
        "Lacks",
        [node("one", ADD, a=1), node("other", AWAIT, fact="go"), node("add", ADD)],
        [link("one", "sum", "add", "a"), link("other", "fact", "add", "b")],
    )


def chain(count: int) -> JsonObject:
    """Adds one so many times, one after the other."""
    names = [f"add_{turn}" for turn in range(count)]
    before = [("n", "result"), *((name, "sum") for name in names)]
    return graph(
        "Chain",
        [node("n", NUMBER, name="n"), *(node(name, ADD) for name in names), node("out", OUTPUT, name="sum")],
        [
            *(link(*source, name, "a") for source, name in zip(before, names, strict=False)),
            link(*before[-1], "out", "value"),
        ],
    )
