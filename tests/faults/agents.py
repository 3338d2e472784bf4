"""The agents that the fault tests run. Each takes a number and gives numbers, the same ones whenever it is run."""

from collections.abc import Sequence
from pathlib import Path

from pilothouse.kit.json import Json, JsonObject

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

# Answers get lost; the step asks again under the same key.
AGAIN: JsonObject = {"retry": {"max_attempts": 10, "backoff_s": 0.05, "factor": 1, "jitter": 0}}


def node(id: str, block: str, policy: JsonObject | None = None, **inputs: Json) -> JsonObject:
    return {"id": id, "block": block, "inputs": inputs, **({"policy": policy} if policy else {})}


def link(source: str, out: str, target: str, sink: str) -> JsonObject:
    return {"from": source, "out": out, "to": target, "in": sink}


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


def waits(url: str) -> JsonObject:
    """Waits for somebody to say `go`, then acts."""
    return Chain("waits").sum().add(AWAIT, "value", "value", fact="go").effect(url).sum().document()


def lingers() -> JsonObject:
    """Starts to wait for `go` while another step still works: the fact may come before it sleeps."""
    document = Chain("lingers").sum().add(AWAIT, "value", "value", fact="go").sum().document()
    nodes, links = document["nodes"], document["links"]
    assert isinstance(nodes, list)
    assert isinstance(links, list)
    nodes += [node("aside", SLEEP, seconds=1), node("aside_out", OUTPUT, name="aside")]
    links += [link("n", "result", "aside", "value"), link("aside", "value", "aside_out", "value")]
    return document


def sleeper(seconds: float) -> JsonObject:
    return Chain("sleeper").sleep(seconds).sum().document()


def crowd() -> JsonObject:
    """Holds its place for a while and costs next to nothing: many of it are about fairness, not about speed."""
    return Chain("crowd").sleep(0.5).document()


def long_timer() -> JsonObject:
    return Chain("long_timer").timer(3600).sum().document()


def poison() -> JsonObject:
    document = Chain("poison").sum().document()
    nodes = document["nodes"]
    assert isinstance(nodes, list)
    nodes.append(node("bomb", POISON, armed=True))
    return document


MIXED = ["pure", "steady", "effects", "probes", "timers", "fan_out"]


def every(url: str, probe: Path) -> dict[str, JsonObject]:
    """All of them by name; `MIXED` names those that end by themselves, which the kill tests run."""
    documents = [pure(), steady(), effects(url), probes(probe), timers(url), fan_out(url), waits(url), lingers()]
    documents += [files(), sleeper(30), crowd(), long_timer(), poison()]
    return {str(document["name"]): document for document in documents}
