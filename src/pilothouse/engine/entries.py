"""Journal entries: short lists that are cheap to build and to encode. Entry n of a run's log has seq n.

`[kind, at, ...]`, where `at` is in microseconds. The log holds facts, and what follows from a fact stands right
after it: `WARNING` and `RESULT` are such consequences, which a fold works out again and only checks off.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias

from pilothouse.engine.plan import Plan
from pilothouse.kit.clock import from_micros, to_wire
from pilothouse.kit.json import Json, JsonObject

Tree: TypeAlias = Any  # plain JSON whose shape only its writer and its reader know
Entry: TypeAlias = list[Tree]  # each kind has its own shape; the makers in `Run` and the readers below are all there is
RunStatus: TypeAlias = Literal[
    "queued", "running", "waiting", "completed", "completed_with_errors", "failed", "cancelled"
]
StepStatus: TypeAlias = Literal[
    "open", "ready", "running", "waiting", "completed", "failed", "skipped", "cancelled", "leftover"
]

REHEARSAL: Final = "rehearsal"  # a fact of runs of which nothing reaches outside
QUEUED: Final = "q"  # at, {inputs, masks, sealed, payload, skips}
RUNNING: Final = "g"  # at
WAITING: Final = "p"  # at, wake_at
START: Final = "s"  # at, step, node, attempt, inputs (null when the step was started before), then whose record it is
OUTPUT: Final = "o"  # at, step, node, pin, ordinal, value
FINISH: Final = "f"  # at, step, node, status, error, then what it spent, if anything
WAIT: Final = "w"  # at, step, node, kind, due, ref, then if there is more to say: keep, gate
RESUME: Final = "u"  # at, step, node, fact
RETRY: Final = "y"  # at, step, node, attempt, error, due, then what that attempt spent
WARNING: Final = "n"  # at, step, node, code, link
RESULT: Final = "v"  # at, step, node, name, value
FINISHED: Final = "z"  # at, status, reason, summary


def accepted(
    at: int,
    inputs: JsonObject,
    masks: dict[str, JsonObject] | None = None,
    payload: JsonObject | None = None,
    skips: Sequence[str] = (),
) -> Entry:
    """The first entry of every run, written by admission in the transaction that accepts it.

    `skips` are nodes whose steps are not to run (their optional credentials are absent): decided once, for good.
    """
    facts: JsonObject = {"inputs": inputs}
    if masks:
        facts["masks"] = {node_id: dict(mask) for node_id, mask in masks.items()}
    if payload is not None:
        facts["payload"] = payload
    if skips:
        facts["skips"] = [*skips]
    return [QUEUED, at, facts]


def render(seq: int, entry: Entry, plan: Plan) -> JsonObject:
    """The public event of an entry."""
    kind, read = _EVENTS[_shown_as(entry)]
    event: JsonObject = {"id": seq, "type": kind, "at": to_wire(from_micros(entry[1]))}
    event.update(read(entry, plan))
    return event


def _shown_as(entry: Entry) -> str:
    """A wait for a person, and its end, have events of their own."""
    if entry[0] == WAIT and entry[4] == "review":
        return _ASKED
    if entry[0] == RESUME and isinstance(entry[4], dict) and "review_id" in entry[4]:
        return _DECIDED
    return entry[0]


def _step(entry: Entry, plan: Plan) -> JsonObject:
    node: int = entry[3]
    return {"step_id": entry[2], "node_id": plan.nodes[node].id}


def _moment(micros: int | None) -> Json:
    return None if micros is None else to_wire(from_micros(micros))


def _queued(entry: Entry, plan: Plan) -> JsonObject:
    facts: JsonObject = entry[2]
    shown: JsonObject = {"status": "queued", "inputs": facts["inputs"]}
    told = facts.get(REHEARSAL)
    return shown | {"dry_run": told.get("mode")} if isinstance(told, dict) else shown


def _running(entry: Entry, plan: Plan) -> JsonObject:
    return {"status": "running"}


def _waiting(entry: Entry, plan: Plan) -> JsonObject:
    return {"status": "waiting", "wake_at": _moment(entry[2])}


def _started(entry: Entry, plan: Plan) -> JsonObject:
    more: JsonObject = {"again": True} if entry[5] is None else {"inputs": entry[5]}
    if len(entry) > 6:
        more["recorded"] = entry[6]
    return _step(entry, plan) | {"attempt": entry[4]} | more


def _output(entry: Entry, plan: Plan) -> JsonObject:
    return _step(entry, plan) | {"pin": entry[4], "ordinal": entry[5], "value": entry[6]}


def _finish(entry: Entry, plan: Plan) -> JsonObject:
    spent: JsonObject = entry[6] if len(entry) > 6 else {}
    return _step(entry, plan) | {"status": entry[4], "error": entry[5]} | spent


def _wait(entry: Entry, plan: Plan) -> JsonObject:
    return _step(entry, plan) | {"wait": entry[4], "due": _moment(entry[5]), "ref": entry[6], "over": False}


def _resume(entry: Entry, plan: Plan) -> JsonObject:
    return _step(entry, plan) | {"over": True}


def _asked(entry: Entry, plan: Plan) -> JsonObject:
    return _step(entry, plan) | entry[6]


def _decided(entry: Entry, plan: Plan) -> JsonObject:
    shown = ("review_id", "state", "approved", "message", "automatic")
    return _step(entry, plan) | {name: entry[4].get(name) for name in shown}


def _retry(entry: Entry, plan: Plan) -> JsonObject:
    return _step(entry, plan) | {"attempt": entry[4], "error": entry[5], "due": _moment(entry[6])}


def _warning(entry: Entry, plan: Plan) -> JsonObject:
    index: int = entry[5]
    link = plan.links[index].link
    wire: JsonObject = {"from": link.source, "out": link.out, "to": link.target, "in": link.sink}
    event = _step(entry, plan)
    event.update(code=entry[4], link=wire)
    return event


def _result(entry: Entry, plan: Plan) -> JsonObject:
    return _step(entry, plan) | {"name": entry[4], "value": entry[5]}


def _finished(entry: Entry, plan: Plan) -> JsonObject:
    return {"status": entry[2], "reason": entry[3], **entry[4]}


_ASKED: Final = "w review"
_DECIDED: Final = "u review"
_EVENTS: Final[dict[str, tuple[str, Callable[[Entry, Plan], JsonObject]]]] = {
    QUEUED: ("run.status", _queued),
    RUNNING: ("run.status", _running),
    WAITING: ("run.status", _waiting),
    START: ("step.started", _started),
    OUTPUT: ("step.output", _output),
    FINISH: ("step.finished", _finish),
    WAIT: ("step.waiting", _wait),
    RESUME: ("step.waiting", _resume),
    _ASKED: ("review.requested", _asked),
    _DECIDED: ("review.decided", _decided),
    RETRY: ("step.retry", _retry),
    WARNING: ("run.warning", _warning),
    RESULT: ("run.output", _result),
    FINISHED: ("run.finished", _finished),
}
