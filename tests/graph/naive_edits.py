"""Editing once more, as plainly as can be, to hold the real thing against: dictionaries, copied whole at each step.

It knows three blocks by heart and shares no code with `pilothouse.graph`.
"""

import copy
from typing import cast

from tests.graph.blocks import Raw

PINS: dict[str, dict[str, set[str]]] = {
    "00000000-0000-4000-8000-000000000001": {
        "in": {"url", "limit", "mode", "headers", "token_credentials", "proxy", "proxy_user"},
        "out": {"text", "links", "error"},
    },
    "00000000-0000-4000-8000-000000000004": {"in": {"name", "value"}, "out": {"output", "name", "error"}},
    "00000000-0000-4000-8000-000000000005": {"in": {"text"}, "out": {"error"}},
}
NAMES: dict[str, str] = dict(zip(("fetch", "output", "note"), PINS, strict=True))
NOTE = NAMES["note"]
TEXTS = {
    "set_name": "name",
    "set_description": "description",
    "set_instructions": "instructions",
    "set_recommended_schedule": "recommended_schedule_cron",
}


class No(Exception):
    """It cannot be done."""


class Naive:
    """A graph, the nodes that operations made, and those that they failed to make."""

    def __init__(self, graph: Raw) -> None:
        self.nodes: dict[str, Raw] = {node["id"]: node for node in copy.deepcopy(graph["nodes"])}
        self.links: list[Raw] = copy.deepcopy(graph["links"])
        self.texts: Raw = {key: graph[key] for key in TEXTS.values() if key in graph}
        self.made: dict[str, str] = {}
        self.lost: set[str] = set()

    def graph(self) -> Raw:
        nodes = [tidy(self.nodes[key]) for key in sorted(self.nodes)]
        links = sorted(self.links, key=lambda link: (link["from"], link["out"], link["to"], link["in"]))
        texts = {key: value for key, value in self.texts.items() if value}
        return {"format": "pilothouse.agent/1", **texts, "nodes": nodes, "links": links}

    def all(self, operations: list[Raw]) -> list[bool]:
        """Do them one after another; which of them could be done."""
        done: list[bool] = []
        for number, operation in enumerate(operations):
            trial = copy.deepcopy(self)
            try:
                getattr(trial, operation["op"], trial.text)(number, operation)
            except No:
                done.append(False)
                if operation["op"] == "add_node":
                    self.lost |= {
                        f"@{number}",
                        operation.get("id", "") if operation.get("id") not in self.nodes else "",
                    }
            else:
                done.append(True)
                self.__dict__ = trial.__dict__
        return done

    def node(self, name: str) -> Raw:
        if name in self.lost or self.made.get(name, name) not in self.nodes:
            raise No
        return self.nodes[self.made.get(name, name)]

    def add_node(self, number: int, operation: Raw) -> None:
        block = block_of(operation["block"])
        word = next(name for name, one in NAMES.items() if one == block)
        tries = [word, *(f"{word}_{n}" for n in range(2, 99))]
        node_id = operation.get("id") or next(one for one in tries if one not in self.nodes)
        inputs = operation.get("inputs", {})
        if node_id in self.nodes or not set(inputs) <= PINS[block]["in"]:
            raise No
        place = operation.get("position", [320 * len(self.nodes), 0])
        self.nodes[node_id] = {"id": node_id, "block": block, "inputs": inputs, "position": place}
        self.made[f"@{number}"] = node_id

    def remove_node(self, number: int, operation: Raw) -> None:
        node_id = self.node(operation["node"])["id"]
        del self.nodes[node_id]
        self.links = [link for link in self.links if node_id not in (link["from"], link["to"])]

    def update_node(self, number: int, operation: Raw) -> None:
        node = self.node(operation["node"])
        if not set(operation["patch"]) <= {"name", "inputs", "position", "policy", "optional_credentials"}:
            raise No
        before = set(node.get("inputs", {}))
        laid_over(node, operation["patch"])
        if not set(node.get("inputs", {})) - before <= PINS[node["block"]]["in"]:
            raise No

    def replace_block(self, number: int, operation: Raw) -> None:
        node, block = self.node(operation["node"]), block_of(operation["block"])
        node["block"] = block
        inputs = node.get("inputs", {})
        node["inputs"] = {pin: inputs[pin] for pin in inputs if pin in PINS[block]["in"] and fits(pin, inputs[pin])}
        for link in list(self.links):
            wrong_out = link["from"] == node["id"] and link["out"] not in PINS[block]["out"]
            wrong_in = link["to"] == node["id"] and link["in"] not in PINS[block]["in"]
            if wrong_out or wrong_in:
                self.links.remove(link)

    def rename_node(self, number: int, operation: Raw) -> None:
        self.node(operation["node"])["name"] = operation["name"]

    def move_node(self, number: int, operation: Raw) -> None:
        self.node(operation["node"])["position"] = operation["position"]

    def set_input(self, number: int, operation: Raw) -> None:
        node = self.node(operation["node"])
        *way, last = operation["field"].split(".")
        if [*way, last][0] not in PINS[node["block"]]["in"]:
            raise No
        inside = node.setdefault("inputs", {})
        for key in way:
            if inside.get(key) is None:
                inside[key] = {}
            if not isinstance(inside[key], dict):
                raise No
            inside = inside[key]
        inside[last] = operation["value"]

    def unset_input(self, number: int, operation: Raw) -> None:
        *way, last = operation["field"].split(".")
        inside: Raw = self.node(operation["node"]).get("inputs", {})
        for key in way:
            if not isinstance(inside.get(key), dict):
                raise No
            inside = inside[key]
        if last not in inside:
            raise No
        del inside[last]

    def connect(self, number: int, operation: Raw) -> None:
        source, target = self.node(operation["from"]), self.node(operation["to"])
        link = {"from": source["id"], "out": operation["out"], "to": target["id"], "in": operation["in"]}
        known = operation["out"] in PINS[source["block"]]["out"] and operation["in"] in PINS[target["block"]]["in"]
        same = any({**other, "static": 0} == {**link, "static": 0} for other in self.links)
        if NOTE in (source["block"], target["block"]) or not known or same:
            raise No
        self.links.append({**link, "static": True} if operation.get("static") else link)

    def disconnect(self, number: int, operation: Raw) -> None:
        ends = (self.node(operation["from"])["id"], operation["out"], self.node(operation["to"])["id"], operation["in"])
        for link in self.links:
            if (link["from"], link["out"], link["to"], link["in"]) == ends:
                self.links.remove(link)
                return
        raise No

    def text(self, number: int, operation: Raw) -> None:
        self.texts[TEXTS[operation["op"]]] = operation["value"]


def block_of(name: str) -> str:
    found = name if name in PINS else NAMES.get(name.lower())
    if found is None:
        raise No
    return found


def fits(pin: str, value: object) -> bool:
    """Of the values that the tests use: what the engine could convert. Null is "not given" and always fits."""
    if value is None:
        return True
    if pin == "limit":
        return not isinstance(value, str)
    return pin != "mode" or value == "fast"


def laid_over(target: Raw, patch: Raw) -> None:
    for key, part in patch.items():
        if part is None:
            target.pop(key, None)
        elif isinstance(part, dict):
            if not isinstance(target.get(key), dict):
                target[key] = {}
            laid_over(target[key], cast(Raw, part))
        else:
            target[key] = part


def tidy(node: Raw) -> Raw:
    """As the canonical form has it: what says nothing is left out."""
    kept = {key: node[key] for key in ("id", "block", "name", "position", "inputs", "policy") if node.get(key)}
    if kept.get("position") == [0, 0]:
        del kept["position"]
    return kept
