"""How a run looks to the outside: one shape for every answer, built without models since it is on the hot path."""

from typing import Any, NamedTuple

from pilothouse.kit.clock import from_micros, to_wire
from pilothouse.kit.json import Json, JsonObject, loads

# Kept with the statistics of a run, and shown beside them; there, `leftovers` is how many there are.
NOT_REACHED = "not_reached"
LEFT_OPEN = "left_open"
STATE_STATUS = {"held": "queued", "queued": "queued", "running": "running", "waiting": "waiting"}


class RunFacts(NamedTuple):
    """What is shown of a run; texts are JSON as stored."""

    id: str
    agent_id: str
    version: int
    trigger: str
    dry_run: bool
    created_at: int
    status: str
    inputs: Json
    outputs: Json
    reason: Json
    stats: Json
    started_at: int | None
    ended_at: int | None
    last_event_id: int
    parent_id: str | None = None  # the run whose step started this one
    parent_step: int | None = None
    pinned: bool = False  # kept whatever its age
    origin: Json = None  # the run that it goes back to: {kind, run_id, step_id}


def run_json(facts: RunFacts) -> JsonObject:
    stats = dict(facts.stats) if isinstance(facts.stats, dict) else None
    return {
        "id": facts.id,
        "agent_id": facts.agent_id,
        "version": facts.version,
        "status": facts.status,
        "trigger": facts.trigger,
        "dry_run": bool(facts.dry_run),
        "inputs": facts.inputs,
        "outputs": facts.outputs,
        "reason": facts.reason,
        "not_reached": stats.pop(NOT_REACHED, []) if stats else [],
        "leftovers": stats.pop(LEFT_OPEN, []) if stats else [],
        "stats": stats,
        "created_at": moment(facts.created_at),
        "started_at": moment(facts.started_at),
        "ended_at": moment(facts.ended_at),
        "last_event_id": facts.last_event_id,
        "parent_id": facts.parent_id,
        "parent_step": facts.parent_step,
        "pinned": facts.pinned,
        "origin": facts.origin,
    }


_LARGE = frozenset({"inputs", "outputs", "not_reached", "leftovers", "stats"})


def brief_json(facts: RunFacts) -> JsonObject:
    """As a list shows it."""
    return {name: value for name, value in run_json(facts).items() if name not in _LARGE}


# What `facts_of` reads: the columns of a run, then its job's state.
COLUMNS = (
    "r.id, r.agent_id, r.version, r.trigger, r.dry_run, r.created_at, r.status, r.inputs, r.outputs, r.reason,"
    " r.stats, r.started_at, r.ended_at, r.head, r.parent_id, r.parent_step, r.pinned_at is not null,"
    " r.origin, j.state"
)
BRIEF_COLUMNS = COLUMNS.replace("r.inputs, r.outputs", "'{}', null").replace("r.stats", "null")


def facts_of(row: tuple[Any, ...]) -> RunFacts:
    """From a row of `COLUMNS`. An unfinished run's status is its job's."""
    (run_id, agent_id, version, trigger, dry_run, created_at, status, inputs, outputs, reason, stats, *rest) = row
    started_at, ended_at, head, parent_id, parent_step, pinned, origin, state = rest
    return RunFacts(
        id=run_id,
        agent_id=agent_id,
        version=version,
        trigger=trigger,
        dry_run=bool(dry_run),
        created_at=created_at,
        status=status or STATE_STATUS.get(state or "queued", "queued"),
        inputs=_json(inputs),
        outputs=_json(outputs) or {},
        reason=_json(reason),
        stats=_json(stats),
        started_at=started_at,
        ended_at=ended_at,
        last_event_id=head,
        parent_id=parent_id,
        parent_step=parent_step,
        pinned=bool(pinned),
        origin=_json(origin),
    )


def moment(micros: int | None) -> str | None:
    return None if micros is None else to_wire(from_micros(micros))


def _json(text: str | None) -> Json:
    return None if text is None else loads(text)
