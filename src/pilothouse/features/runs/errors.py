"""What can go wrong with a run."""

from pilothouse.kit.errors import BadRequest, Conflict, Forbidden, Gone, Invalid, NotFound


class RunNotFound(NotFound):
    """There is no such run."""


class ValueNotFound(NotFound):
    """There is no such run, or it has no large value with this hash."""

    wire_code = "not_found"


class RunNotEnded(Conflict):
    """This run has not ended."""

    wire_code = "conflict"
    hint = "Cancel it first."


class RunEnded(Conflict):
    """This run has ended."""

    wire_code = "conflict"


class RunExpired(Gone):
    """The log of this run has expired: what happened in it is not known any more."""

    wire_code = "expired"
    hint = "Start a new run with its inputs."


class StepNotFound(NotFound):
    """There is no such run, or no step with this number started in it."""

    wire_code = "not_found"


class StepUnreachable(Conflict):
    """In that version, what was recorded does not lead to this step, so its inputs cannot be edited."""

    hint = "Choose an earlier step, or start a new run."


class RunIsReplay(Conflict):
    """This run is a replay: it knows what was recorded, and nothing of what another input would have led to."""

    hint = "Fork the run that it replays: `run_id` in `detail`."


class EffectsRepeat(Conflict):
    """This would repeat effects on the outside world."""

    hint = "Look at the plan in `detail`, and send it again with `confirm`."


class PinNotEditable(Invalid):
    """Some of these pins are secret, or the step has no such pins."""

    wire_code = "pin_not_editable"


class EventBeyondHead(Conflict):
    """The log does not reach that far yet."""

    wire_code = "conflict"


class EventsExpired(Gone):
    """The log no longer reaches back that far."""

    wire_code = "expired"


class BadPreference(BadRequest):
    """`Prefer: wait=N` takes 1 to 60 seconds."""

    wire_code = "bad_request"


class AgentUnnamed(Invalid):
    """Say which agent: give `library_agent_id` or `agent_name`."""

    wire_code = "missing_identifier"


class BuilderSessionGraphMismatch(Conflict):
    """This conversation belongs to another agent."""

    hint = "Leave the agent out to mean the one that is open, or use a conversation of the other agent's."


class AgentUnknown(NotFound):
    """There is no such agent."""


class AgentAmbiguous(Conflict):
    """Several agents fit this name."""

    hint = "Ask which of `details.candidates` is meant, or use its id."


class BlockForbidden(Forbidden):
    """This session may not use some of the blocks of this agent."""


class SimulationUnavailable(Conflict):
    """No model simulates steps here."""

    hint = "Connect a model first, or use the mode `stub` or `recorded`."


class RecordsUnnamed(Invalid):
    """A dry run with recorded values needs the run whose values they are."""

    wire_code = "run_id_missing"
