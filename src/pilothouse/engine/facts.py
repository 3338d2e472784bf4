"""What each fact of the log changes. Live calls and recovery both end here."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Self, TypeAlias

from pilothouse.engine import entries
from pilothouse.engine.entries import Entry, RunStatus, StepStatus
from pilothouse.engine.flow import Flow
from pilothouse.engine.plan import Plan
from pilothouse.engine.state import Pause, Step
from pilothouse.engine.usage import add_usage, no_usage, usage_json
from pilothouse.graph.catalogue import Kind
from pilothouse.graph.fields import ERROR_PIN
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import Json, JsonObject

FINAL: Final = frozenset({"completed", "completed_with_errors", "failed", "cancelled"})
LISTED: Final = 1_000  # leftovers that a finished run names; the count is always exact
Failure: TypeAlias = dict[str, Any]  # {code, message, detail} of a step, {code, message, step_id} of a run


class BrokenLog(Exception):
    """The log does not follow from its own beginning."""


class Facts(Flow):
    """The state of a run and the changes that entries stand for."""

    def __init__(self, plan: Plan, hidden: Masks = NO_MASKS) -> None:
        super().__init__(plan, hidden)
        self.status: RunStatus = "queued"
        self.head: int = 0
        self.waiting: dict[int, Step] = {}
        self.counts: dict[str, int] = {}
        self.retries = 0
        self.errors_handled = 0
        self.errors_unhandled = 0
        self.used = no_usage()  # by its own steps and by what they started
        self.children = 0  # runs that steps of this one started, and that are over
        self.fault: Failure | None = None  # why the run must end at once
        self.refusal: Failure | None = None  # why this worker must end it; in no entry, so that another finds it anew
        self.first_failure: Failure | None = None
        self.reason: Failure | None = None
        self.leftovers: list[Json] = []
        self.recalled: dict[str, int] = {}  # by which step the record of a step of another run was used
        self.active_us = 0  # how long workers had it
        self.active_since: int | None = None

    def fold(self, log: Sequence[Entry]) -> Self:
        """Take the next entries of the log."""
        for entry in log:
            if entry[0] == entries.RUNNING:
                self._close_stretch(self.at)  # of a worker that died: until the last that is known of it
            self.at = entry[1]
            self.read(entry)
        self.head += len(log)
        return self

    def read(self, entry: Entry) -> None:
        """Change what this entry says has changed."""
        self._readers[entry[0]](self, entry)

    def not_reached(self) -> list[Json]:
        """Nodes of which no step ever started."""
        return [state.node.id for state in self.nodes if not state.reached and state.node.kind is not Kind.NOTE]

    def stats(self) -> JsonObject:
        """Counts that are equal with and without crashes; times are the owner's."""
        return {
            "steps": dict(sorted(self.counts.items())),
            "retries": self.retries,
            "errors_handled": self.errors_handled,
            "errors_unhandled": self.errors_unhandled,
            "selector_misses": self.selector_misses,
            "dropped": self.dropped,
            "leftovers": self.counts.get("leftover", 0),
            "children": self.children,
            **usage_json(self.used),
            **({"recorded": len(self.recalled)} if self.recalled else {}),
        }

    def _queued(self, entry: Entry) -> None:
        self.open_first_steps(entry[2])

    def _running(self, entry: Entry) -> None:
        """What was in flight runs again, before anything younger, under the same step ids."""
        self.status = "running"
        self.active_since = entry[1]
        for step in self.running.values():
            step.status = "ready"
        self.ready.extendleft(reversed(self.running.values()))
        self.running.clear()

    def _waiting(self, entry: Entry) -> None:
        self.status = "waiting"
        self._close_stretch(entry[1])

    def _close_stretch(self, until: int) -> None:
        if self.active_since is not None:
            self.active_us += max(0, until - self.active_since)
            self.active_since = None

    def _start(self, entry: Entry) -> None:
        if len(entry) > 6:
            self.recalled[str(entry[6])] = entry[2]
        self._started(self.steps[entry[2]])

    def _started(self, step: Step) -> None:
        if self.ready[0] is step:
            self.ready.popleft()
        else:
            self.ready.remove(step)
        step.status = "running"
        self.running[step.id] = step
        if not step.started:
            step.started = True
            step.state.reached = True
            if step.node.ordered:
                step.placed = True
                step.state.line_up(step)

    def _take_place(self, step: Step) -> None:
        if step.node.ordered:
            step.placed = True
            step.state.line_up(step)
            if step.held and step.state.order[0] is step:  # those before it went while it stood aside
                self._let_go(step)

    def _fired(self, step: Step, pin: str, value: Json) -> None:
        step.yields[pin] = step.yields.get(pin, 0) + 1
        self.release(step, pin, value)

    def _output(self, entry: Entry) -> None:
        self._fired(self.steps[entry[2]], entry[4], entry[6])

    def _finish(self, entry: Entry) -> None:
        if len(entry) > 6:
            add_usage(self.used, entry[6])
        self._over(self.steps[entry[2]], entry[4], entry[5])

    def _over(self, step: Step, status: StepStatus, failure: Failure | None) -> None:
        del self.running[step.id]
        self.counts[status] = self.counts.get(status, 0) + 1
        step.done = True
        step.status = status
        if failure is not None:
            self._count_failure(step, failure)
            self.release(step, ERROR_PIN, failure["message"])
        if not step.placed:
            del self.steps[step.id]
        elif step.state.order[0] is step:
            del self.steps[step.id]
            self.give_up_place(step)

    def _count_failure(self, step: Step, failure: Failure) -> None:
        if self.is_handled(step, failure["message"]):
            self.errors_handled += 1
        else:
            self.errors_unhandled += 1
        reason: Failure = {"code": "step_failed", "message": failure["message"], "step_id": step.id}
        if self.first_failure is None:
            self.first_failure = reason
        if step.node.policy.on_error == "fail" and self.fault is None:
            self.fault = reason

    def _wait(self, entry: Entry) -> None:
        step = self.steps[entry[2]]
        pause = Pause(*entry[4:])
        self._put_aside(step, pause)
        if pause.keep is not None:
            step.kept = pause.keep
            step.facts = step.facts[: step.gates]
            step.before = dict(step.yields)
        if pause.kind == "review":  # only a human may take for ever, so others go first
            self.give_up_place(step)

    def _retry(self, entry: Entry) -> None:
        step = self.steps[entry[2]]
        step.attempt += 1
        self.retries += 1
        if len(entry) > 7:
            add_usage(self.used, entry[7])
        self._put_aside(step, Pause("retry", entry[6], None))

    def _put_aside(self, step: Step, pause: Pause) -> None:
        del self.running[step.id]
        step.status = "waiting"
        step.pause = pause
        self.waiting[step.id] = step

    def _resume(self, entry: Entry) -> None:
        step = self.waiting.pop(entry[2])
        if step.pause and step.pause.kind != "retry":
            step.facts.append(entry[4])
            step.gates += step.pause.gate
            if step.pause.kind == "child" and entry[4]["ended"] is not None:
                self._roll_up(step, entry[4]["ended"])
        step.pause = None
        if not step.placed:
            self._take_place(step)
        step.status = "ready"
        self.ready.append(step)

    def _roll_up(self, step: Step, ended: Failure) -> None:
        """A child is over: what went wrong in it went wrong in this run too. If it failed, its step will say so."""
        stats = ended["stats"]
        self.children += 1 + stats.get("children", 0)
        add_usage(self.used, stats)
        if ended["status"] == "completed_with_errors":
            self.errors_handled += stats["errors_handled"]
            self.errors_unhandled += stats["errors_unhandled"]
            if self.first_failure is None:
                self.first_failure = {**ended["reason"], "step_id": step.id}

    def _consequence(self, entry: Entry) -> None:
        if not self.out or self.out[0] != entry:
            raise BrokenLog(f"Entry {self.head + 1} or one soon after does not follow from what stands before it.")
        del self.out[0]

    def _finished(self, entry: Entry) -> None:
        """Settle the run and every step that is not over, together."""
        self.status, self.reason = entry[2], entry[3]
        self._close_stretch(entry[1])
        left = [step for step in self.steps.values() if step.status == "open"]
        stopped = len(self.ready) + len(self.running) + len(self.waiting)
        for status, number in (("leftover", len(left)), ("cancelled", stopped)):
            if number:
                self.counts[status] = self.counts.get(status, 0) + number
        self.leftovers = [_describe(step) for step in left[:LISTED]]
        for steps in (self.steps, self.running, self.waiting, self.ready):
            steps.clear()
        for state in self.nodes:
            state.open.clear()
            state.order.clear()
        self.held = 0

    # One table for all runs: one in each would hold the run that holds it, and such rings are slow to be let go.
    _readers: ClassVar[dict[str, Callable[["Facts", Entry], None]]] = {
        entries.QUEUED: _queued,
        entries.RUNNING: _running,
        entries.WAITING: _waiting,
        entries.START: _start,
        entries.OUTPUT: _output,
        entries.FINISH: _finish,
        entries.WAIT: _wait,
        entries.RESUME: _resume,
        entries.RETRY: _retry,
        entries.WARNING: _consequence,
        entries.RESULT: _consequence,
        entries.FINISHED: _finished,
    }


def _describe(step: Step) -> JsonObject:
    pins = [pin for pin in step.node.pins if pin.name not in step.state.masked]
    joined = step.node.join is not None  # it has some of what it gathers, not all
    filled = {pin.name for pin in pins if (pin.base in step.state.latest if joined else pin.name in step.filled)}
    return {
        "step_id": step.id,
        "node_id": step.node.id,
        "filled": [pin.name for pin in pins if pin.name in filled],
        "missing": [pin.name for pin in pins if pin.name not in filled],
    }
