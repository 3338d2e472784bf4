"""Two ended runs side by side."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from pilothouse.base.actor import Actor
from pilothouse.engine import entries
from pilothouse.engine.entries import Entry
from pilothouse.engine.plan import Plan
from pilothouse.engine.usage import COST
from pilothouse.features.runs.again import Before, look_back
from pilothouse.features.runs.service import Runs
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import Json, JsonObject


@dataclass(slots=True)
class Figures:
    """What the steps of a node came to."""

    statuses: Counter[str] = field(default_factory=Counter[str])
    cost: int = 0
    micros: int = 0
    fires: list[Json] = field(default_factory=list[Json])

    def as_json(self) -> JsonObject:
        return {
            "steps": self.statuses.total(),
            "statuses": dict(sorted(self.statuses.items())),
            "cost_microdollars": self.cost,
            "duration_ms": self.micros / 1000,
        }


async def compare_runs(runs: Runs, actor: Actor, a: RunId, b: RunId) -> JsonObject:
    """Outputs, status, cost and duration of two runs, and of each node. Raises `RunNotEnded`, `RunExpired`."""
    one, other = await look_back(runs, actor, a), await look_back(runs, actor, b)
    plans = [await runs.plans.outline(run.facts.agent_id, run.facts.version) for run in (one, other)]
    outputs = _outputs(one, other)
    both = zip((one, other), plans, strict=True)
    figures = [await asyncio.to_thread(figures_of, run.log, plan) for run, plan in both]
    return {
        "a": _brief(one),
        "b": _brief(other),
        "same_status": one.facts.status == other.facts.status,
        "same_outputs": all(output["same"] for output in outputs),
        "outputs": [*outputs],
        "nodes": [*_nodes(*figures)],
    }


def figures_of(log: Sequence[Entry], plan: Plan) -> dict[str, Figures]:
    """By node id, in the order in which nodes were reached."""
    found: dict[str, Figures] = {}
    began: dict[int, int] = {}
    for entry in log:
        kind = entry[0]
        if kind not in (entries.START, entries.OUTPUT, entries.FINISH, entries.RETRY):
            continue
        node: int = entry[3]
        figures = found.setdefault(plan.nodes[node].id, Figures())
        if kind == entries.START:
            began.setdefault(entry[2], entry[1])
        elif kind == entries.OUTPUT:
            figures.fires.append([entry[4], entry[6]])
        elif kind == entries.RETRY:
            figures.cost += _spent(entry[7:])
        else:
            figures.statuses[entry[4]] += 1
            figures.micros += entry[1] - began[entry[2]]
            figures.cost += _spent(entry[6:])
    return found


def _spent(rest: Entry) -> int:
    return sum(rest[0][COST].values()) if rest else 0


def _brief(run: Before) -> JsonObject:
    stats = cast(dict[str, Json], run.facts.stats or {})
    return {
        "id": run.facts.id,
        "version": run.facts.version,
        "status": run.facts.status,
        "cost_microdollars": sum(cast(dict[str, int], stats.get(COST) or {}).values()),
        "duration_ms": stats.get("duration_ms", 0),
    }


def _outputs(one: Before, other: Before) -> list[JsonObject]:
    a, b = cast(dict[str, Json], one.facts.outputs), cast(dict[str, Json], other.facts.outputs)
    return [
        {"name": name, "same": a.get(name) == b.get(name), "a": a.get(name, []), "b": b.get(name, [])}
        for name in sorted({*a, *b})
    ]


def _nodes(one: dict[str, Figures], other: dict[str, Figures]) -> list[JsonObject]:
    rows: list[JsonObject] = []
    for node_id in dict.fromkeys([*one, *other]):
        a, b = one.get(node_id), other.get(node_id)
        same = a is not None and b is not None and a.fires == b.fires
        figures: JsonObject = {"a": a.as_json() if a else None, "b": b.as_json() if b else None}
        rows.append({"node_id": node_id, "same_outputs": same, **figures})
    return rows
