"""Moves jobs about by hand, as a run's own code does."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.jobs.claims import CLAIM_JOBS, HEARTBEAT, Claimed
from pilothouse.base.jobs.inbox import SEND_FACT
from pilothouse.base.jobs.moves import (
    ADMIT_JOB,
    END_JOB,
    GUARD_JOB,
    SUSPEND_JOB,
    WAKE_JOB,
    Admission,
    Suspended,
    micros,
)
from pilothouse.base.reader import Reader
from pilothouse.kit.errors import Unavailable
from pilothouse.kit.ids import new_id

KIND = "test.work"


@dataclass(frozen=True, slots=True)
class Desk:
    """One user's jobs, unless told otherwise."""

    committer: Committer
    reader: Reader
    user: str = "u1"

    def admission(
        self, *, agent: str | None = "a", top_cap: int = 10, cap: int = 5, owner: str | None = None, kind: str = KIND
    ) -> Admission:
        top = f"run/{self.user}"
        lane = None if agent is None else f"{top}/{agent}"
        return Admission(new_id(), kind, self.user, top, top_cap, lane, cap, owner, micros(), None)

    async def admit(self, **options: Any) -> tuple[str, str]:
        """A new job's id and state."""
        ask = self.admission(**options)
        answers = await self.committer.land(WriteSet(((ADMIT_JOB, tuple(ask)),), locks=(ask.top,)))
        return ask.id, answers[0]

    async def claim(self, *ids: str, owner: str = "w1") -> list[Claimed]:
        return (await self.committer.land(WriteSet(((CLAIM_JOBS, (owner, ids)),))))[0]

    async def admit_running(self, **options: Any) -> Claimed:
        job_id, _ = await self.admit(**options)
        return (await self.claim(job_id))[0]

    async def beat(self, owner: str = "w1", lease: float = 4.0) -> list[str]:
        rows = (await self.committer.land(WriteSet(((HEARTBEAT, (owner, "worker", "1", int(lease * 1e6))),))))[0]
        return [row[0] for row in rows if row[1]]

    async def guard(self, job: Claimed) -> None:
        await self.committer.land(WriteSet(((GUARD_JOB, (job.id, job.fence)),)))

    async def end(self, job: Claimed) -> list[str]:
        params = (job.id, job.fence, job.top, job.lane, micros())
        return (await self.committer.land(WriteSet(((END_JOB, params),), locks=(job.top,))))[0]

    async def suspend(self, job: Claimed, wake_at: int | None = None) -> Suspended:
        params = (job.id, job.fence, job.top, job.lane, micros(), wake_at)
        return (await self.committer.land(WriteSet(((SUSPEND_JOB, params),), locks=(job.top,))))[0]

    async def wake(self, job: Claimed) -> bool:
        params = (job.id, job.top, job.lane, micros(), False)
        return (await self.committer.land(WriteSet(((WAKE_JOB, params),), locks=(job.top,))))[0]

    async def send(self, job: Claimed, fact_id: str, body: str = "1") -> bool:
        params = (job.id, job.top, job.lane, micros(), fact_id, "answer", body)
        return (await self.committer.land(WriteSet(((SEND_FACT, params),), locks=(job.top,))))[0]

    async def states(self) -> Counter[str]:
        return Counter(row[0] for row in await self.reader.rows("select state from jobs"))

    async def is_clear(self) -> bool:
        """Whether no job is left; while the database is away nobody knows."""
        try:
            return not await self.states()
        except Unavailable:
            return False

    async def row(self, job_id: str) -> dict[str, Any]:
        names = "state, owner, fence, attempt, due_at, cancel_at"
        rows = await self.reader.rows(f"select {names} from jobs where id=?1", job_id)
        return dict(zip(names.split(", "), rows[0], strict=True)) if rows else {}

    async def used(self) -> dict[str, int]:
        return {row[0]: row[1] for row in await self.reader.rows("select key, used from lanes")}
