"""What a piece of work takes: time on the clock, and time of processors, ours and the database's."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.load import cpu_seconds
from bench.report import NotMeasured, middle
from bench.site import Site


@dataclass(slots=True)
class Spent:
    """In milliseconds. SQLite works within our own processes."""

    wall: float = 0.0
    ours: float = 0.0
    database: float = 0.0

    @property
    def cpu(self) -> float:
        return self.ours + self.database

    def per(self, times: int) -> "Spent":
        return Spent(self.wall / times, self.ours / times, self.database / times)


def typical(rounds: Sequence[Spent]) -> Spent:
    """The median of each."""
    return Spent(
        middle([one.wall for one in rounds]),
        middle([one.ours for one in rounds]),
        middle([one.database for one in rounds]),
    )


@contextmanager
def metered(house: Site, spent: Spent) -> Generator[None]:
    """Add what is spent meanwhile."""
    theirs, ours, start = _database(house), cpu_seconds(house.pids), time.perf_counter()
    yield
    spent.wall += (time.perf_counter() - start) * 1000
    spent.ours += (cpu_seconds(house.pids) - ours) * 1000
    spent.database += sum(used - theirs.get(pid, 0.0) for pid, used in _database(house).items()) * 1000


def _database(house: Site) -> dict[int, float]:
    """The time of each process of PostgreSQL so far; one that ends meanwhile is lost, but connections are kept."""
    if house.place.embedded:
        return {}
    if house.postgres is None:
        raise NotMeasured("the PostgreSQL in use was started by somebody else, and its cost cannot be seen")
    below = Path(f"/proc/{house.postgres}/task/{house.postgres}/children").read_text().split()
    used: dict[int, float] = {}
    for pid in (house.postgres, *map(int, below)):
        with suppress(OSError):  # it ended this very moment
            used[pid] = cpu_seconds([pid])
    return used
