"""Judges what a fault test left behind: the invariants of every durable run, from tables, probes and effects."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from pilothouse.engine.keys import idempotency_key
from pilothouse.kit.json import JsonObject
from tests.faults.agents import MIXED
from tests.faults.history import Ack
from tests.faults.report import record
from tests.faults.rig import Rig, probe_lines

START, FINISH, FINISHED = "s", "f", "z"
MOMENT = 13  # characters of an id that say when it was made


TIMES = {"duration_ms", "active_ms", "queue_ms"}
# A step asks again when an answer is lost: how often is judged apart from what must be equal.
NOT_COMPARED = {*TIMES, "retries"}


class Outcome(NamedTuple):
    """What a run came to, as far as it must not depend on faults."""

    status: str
    outputs: str
    stats: str  # but for those above
    effects: int  # also of the runs that it started
    runs: int  # itself, and those


@dataclass(slots=True)
class Log:
    """A run's journal as its segments tell it."""

    segments: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])  # first, last, fence
    entries: list[list[Any]] = field(default_factory=list[list[Any]])

    def starts(self) -> Counter[int]:
        return Counter(entry[2] for entry in self.entries if entry[0] == START)

    def finished(self) -> set[int]:
        return {entry[2] for entry in self.entries if entry[0] == FINISH}


Run = dict[str, Any]


async def read_logs(rig: Rig, since: str = "") -> dict[str, Log]:
    """The logs of all runs, or of those from an id on; ids sort by the moment they were made."""
    logs: defaultdict[str, Log] = defaultdict(Log)
    for log_id, first, last, fence, body in await rig.reader.rows(
        "select log_id, first, last, fence, body from segments where log_id >= ?1 order by log_id, first", since
    ):
        logs[log_id].segments.append((first, last, fence))
        logs[log_id].entries += json.loads(body)
    return dict(logs)


async def read_runs(rig: Rig) -> dict[str, Run]:
    names = "id, parent_id, status, head, outputs, stats, reason"
    rows = await rig.reader.rows(f"select {names} from runs")
    return {row[0]: dict(zip(names.split(", "), row, strict=True)) for row in rows}


_LEARNT: dict[tuple[str, int], Outcome] = {}


@dataclass(slots=True)
class Checker:
    """Knows the undisturbed outcomes and what was final at each fault; answers every broken invariant."""

    rig: Rig
    expected: dict[tuple[str, int], Outcome] = field(default_factory=dict[tuple[str, int], Outcome])
    final: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])  # probes at the time
    frozen_before: str = ""  # older runs had ended at the last freeze
    quiet_effects: dict[str, int] = field(default_factory=dict[str, int])  # requests by key at the time

    async def learn(self) -> None:
        """Run every agent with every number while nothing goes wrong. What comes of it is the same on both profiles."""
        if _LEARNT:
            self.expected.update(_LEARNT)
            return
        client = self.rig.client
        for agent in MIXED:
            for n in range(3):
                run_id = await client.start(agent, n)
                assert run_id is not None, self.rig.history.lines[-1]
        await self.rig.quiet()
        runs, logs = await read_runs(self.rig), await read_logs(self.rig)
        for ack in self.rig.history.acks.values():
            outcome = self._outcome(ack, runs, logs)
            wanted = "completed_with_errors" if ack.agent == "handled" else "completed"
            assert outcome.status == wanted, runs[ack.run_id]
            self.expected[ack.agent, ack.n] = _LEARNT[ack.agent, ack.n] = outcome

    async def freeze(self) -> None:
        """Note what is finished now: none of it may ever be done again."""
        logs = await read_logs(self.rig, self.frozen_before)
        probes = Counter(probe_lines(self.rig.place))
        unended = [run_id for run_id, log in logs.items() if log.entries[-1][0] != FINISHED]
        # What a run starts sorts with the moment at which that run was made.
        self.frozen_before = min(unended, default=max(logs, default=""))[:MOMENT]
        for run_id, log in logs.items():
            for step in log.finished():
                self.final[run_id, step] = probes[run_id, step]
                key = idempotency_key(run_id, step)
                if key in self.rig.effects.asked:
                    self.quiet_effects[key] = self.rig.effects.asked[key]

    async def judge(self, *, is_copy: bool = False) -> None:
        """Raises with every broken invariant, the seed and the place of the history.

        Of a copy the outside cannot tell: it was asked under the same keys by the original as well.
        """
        runs, logs = await read_runs(self.rig), await read_logs(self.rig)
        broken = [*self._acknowledged(runs), *self._logs(runs, logs), *self._same(runs, logs)]
        broken += [*self._retries(runs, logs), *([] if is_copy else self._once(logs))]
        broken += await self._nothing_left(runs)
        record("judged", runs=len(runs), violations=len(broken))
        if broken:
            for fault in broken:
                self.rig.history.note("broken", fault=fault)
            saved = self.rig.history.save()
            shown = "\n".join(broken[:20])
            raise AssertionError(f"{len(broken)} broken (FAULTS_SEED={self.rig.history.seed}, {saved}):\n{shown}")

    def _acknowledged(self, runs: dict[str, Run]) -> list[str]:
        """I1: every acknowledged run is there and has ended."""
        missing = [run_id for run_id in self.rig.history.acks if run_id not in runs]
        unended = [run_id for run_id, run in runs.items() if run["status"] is None]
        asked_for = [run_id for run_id, run in runs.items() if run["parent_id"] is None]
        several = len(asked_for) > len(self.rig.history.keys)
        return [
            *(f"I1 lost {run_id}" for run_id in missing),
            *(f"I1 not ended {run_id}" for run_id in unended),
            *([f"I1 {len(asked_for)} runs for {len(self.rig.history.keys)} keys"] if several else []),
        ]

    def _logs(self, runs: dict[str, Run], logs: dict[str, Log]) -> list[str]:
        """I2 within the log, I5 gapless ids, I7 fences that never go back."""
        broken: list[str] = []
        for run_id, run in runs.items():
            log = logs.get(run_id, Log())
            broken += [f"{fault} in {run_id}" for fault in _faults_of(log, run["head"])]
        return broken

    def _once(self, logs: dict[str, Log]) -> list[str]:
        """I2 and I3 as the outside saw them."""
        broken: list[str] = []
        probes = Counter(probe_lines(self.rig.place))
        asked = self.rig.effects.asked
        for (run_id, step), count in probes.items():
            if count > logs[run_id].starts()[step]:
                broken.append(f"I2 {run_id}/{step} probed {count} times")
        for run_id, log in logs.items():
            for step, starts in log.starts().items():
                if asked[idempotency_key(run_id, step)] > starts:
                    broken.append(f"I3 {run_id}/{step} asked for its effect more often than it started")
        for (run_id, step), count in self.final.items():
            if probes[run_id, step] != count:
                broken.append(f"I2 finished step {run_id}/{step} ran again")
        for key, count in self.quiet_effects.items():
            if asked[key] != count:
                broken.append(f"I3 finished effect {key} was asked for again")
        broken += [f"I3 effect {key} done {count} times" for key, count in self.rig.effects.acted.items() if count != 1]
        known = {idempotency_key(run_id, step) for run_id, log in logs.items() for step in log.starts()}
        broken += [f"I3 effect under an unknown key {key}" for key in asked if key not in known]
        return broken

    def _same(self, runs: dict[str, Run], logs: dict[str, Log]) -> list[str]:
        """I4: what came out is what comes out without faults."""
        broken: list[str] = []
        for ack in self.rig.history.acks.values():
            wanted = self.expected.get((ack.agent, ack.n))
            if wanted is None or ack.run_id not in runs:
                continue
            outcome = self._outcome(ack, runs, logs)
            if outcome != wanted:
                broken.append(f"I4 {ack} came to {outcome} not {wanted}: {runs[ack.run_id]['reason']}")
        return broken

    def _outcome(self, ack: Ack, runs: dict[str, Run], logs: dict[str, Log]) -> Outcome:
        run = runs[ack.run_id]
        below = [run_id for run_id, other in runs.items() if other["parent_id"] == ack.run_id]
        family = [ack.run_id, *below]
        effects = sum(self.rig.effects.acted[key] for run_id in family for key in keys_of(run_id, logs[run_id]))
        stats = {name: value for name, value in stats_of(run).items() if name not in NOT_COMPARED}
        return Outcome(run["status"], run["outputs"], json.dumps(stats, sort_keys=True), effects, len(family))

    def _retries(self, runs: dict[str, Run], logs: dict[str, Log]) -> list[str]:
        """I4: deaths are no retries; answers that got lost are, unless whoever waited for them died too."""
        broken: list[str] = []
        for run_id, run in runs.items():
            lost = sum(self.rig.effects.dropped[key] for key in keys_of(run_id, logs.get(run_id, Log())))
            if (retries := cast(int, stats_of(run).get("retries", 0))) > lost:
                broken.append(f"I4 {run_id} counts {retries} retries, {lost} answers were lost")
        return broken

    async def _nothing_left(self, runs: dict[str, Run]) -> list[str]:
        """I8: no job, no fact, no place in a lane is left."""
        rows = self.rig.reader.rows
        return [
            *(f"I8 job left {row}" for row in await rows("select id, state, owner from jobs")),
            *(f"I8 fact left {row}" for row in await rows("select job_id, kind from inbox")),
            *(f"I8 place left {row}" for row in await rows("select key, used from lanes where used <> 0")),
        ]


def keys_of(run_id: str, log: Log) -> set[str]:
    return {idempotency_key(run_id, step) for step in log.starts()}


def stats_of(run: Run) -> JsonObject:
    return json.loads(run["stats"] or "{}")


def _faults_of(log: Log, head: int) -> list[str]:
    broken: list[str] = []
    expected, fence = 1, 0
    for first, last, under in log.segments:
        if first != expected:
            broken.append(f"I5 gap before {first}")
        if under < fence:
            broken.append(f"I7 fence {under} after {fence}")
        expected, fence = last + 1, under
    if expected - 1 != head or len(log.entries) != head:
        broken.append(f"I5 head {head}, {len(log.entries)} entries up to {expected - 1}")
    finished: set[int] = set()
    for entry in log.entries:
        if entry[0] == START and entry[2] in finished:
            broken.append(f"I2 step {entry[2]} started after its end")
        if entry[0] == FINISH:
            if entry[2] in finished:
                broken.append(f"I2 step {entry[2]} ended twice")
            finished.add(entry[2])
    if [entry[0] for entry in log.entries].count(FINISHED) != 1 or log.entries[-1][0] != FINISHED:
        broken.append("I1 no end, or more than one")
    return broken
