"""How soon the jobs of a killed process move on."""

import asyncio
import json
import time
from dataclasses import dataclass, field

from pilothouse.engine.large import is_packed
from tests.faults.processes import Process
from tests.faults.report import record
from tests.faults.rig import Rig

PATIENCE_SECONDS = 20.0  # longer than allowed, so that a late one is told by how much


@dataclass(slots=True)
class Orphans:
    """Jobs that were in the hands of a process when it died, and how far their logs reached."""

    rig: Rig
    heads: dict[str, int]
    since: float  # the kill; embedded: when the next process was ready
    clock: int = 1  # where an entry of these logs has its time
    rung: frozenset[str] = frozenset()  # jobs that nobody had taken when it died, and it may have been about to
    waited: float = 0.0  # from the kill until then
    seconds: list[float] = field(default_factory=list[float])
    in_flight: int = field(init=False)

    def __post_init__(self) -> None:
        self.in_flight = len(self.heads)

    def from_now(self) -> None:
        """Somebody is there to go on with them only now."""
        now = time.time()
        self.waited, self.since = self.waited + now - self.since, now

    def follow(self, earlier: "list[Orphans]") -> None:
        """These are the latest to be left behind, and whoever had taken over some of them before is dead as well."""
        for others in earlier:
            others.give_up(self)
        earlier.append(self)

    def give_up(self, others: "Orphans") -> None:
        """Those who had taken these jobs over are dead too: the clock of these jobs starts again with them.

        So does that of a job for which the dead may have been rung: what was in its hands is rung for anew.
        """
        for run_id in [run_id for run_id in self.heads if run_id in others.rung]:
            others.heads[run_id] = self.heads[run_id]
        for run_id in others.heads:
            self.heads.pop(run_id, None)

    async def recovered(self, within: float) -> list[float]:
        """Wait until each has a new entry; answers how long each took. Raises when one took longer."""
        while self.heads and time.time() < self.since + PATIENCE_SECONDS:
            for run_id, head in list(self.heads.items()):
                at = await self._next_entry(run_id, head)
                if at is not None and self.heads.pop(run_id, None) is not None:
                    self.seconds.append(max(0.0, at - self.since))
            await asyncio.sleep(0.05)
        late = [seconds for seconds in self.seconds if seconds > within]
        if late or self.heads:
            record("late", profile=self.rig.profile, jobs=len(late) + len(self.heads))
            self.rig.history.note("late", seconds=late, without=sorted(self.heads))
            saved = self.rig.history.save()
            raise AssertionError(f"{len(late)} jobs went on late ({late}), {len(self.heads)} did not; see {saved}")
        return self.seconds

    async def _next_entry(self, run_id: str, head: int) -> float | None:
        """When the first flush after that was complete: the wall clock of its last entry."""
        sql = "select body from segments where log_id=?1 and first=?2"
        rows = await self.rig.reader.rows(sql, run_id, head + 1)
        if not rows:
            return None
        entry = json.loads(rows[0][0])[-1]
        return (entry[2] if is_packed(entry) else entry)[self.clock] / 1_000_000


async def orphans_of(rig: Rig, process: Process) -> Orphans:
    """To be asked when the process is dead. Embedded: they count `from_now` when the next one is ready."""
    return await _orphans(rig, process, "select r.id, r.head from jobs j join runs r on r.id=j.id", clock=1)


async def turn_orphans_of(rig: Rig, process: Process) -> Orphans:
    """The same for turns: their sessions, and how far the logs of those reached."""
    sql = "select s.id, s.head from jobs j join chat_turns t on t.id=j.id join chat_sessions s on s.id=t.session_id"
    return await _orphans(rig, process, sql, clock=2)


async def _orphans(rig: Rig, process: Process, sql: str, *, clock: int) -> Orphans:
    running = f"{sql} where j.state='running'"
    if rig.embedded:
        return Orphans(rig, dict(await rig.reader.rows(running)), process.died_at, clock)
    if process.worker_id is None:  # it takes no jobs
        return Orphans(rig, {}, process.died_at, clock)
    heads = dict(await rig.reader.rows(f"{running} and j.owner=?1", process.worker_id))
    rung = await rig.reader.rows(f"{sql} where j.state='queued'")
    return Orphans(rig, heads, process.died_at, clock, frozenset(row[0] for row in rung))
