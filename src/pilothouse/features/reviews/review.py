"""A review as others see it, and the hash that binds a decision to what was looked at."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple, Never, cast

from pilothouse.base.statements import Rows
from pilothouse.kit.clock import from_micros, to_wire
from pilothouse.kit.json import Json, JsonObject, dump_bytes, loads

SENSITIVE: Final = "sensitive_action"  # the kind of a review that stands before a step
FACT: Final = "@review"  # the kind of fact that tells a job what was decided

COLUMNS: Final = (
    "id, user_id, job_id, step_id, node_id, agent_id, top_lane, kind, name, instructions, payload, payload_hash,"
    " editable, assignee_id, expires_at, state, for_node, decision, decided_by, decided_at, created_at"
)


class NewReview(NamedTuple):
    """A question to be stored. One that `passed` has an answer already: nobody need be asked."""

    id: str
    user_id: str
    job_id: str
    step_id: int
    node_id: str
    agent_id: str
    top_lane: str
    kind: str
    name: str
    instructions: str
    payload: Json
    editable: bool
    created_at: int
    expires_at: int | None = None
    assignee_id: str | None = None
    passed: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """A stored review."""

    id: str
    user_id: str
    job_id: str
    step_id: int
    node_id: str
    agent_id: str
    top_lane: str
    kind: str
    name: str
    instructions: str
    payload: Json
    payload_hash: str
    editable: bool
    assignee_id: str | None
    expires_at: int | None
    state: str
    for_node: bool
    decision: JsonObject | None
    decided_by: str | None
    decided_at: int | None
    created_at: int

    @property
    def outcome(self) -> JsonObject:
        """What is told of a decided review."""
        return {
            "review_id": self.id,
            "state": self.state,
            "decision": self.decision,
            "decided_at": _moment(self.decided_at),
        }

    @property
    def wire(self) -> JsonObject:
        """The whole of it, as the API shows it."""
        return {
            "id": self.id,
            "run_id": self.job_id,
            "step_id": self.step_id,
            "node_id": self.node_id,
            "agent_id": self.agent_id,
            "kind": self.kind,
            "name": self.name,
            "instructions": self.instructions,
            "payload": self.payload,
            "payload_hash": self.payload_hash,
            "editable": self.editable,
            "state": self.state,
            "decision": self.decision,
            "expires_at": _moment(self.expires_at),
            "decided_at": _moment(self.decided_at),
            "created_at": _moment(self.created_at),
        }


def _moment(micros: int | None) -> str | None:
    return None if micros is None else to_wire(from_micros(micros))


def reviews_of(rows: Rows) -> list[Review]:
    """From rows of `COLUMNS`."""
    return [_review(dict(zip(COLUMNS.split(", "), row, strict=True))) for row in rows]


def _review(found: JsonObject) -> Review:
    decision = cast(str | None, found["decision"])
    read = {
        "payload": loads(cast(str, found["payload"])),
        "decision": None if decision is None else loads(decision),
        "editable": bool(found["editable"]),
        "for_node": bool(found["for_node"]),
    }
    return Review(**cast(dict[str, Never], {**found, **read}))


def payload_hash(payload: Json) -> str:
    """Equal for equal values, whatever the order of their keys."""
    return sha256(dump_bytes(_sorted(payload))).hexdigest()


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
