"""How much may be spent on models in a day, in a week and in one turn. The cost log is the only counter."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from pilothouse.base.reader import Reader
from pilothouse.base.settings import Settings
from pilothouse.features.models.costs import ALLOWANCE
from pilothouse.features.models.errors import BudgetExceeded
from pilothouse.kit.clock import Clock, to_micros, to_wire, utc_now

WindowName: TypeAlias = Literal["daily", "weekly"]
FREE_TIER: Final = "FREE"

_SPENT: Final = (
    "select coalesce(sum(case when at >= ?3 then cost_u else 0 end), 0), coalesce(sum(cost_u), 0)"
    " from cost_log where user_id=?1 and at >= ?2 and payer=?4"
)

_OF_JOB: Final = "select call_id, cost_u from cost_log where job_id=?1 and cost_u is not null"


@dataclass(frozen=True, slots=True)
class Limits:
    """In microdollars; 0 is none."""

    daily: int = 0
    weekly: int = 0
    per_turn: int = 0

    @property
    def any_set(self) -> bool:
        return bool(self.daily or self.weekly or self.per_turn)

    @property
    def has_windows(self) -> bool:
        return bool(self.daily or self.weekly)


def limits_of(told: Settings) -> Limits:
    """What the operator has set; nothing is limited otherwise."""
    return Limits(
        told.autopilot_daily_cost_limit_microdollars,
        told.autopilot_weekly_cost_limit_microdollars,
        told.turn_cost_ceiling_microdollars,
    )


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time with a limit, and what of it is used."""

    name: WindowName
    limit: int
    used: int
    resets_at: datetime

    @property
    def is_spent(self) -> bool:
        return self.limit > 0 and self.used >= self.limit

    @property
    def percent_used(self) -> float:
        """Exactly 100.0 at the limit and over it, at most 99.9 below it."""
        if self.used >= self.limit:
            return 100.0
        return min(round(self.used * 100 / self.limit, 1), 99.9)


def day_of(now: datetime) -> datetime:
    """When the day began, in UTC."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def week_of(now: datetime) -> datetime:
    """When the week began: Monday, in UTC."""
    return day_of(now) - timedelta(days=now.weekday())


def windows(limits: Limits, now: datetime, today: int, this_week: int) -> tuple[Window, Window]:
    """The day comes first: it is the one that ends sooner."""
    return (
        Window("daily", limits.daily, today, day_of(now) + timedelta(days=1)),
        Window("weekly", limits.weekly, this_week, week_of(now) + timedelta(days=7)),
    )


@dataclass(frozen=True, slots=True)
class Spending:
    """One per process. Whatever goes wrong while reading refuses: `check` raises it."""

    reader: Reader
    limits: Limits = Limits()
    clock: Clock = utc_now

    async def check(self, user_id: str) -> None:
        """Raises `BudgetExceeded` when a window is spent. Without a limit nothing is read."""
        if not self.limits.has_windows:
            return
        for window in await self.read(user_id):
            if window.is_spent:
                raise BudgetExceeded(window=window.name, resets_at=to_wire(window.resets_at))

    async def read(self, user_id: str) -> tuple[Window, Window]:
        now = self.clock()
        since = (to_micros(week_of(now)), to_micros(day_of(now)))
        today, week = (await self.reader.rows(_SPENT, user_id, *since, ALLOWANCE))[0]
        return windows(self.limits, now, int(today), int(week))

    async def of_job(self, job_id: str) -> dict[str, int]:
        """What each call of a turn has cost, by its id, those that gave nothing included."""
        return {str(call_id): int(cost) for call_id, cost in await self.reader.rows(_OF_JOB, job_id)}

    def unread(self) -> tuple[Window, Window]:
        """The windows as a display shows them that could not read."""
        return windows(self.limits, self.clock(), 0, 0)
