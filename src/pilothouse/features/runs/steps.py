"""The steps of a run, folded from its log. Pure."""

from typing import Any, cast

from pilothouse.engine import entries
from pilothouse.engine.entries import REHEARSAL, Entry, render
from pilothouse.engine.plan import Plan
from pilothouse.features.runs.simulating import reaches_outside
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.clock import from_micros, to_wire
from pilothouse.kit.json import Json, JsonObject

MAX_OUTPUTS = 100  # shown of one step; the log has them all
_OF_STEPS = frozenset({entries.START, entries.OUTPUT, entries.FINISH, entries.WAIT, entries.RESUME, entries.RETRY})


class StepPage:
    """Some steps in the order they started. Feed it the log from where the page begins, until it is complete."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._steps: dict[int, dict[str, Any]] = {}
        self._going: set[int] = set()  # those of them that are not over
        self.simulated = False  # what reaches outside is made up by a model
        self.next_after: int | None = None  # the event before the first step that is not on this page

    @property
    def is_complete(self) -> bool:
        return self.next_after is not None and not self._going

    def steps(self) -> list[JsonObject]:
        return list(self._steps.values())

    def take(self, seq: int, entry: Entry, plan: Plan) -> None:
        kind = entry[0]
        if kind == entries.QUEUED:
            self.simulated = is_simulated(entry)
        elif kind == entries.FINISHED:
            self._end_all(entry)
        elif kind == entries.RUNNING:
            self._begin_again()
        elif kind in _OF_STEPS:
            if kind == entries.START and entry[5] is not None:
                self._open(seq, entry, plan)
            if entry[2] in self._going:
                self._change(self._steps[entry[2]], render(seq, entry, plan))

    def _open(self, seq: int, entry: Entry, plan: Plan) -> None:
        if len(self._steps) < self._limit:
            step_id, node = cast(int, entry[2]), cast(int, entry[3])
            self._steps[step_id] = _blank(step_id, plan.nodes[node].id)
            self._steps[step_id]["simulated"] = self.simulated and reaches_outside(plan.nodes[node].spec)
            self._going.add(step_id)
        elif self.next_after is None:
            self.next_after = seq - 1

    def _change(self, step: dict[str, Any], event: JsonObject) -> None:
        match event["type"]:
            case "step.started":
                step["status"], step["attempt"], step["waiting"] = "running", event["attempt"], None
                step["started_at"] = step["started_at"] or event["at"]
                step["inputs"] = event.get("inputs", step["inputs"])
                step["recorded"] = event.get("recorded")
            case "step.output":
                step["output_count"] += 1
                if len(step["outputs"]) < MAX_OUTPUTS:
                    step["outputs"].append({"pin": event["pin"], "value": event["value"]})
            case "step.waiting":
                over = event["over"]
                step["status"] = "ready" if over else "waiting"
                step["waiting"] = None if over else {"for": event["wait"], "due": event["due"], "ref": event["ref"]}
            case "review.requested":
                step["status"] = "waiting"
                step["waiting"] = {"for": "review", "due": None, "ref": {"review_id": event["review_id"]}}
            case "review.decided":
                step["status"], step["waiting"] = "ready", None
            case "step.retry":
                step["status"], step["error"] = "waiting", event["error"]
                step["waiting"] = {"for": "retry", "due": event["due"], "ref": None}
            case _:
                step["status"], step["error"], step["ended_at"] = event["status"], event["error"], event["at"]
                self._going.discard(step["step_id"])

    def _begin_again(self) -> None:
        """What was in flight when a worker stopped is to be done again."""
        for step_id in self._going:
            if self._steps[step_id]["status"] == "running":
                self._steps[step_id]["status"] = "ready"

    def _end_all(self, entry: Entry) -> None:
        """A run that has ended leaves no step unfinished."""
        for step_id in self._going:
            self._steps[step_id].update(status="cancelled", waiting=None, ended_at=to_wire(from_micros(entry[1])))
        self._going.clear()


def is_simulated(accepted: Entry) -> bool:
    """Whether a run that was accepted so is a dry one in which a model plays the world outside."""
    told = as_object(as_object(accepted[2]).get(REHEARSAL))
    return told.get("mode") == "simulate"


def _blank(step_id: int, node_id: str) -> dict[str, Any]:
    return {
        "step_id": step_id,
        "node_id": node_id,
        "status": "ready",
        "attempt": 1,
        "inputs": None,
        "outputs": [],
        "output_count": 0,
        "error": None,
        "waiting": None,
        "started_at": None,
        "ended_at": None,
        "recorded": None,
        "simulated": False,
    }


# What is left of a step when the log has expired, in this order.
_LASTING = (
    "step_id",
    "node_id",
    "status",
    "attempt",
    "output_count",
    "error",
    "started_at",
    "ended_at",
    "recorded",
    "simulated",
)


def shortened(step: JsonObject) -> list[Json]:
    """A step without what went in and came out, as short as it can be written."""
    return [step[name] for name in _LASTING]


def lengthened(kept: list[Json]) -> JsonObject:
    """What `shortened` wrote, in the shape of a step."""
    return {**_blank(0, ""), **dict(zip(_LASTING, kept, strict=False))}  # an older version kept less
