"""What sessions remember"""

import json
from dataclasses import asdict, dataclass, field
from typing import cast

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

PAGE = 200

_LOGS = sa.text(
    "select s.log_id, s.first, s.body from segments s join chat_sessions c on c.id=s.log_id"
    " where (s.log_id, s.first) > (:log_id, :first)"
    " and (s.body like '%\"agent_builder_guide\"%' or s.body like '%\"run_agent\"%')"
    f" order by s.log_id, s.first limit {PAGE}"
)
_WRITE = sa.text("update chat_sessions set state=:state where id=:id")


@dataclass
class State:
    guide_read: bool = False
    runs: dict[str, int] = field(default_factory=dict[str, int])


def upgrade() -> None:
    """Page by page: until now nothing was written there, but the logs tell it."""
    connection = op.get_bind()
    log_id, first = "", 0
    states: dict[str, State] = {}
    while segments := connection.execute(_LOGS, {"log_id": log_id, "first": first}).all():
        for of, _, body in segments:
            _see(states.setdefault(of, State()), body)
        log_id, first, _ = segments[-1]
        last = states.pop(log_id)  # more of its log may be on the next page
        _write(connection, states)
        states = {log_id: last}
    _write(connection, states)


def _see(state: State, body: str) -> None:
    """A run that failed while it was waited for did not tell its agent then, and is not counted."""
    for entry in json.loads(body):
        if entry is None or entry[0] != "tool-output-available" or not isinstance(entry[3]["output"], dict):
            continue  # trimmed, or of no interest
        output = cast(dict[str, object], entry[3]["output"])
        kind = output.get("type")
        if kind == "agent_builder_guide":
            state.guide_read = True
        elif entry[3]["tool"] == "run_agent" and kind in ("execution_started", "agent_output"):
            agent_id = str(output.get("graph_id") or output["agent_id"])
            if not output.get("is_dry_run"):
                state.runs[agent_id] = state.runs.get(agent_id, 0) + 1


def _write(connection: sa.Connection, states: dict[str, State]) -> None:
    if states:
        connection.execute(_WRITE, [{"id": id, "state": json.dumps(asdict(state))} for id, state in states.items()])


def downgrade() -> None:
    """What was written is a fold of what is still there."""
