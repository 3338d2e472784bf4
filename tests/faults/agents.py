"""The agents that the fault tests run. Each takes a number and gives numbers, the same ones whenever it is run."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pilothouse.kit.json import Json, JsonObject, dumps, loads

NUMBER = "96dae2bb-97a2-41c2-bd2f-13a3b5a8ea98"
OUTPUT = "363ae599-353e-4804-937e-b2ee3cef3da4"
STEP_THROUGH = "f66a3543-28d3-4ab5-8945-9b336371e2ce"
COUNTDOWN = "d67a9c52-5e4e-11e2-bcfd-0800200c9a71"
EFFECT = "0e57b10c-0000-4000-8000-000000000001"
PROBE = "0e57b10c-0000-4000-8000-000000000002"
SLEEP = "0e57b10c-0000-4000-8000-000000000003"
ADD = "0e57b10c-0000-4000-8000-000000000004"
FILE_WRITE = "15b9219f-50cb-457e-8e35-3d59f46af14f"
FILE_READ = "3735a31f-7e18-4aca-9e90-08a7120674bc"
POISON = "0e57b10c-0000-4000-8000-000000000005"
AWAIT = "0e57b10c-0000-4000-8000-000000000006"
SPEND = "0e57b10c-0000-4000-8000-000000000023"
CHILD = "e189baac-8c20-45a1-94a7-55177ea42565"
TEMPLATE = "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"

# Answers get lost; the step asks again under the same key.
AGAIN: JsonObject = {"retry": {"max_attempts": 10, "backoff_s": 0.05, "factor": 1, "jitter": 0}}


def node(id: str, block: str, policy: JsonObject | None = None, **inputs: Json) -> JsonObject:
    return {"id": id, "block": block, "inputs": inputs, **({"policy": policy} if policy else {})}


def link(source: str, out: str, target: str, sink: str) -> JsonObject:
    return {"from": source, "out": out, "to": target, "in": sink}


def called(document: JsonObject, agents: Mapping[str, str]) -> JsonObject:
    """With ids for the names of agents that it runs, which are made before it."""
    return cast(JsonObject, loads(re.sub('"@([a-z_]+)"', lambda found: f'"{agents[found[1]]}"', dumps(document))))


class Chain:
    """A line of steps that hand one number on, from the input `n` to the output `result`."""

    def __init__(self, name: str, *, source: tuple[str, str] = ("n", "result")) -> None:
        self.name = name
        self._nodes: list[Json] = [node("n", NUMBER, name="n")]
        self._links: list[Json] = []
        self._end = source

    def add(self, block: str, sink: str, out: str, policy: JsonObject | None = None, **inputs: Json) -> "Chain":
        id = f"s{len(self._nodes)}"
        self._nodes.append(node(id, block, policy, **inputs))
        self._links.append(link(*self._end, id, sink))
        self._end = (id, out)
        return self

    def sleep(self, seconds: float) -> "Chain":
        return self.add(SLEEP, "value", "value", seconds=seconds)

    def effect(self, url: str) -> "Chain":
        return self.add(EFFECT, "payload", "payload", AGAIN, url=url)

    def probe(self, path: Path) -> "Chain":
        return self.add(PROBE, "value", "value", path=str(path))

    def sum(self, by: int = 1) -> "Chain":
        return self.add(ADD, "a", "sum", b=by)

    def file(self, path: str) -> "Chain":
        """Written, left for a moment, and read again."""
        self.add(FILE_WRITE, "content", "file", path=path).sleep(0.1)
        return self.add(FILE_READ, "file_input", "content")

    def timer(self, seconds: float) -> "Chain":
        return self.add(COUNTDOWN, "input_message", "output_message", seconds=seconds)

    def spend(self) -> "Chain":
        return self.add(SPEND, "value", "value")

    def agent(self, name: str) -> "Chain":
        schemas: JsonObject = {"input_schema": {}, "output_schema": {}}
        return self.add(CHILD, "n", "result", None, graph_id=f"@{name}", graph_version=1, inputs={}, **schemas)

    def items(self, values: Sequence[Json]) -> "Chain":
        """From here on once for each of these; what came before is let go."""
        self._nodes.append(node("items", STEP_THROUGH, items=list(values)))
        self._end = ("items", "item")
        return self

    def document(self) -> JsonObject:
        nodes: list[Json] = [*self._nodes, node("out", OUTPUT, name="result")]
        links: list[Json] = [*self._links, link(*self._end, "out", "value")]
        return {"format": "pilothouse.agent/1", "name": self.name, "nodes": nodes, "links": links}


def pure() -> JsonObject:
    chain = Chain("pure")
    for _ in range(6):
        chain.sum()
    return chain.document()


def steady() -> JsonObject:
    """Takes a second, in steps, and touches nothing: what is in flight when a process dies."""
    chain = Chain("steady")
    for _ in range(5):
        chain.sum().sleep(0.2)
    return chain.document()


def effects(url: str) -> JsonObject:
    return Chain("effects").sleep(0.05).effect(url).sum().sleep(0.1).effect(url).sum().effect(url).document()


def probes(path: Path) -> JsonObject:
    return Chain("probes").probe(path).sleep(0.1).probe(path).sum().probe(path).document()


def files() -> JsonObject:
    """What is written is read from there, and written on."""
    return Chain("files").file("one.txt").file("two.txt").file("three.txt").document()


def timers(url: str) -> JsonObject:
    return Chain("timers").sum().timer(0.4).effect(url).timer(0.3).sum().document()


def fan_out(url: str) -> JsonObject:
    """Eight items side by side, each with an effect of its own."""
    return Chain("fan_out").items(list(range(8))).sum().sleep(0.05).effect(url).sum().document()


def inner(url: str) -> JsonObject:
    """What `nested` runs: it acts, and costs something."""
    return Chain("inner").sum().spend().sleep(0.05).effect(url).sum().document()


def nested() -> JsonObject:
    """Another agent in its middle."""
    return Chain("nested").sum().agent("inner").sum().document()


def handled() -> JsonObject:
    """A step of it fails, and somebody is told what it says."""
    return _with(
        Chain("handled").sum().sleep(0.05).sum().document(),
        [node("bad", COUNTDOWN, seconds=-1), node("wrong", OUTPUT, name="wrong")],
        [link("s2", "value", "bad", "input_message"), link("bad", "error", "wrong", "value")],
    )


def fixed() -> JsonObject:
    """One value that comes late, over a static link, to each of several."""
    return _with(
        Chain("fixed").items([10, 20, 30, 40]).add(ADD, "a", "sum").document(),
        [node("late", SLEEP, seconds=0.1)],
        [link("n", "result", "late", "value"), {**link("late", "value", "s2", "b"), "static": True}],
    )


def large() -> JsonObject:
    """A text that is too long to stand in the log is handed on twice."""
    text = "x" * 40_000 + " {{ n }}"
    chain = Chain("large").sleep(0.05).add(TEMPLATE, "values_#_n", "output", format=text)
    return chain.sleep(0.05).sleep(0.05).document()


def waits(url: str) -> JsonObject:
    """Waits for somebody to say `go`, then acts."""
    return Chain("waits").sum().add(AWAIT, "value", "value", fact="go").effect(url).sum().document()


def lingers() -> JsonObject:
    """Starts to wait for `go` while another step still works: the fact may come before it sleeps."""
    return _with(
        Chain("lingers").sum().add(AWAIT, "value", "value", fact="go").sum().document(),
        [node("aside", SLEEP, seconds=1), node("aside_out", OUTPUT, name="aside")],
        [link("n", "result", "aside", "value"), link("aside", "value", "aside_out", "value")],
    )


def sleeper(seconds: float) -> JsonObject:
    return Chain("sleeper").sleep(seconds).sum().document()


def crowd() -> JsonObject:
    """Holds its place for a while and costs next to nothing: many of it are about fairness, not about speed."""
    return Chain("crowd").sleep(0.5).document()


def long_timer() -> JsonObject:
    return Chain("long_timer").timer(3600).sum().document()


def poison() -> JsonObject:
    return _with(Chain("poison").sum().document(), [node("bomb", POISON, armed=True)], [])


def _with(document: JsonObject, nodes: Sequence[JsonObject], links: Sequence[JsonObject]) -> JsonObject:
    """Something beside the chain."""
    before = cast(dict[str, list[Json]], document)
    return {**document, "nodes": [*before["nodes"], *nodes], "links": [*before["links"], *links]}


MIXED = ["pure", "steady", "effects", "probes", "timers", "fan_out", "nested", "handled", "fixed", "large"]


def every(url: str, probe: Path) -> dict[str, JsonObject]:
    """All of them by name; `MIXED` names those that end by themselves, which the kill tests run."""
    documents = [pure(), steady(), effects(url), probes(probe), timers(url), fan_out(url), waits(url), lingers()]
    documents += [inner(url), nested(), handled(), fixed(), large()]
    documents += [files(), sleeper(30), crowd(), long_timer(), poison()]
    return {str(document["name"]): document for document in documents}
