"""Jobs that are a worker's own in the table but not in its hands.

The answer to their claim got lost, they could not be released, or their handler forgot to settle them.
"""

import time
from collections.abc import Container
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pilothouse.base.reader import Reader

LOOK_SECONDS = 1.0
UNHELD_SECONDS = 2.0  # far longer than an answer takes from the committer to its caller

Name: TypeAlias = tuple[str, int]  # a job under one fence: a worker may get a job again before it let go of it


class UnheldJob(NamedTuple):
    """What is needed to hand it on."""

    id: str
    fence: int
    kind: str


@dataclass(slots=True)
class Unheld:
    """Remembers since when each has been seen in nobody's hands."""

    reader: Reader
    _since: dict[Name, float] = field(default_factory=dict[Name, float])

    async def overdue(self, owner: str | None, held: Container[Name]) -> list[UnheldJob]:
        """Those that nobody holds for some seconds. `owner` None: every running job must be in our hands."""
        sql = "select id, fence, kind from jobs where state='running'"
        rows = await (self.reader.rows(sql) if owner is None else self.reader.rows(f"{sql} and owner=?1", owner))
        now = time.monotonic()
        found = [UnheldJob(*row) for row in rows if (row[0], row[1]) not in held]
        self._since = {(job.id, job.fence): self._since.get((job.id, job.fence), now) for job in found}
        return [job for job in found if now - self._since[job.id, job.fence] >= UNHELD_SECONDS]
