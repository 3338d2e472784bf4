"""How often one may call: quick counts in memory for everything, counts in the database for sign-in."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite

from pilothouse.base.actor import SYSTEM, Actor
from pilothouse.base.http.tables import rate_windows
from pilothouse.base.work import Units, Work
from pilothouse.kit.clock import from_micros, to_micros
from pilothouse.kit.errors import RateLimited

WINDOW_SECONDS = 60

Rate: TypeAlias = tuple[int, int, int]  # limit, remaining, seconds until the window ends


@dataclass(slots=True)
class RateLimits:
    """Counts per minute and process. Kept in memory, so it can never be why a request fails to be served."""

    per_user: int = 600
    per_address: int = 120
    clock: Callable[[], float] = time.time
    _window: int = 0
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    def take_for(self, actor: Actor) -> Rate:
        """A user's calls share one count, but for a key with a limit of its own."""
        if actor.rate_limit_per_minute is not None and actor.key_id is not None:
            return self.take(actor.key_id, actor.rate_limit_per_minute)
        return self.take(actor.user_id, self.per_user)

    def take_for_address(self, address: str) -> Rate:
        return self.take(address, self.per_address)

    def take(self, subject: str, limit: int) -> Rate:
        """Count one call, or raise `RateLimited` when the minute is full."""
        now = self.clock()
        window = int(now // WINDOW_SECONDS)
        if window != self._window:
            self._window, self._counts = window, {}
        left = WINDOW_SECONDS - int(now) % WINDOW_SECONDS
        count = self._counts[subject] = self._counts.get(subject, 0) + 1
        if count > limit:
            raise RateLimited(limit=limit, retry_after=left, hint=f"Wait {left} seconds.")
        return limit, limit - count, left


@dataclass(frozen=True, slots=True)
class Throttle:
    """Counts that every process shares and that fail closed: no count, no sign-in."""

    units: Units

    async def take(self, subject: str, limit: int) -> None:
        """Count one try, in a transaction of its own so that a failed sign-in still counts."""
        async with self.units.write(SYSTEM) as work:
            count, left = await _count(work, subject)
        if count > limit:
            raise RateLimited("Too many tries.", retry_after=left, hint=f"Wait {left} seconds.")

    async def prune(self) -> None:
        """Forget windows that are over."""
        async with self.units.write(SYSTEM) as work:
            before = work.now - timedelta(seconds=2 * WINDOW_SECONDS)
            await work.session.execute(delete(rate_windows).where(rate_windows.c.starts_at < before))


async def _count(work: Work, subject: str) -> tuple[int, int]:
    micros = WINDOW_SECONDS * 1_000_000
    passed = to_micros(work.now) % micros
    start = from_micros(to_micros(work.now) - passed)
    dialect = postgresql if work.session.get_bind().dialect.name == "postgresql" else sqlite
    upsert = dialect.insert(rate_windows).values(subject=subject[:200], starts_at=start, count=1)
    upsert = upsert.on_conflict_do_update(
        index_elements=["subject", "starts_at"], set_={"count": rate_windows.c.count + 1}
    ).returning(rate_windows.c.count)
    count = (await work.session.execute(upsert)).scalar_one()
    return count, max(1, WINDOW_SECONDS - passed // 1_000_000)
