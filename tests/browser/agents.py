"""Agents that the scenarios need."""

import json
from collections.abc import Mapping
from typing import Any

from tests.app.commands import ROOT

EXAMPLE: dict[str, Any] = json.loads((ROOT / "docs/start/greeting.json").read_text())
GREETING = EXAMPLE | {"name": "Harbour greeting"}  # the house has an example of the plain name

ASKING: dict[str, object] = {
    "name": "Letter to the harbour master",
    "nodes": [
        {
            "id": "ask",
            "name": "Look at the letter to the harbour master before it is sent",
            "block": "8b2a7b3c-6e9d-4a5f-8c1b-2e3f4a5b6c7d",
            "inputs": {"name": "Letter", "data": "We arrive at noon."},
        },
        {"id": "said", "block": "363ae599-353e-4804-937e-b2ee3cef3da4", "inputs": {"name": "sent"}},
    ],
    "links": [{"from": "ask", "out": "approved_data", "to": "said", "in": "value"}],
}


OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
DECODE = "2b935639-65bc-48fd-9f88-823cd706fcd9"
STEP_THROUGH = "f66a3543-28d3-4ab5-8945-9b336371e2ce"
STORE = "1ff065e9-88e8-4358-9d82-8dc91f622ba9"


def slow_greeting(seconds: float) -> dict[str, Any]:
    """Greets after a while: its run sleeps, so that a turn can be watched, stopped and disturbed."""
    return {
        "name": "Slow greeting",
        "nodes": [
            {"id": "who", "block": "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158", "inputs": {"name": "name"}},
            {"id": "wait", "block": "d67a9c52-5e4e-11e2-bcfd-0800200c9a71", "inputs": {"seconds": seconds}},
            {"id": "said", "block": "363ae599-353e-4804-937e-b2ee3cef3da4", "inputs": {"name": "greeting"}},
        ],
        "links": [
            {"from": "who", "out": "result", "to": "wait", "in": "input_message"},
            {"from": "wait", "out": "output_message", "to": "said", "in": "value"},
        ],
    }


def delegating(agent_id: str) -> dict[str, object]:
    """Waits for another agent, which it runs as a part of itself."""
    inner: dict[str, object] = {
        "graph_id": agent_id,
        "graph_version": 1,
        "inputs": {},
        "input_schema": {},
        "output_schema": {},
    }
    block = "e189baac-8c20-45a1-94a7-55177ea42565"
    name = "Have the letter written by the agent that knows the harbour"
    return {"name": "Delegates", "nodes": [{"id": "inner", "name": name, "block": block, "inputs": inner}], "links": []}


def showing(values: Mapping[str, object]) -> dict[str, object]:
    nodes = [{"id": name, "block": OUTPUT, "inputs": {"name": name, "value": value}} for name, value in values.items()]
    return {"name": "Shows things", "nodes": nodes, "links": []}


def many_steps(count: int) -> dict[str, object]:
    each: dict[str, object] = {"id": "each", "block": STEP_THROUGH, "inputs": {"items": list(range(count))}}
    kept: dict[str, object] = {"id": "kept", "name": "Keep the item", "block": STORE, "inputs": {}}
    return {
        "name": "Many steps",
        "nodes": [each, kept],
        "links": [{"from": "each", "out": "item", "to": "kept", "in": "input"}],
    }


def reading(lines: list[str]) -> dict[str, Any]:
    """Reads every line as JSON; a step whose line is none fails."""
    each: dict[str, object] = {"id": "each", "block": STEP_THROUGH, "inputs": {"items": lines}}
    read: dict[str, Any] = {"id": "read", "name": "Read the line", "block": DECODE, "inputs": {}}
    return {
        "name": "Reads lines",
        "nodes": [each, read],
        "links": [{"from": "each", "out": "item", "to": "read", "in": "json_str"}],
    }
