"""What one run knows, and the only ways in which that can change."""

from typing import Final, Self

from pilothouse.engine import entries
from pilothouse.engine.entries import Entry, StepStatus
from pilothouse.engine.facts import FINAL, Facts, Failure
from pilothouse.engine.plan import Plan, open_inputs
from pilothouse.engine.snapshot import put_back, take_down
from pilothouse.engine.state import Pause, Step
from pilothouse.engine.usage import Usage, add_usage, usage_json
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import Json, JsonObject

MESSAGE_CANCELLED: Final = "The run was cancelled."


class IllegalMove(Exception):
    """A run or step cannot change like that; nothing was changed."""


class Run(Facts):
    """Equal entries give equal state: no I/O, no clock, no randomness.

    Living and recovery take the same steps. A live call changes the state and puts its entries into `out`;
    `fold` takes entries and leaves in `out` only consequences that the log has not got yet. `drain` empties it.
    """

    def snapshot(self) -> JsonObject:
        """The state as JSON; a cache, for the log alone is the truth."""
        return take_down(self)

    @classmethod
    def restore(cls, plan: Plan, snapshot: JsonObject, hidden: Masks = NO_MASKS) -> Self:
        """The run as it was when the snapshot was taken; fold what the log holds after `head`."""
        run = cls(plan, hidden)
        put_back(run, snapshot)
        return run

    def drain(self) -> list[Entry]:
        """The entries made since last time, for the journal."""
        made, self.out = self.out, []
        self.head += len(made)
        return made

    def begin(self, at: int) -> None:
        """A worker takes the run up; what was in flight when the last one stopped is ready again."""
        self._refuse_unless(self.status not in FINAL, "begin")
        self._close_stretch(self.at)
        self._live([entries.RUNNING, at])

    def suspend(self, at: int, wake_at: int | None) -> None:
        """Only waiting steps are left: the run gives its worker back."""
        self._refuse_unless(self.status == "running" and not self.running and not self.ready, "suspend")
        self._live([entries.WAITING, at, wake_at])

    def start(self, step: Step, at: int, recorded: int | None = None) -> JsonObject:
        """Start a ready step; returns its inputs, which the caller must not change.

        `recorded`: it will not be executed, what it fires is the record of this step of another run.
        """
        if step.status != "ready":
            raise IllegalMove(f"Cannot start a step that is {step.status}.")
        inputs = self.inputs_of(step)
        shown = None if step.started else open_inputs(step.node, inputs)
        self.at = at
        self.out.append([entries.START, at, step.id, step.node.index, step.attempt, shown])
        if recorded is not None:
            self.out[-1].append(recorded)
            self.recalled[str(recorded)] = step.id
        self._started(step)
        return inputs

    def output(self, step: Step, pin: str, value: Json, at: int) -> None:
        """A running step fires a pin."""
        if step.status != "running":
            raise IllegalMove(f"Cannot fire a pin of a step that is {step.status}.")
        self.at = at
        self.out.append([entries.OUTPUT, at, step.id, step.node.index, pin, step.yields.get(pin, 0), value])
        self._fired(step, pin, value)

    def finish(self, step: Step, at: int, failure: Failure | None = None, used: Usage | None = None) -> None:
        """A running step is over, for good."""
        if step.status != "running":
            raise IllegalMove(f"Cannot finish a step that is {step.status}.")
        self.at = at
        status = "completed" if failure is None else "failed"
        self.out.append([entries.FINISH, at, step.id, step.node.index, status, failure])
        if used is not None:
            self.out[-1].append(usage_json(used))
            add_usage(self.used, used)
        self._over(step, status, failure)

    def close(self, step: Step, status: StepStatus, failure: Failure | None, at: int) -> None:
        """A running step is over, as somebody else says."""
        self._refuse_unless(step.status == "running", "close")
        self.at = at
        self.out.append([entries.FINISH, at, step.id, step.node.index, status, failure])
        self._over(step, status, failure)

    def skip(self, step: Step, at: int) -> None:
        """A ready step is over without having run: it fires nothing."""
        self.start(step, at)
        self.close(step, "skipped", None, at)

    def wait(self, step: Step, pause: Pause, at: int) -> None:
        """A running step asks to be called again when what it waits for has come."""
        self._refuse_unless(step.status == "running", "wait")
        shown = pause if pause.gate else pause[:4] if pause.keep is not None else pause[:3]
        self._live([entries.WAIT, at, step.id, step.node.index, *shown])

    def resume(self, step: Step, fact: Json, at: int) -> None:
        """What a step waited for has come."""
        self._refuse_unless(step.status == "waiting", "resume")
        self._live([entries.RESUME, at, step.id, step.node.index, fact])

    def retry(self, step: Step, failure: Failure, due: int, at: int, used: Usage | None = None) -> None:
        """A running step failed and is tried again when due; what it spent, it spent."""
        self._refuse_unless(step.status == "running", "retry")
        entry: Entry = [entries.RETRY, at, step.id, step.node.index, step.attempt, failure, due]
        self._live(entry if used is None else [*entry, usage_json(used)])

    def end(self, at: int) -> None:
        """Nothing is left to do, or a fault forbids to go on."""
        idle = not (self.ready or self.running or self.waiting)
        self._refuse_unless(self.status not in FINAL and (idle or self.fault is not None), "end")
        if self.fault is not None:
            self._finish_run("failed", self.fault, at)
        elif self.first_failure is not None:
            self._finish_run("completed_with_errors", self.first_failure, at)
        else:
            self._finish_run("completed", None, at)

    def fail(self, code: str, message: str, at: int, step_id: int | None = None) -> None:
        """End the run for a fault of its own (`step_limit`, `poison`, ...)."""
        self._refuse_unless(self.status not in FINAL, "fail")
        self._finish_run("failed", {"code": code, "message": message, "step_id": step_id}, at)

    def refuse(self, step: Step, code: str, message: str) -> None:
        """Whoever drives the run must end it for what this step found, before anything else begins."""
        if self.refusal is None:
            self.refusal = {"code": code, "message": message, "step_id": step.id}

    def cancel(self, at: int) -> None:
        """End the run because someone asked for it."""
        self._refuse_unless(self.status not in FINAL, "cancel")
        self._finish_run("cancelled", {"code": "cancelled", "message": MESSAGE_CANCELLED, "step_id": None}, at)

    def next_due(self) -> int | None:
        """When the first timer is due."""
        return min((s.pause.due for s in self.waiting.values() if s.pause and s.pause.due is not None), default=None)

    def due(self, now: int) -> list[Step]:
        """Waiting steps whose time has come, the earliest first."""
        ripe = [s for s in self.waiting.values() if s.pause and s.pause.due is not None and s.pause.due <= now]
        return sorted(ripe, key=lambda step: (step.pause.due if step.pause and step.pause.due else 0, step.id))

    def _live(self, entry: Entry) -> None:
        self.at = entry[1]
        self.out.append(entry)
        self.read(entry)

    def _finish_run(self, status: str, reason: Failure | None, at: int) -> None:
        """The entry shows what the settled run looks like, so it is filled in after the fact."""
        entry: Entry = [entries.FINISHED, at, status, reason, {}]
        self._live(entry)
        entry[4].update(stats=self.stats(), not_reached=self.not_reached(), leftovers=self.leftovers)

    def _refuse_unless(self, fits: bool, move: str) -> None:
        if not fits:
            raise IllegalMove(f"Cannot {move}: the run is {self.status}.")
