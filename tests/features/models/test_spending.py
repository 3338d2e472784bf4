"""autopilot:13.7, 13.8, billing:A2, A5, A7, A8: windows, when they reset, and what is shown of them. Pure."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.features.models import BudgetExceeded, Limits, Spending
from pilothouse.features.models.spending import Window, day_of, week_of

WEDNESDAY = datetime(2026, 11, 18, 13, 45, 12, 345, tzinfo=UTC)


class Till:
    """A reader that answers what was spent, and counts how often it was asked."""

    def __init__(self, today: int = 0, week: int = 0, *, broken: bool = False) -> None:
        self.spent, self.broken, self.asked = (today, week), broken, 0

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        self.asked += 1
        if self.broken:
            raise DatabaseUnavailable
        return [self.spent]

    async def close(self) -> None: ...


def spending(till: Till, **limits: int) -> Spending:
    return Spending(till, Limits(**limits), lambda: WEDNESDAY)


def test_a_day_begins_at_midnight_and_a_week_on_monday_in_utc():
    """13.7"""
    assert day_of(WEDNESDAY) == datetime(2026, 11, 18, tzinfo=UTC)
    assert week_of(WEDNESDAY) == datetime(2026, 11, 16, tzinfo=UTC)
    sunday = datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC)
    assert week_of(sunday) == datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("today", "week", "window", "resets_at"),
    [
        (100, 100, "daily", "2026-11-19T00:00:00.000000Z"),
        (101, 900, "daily", "2026-11-19T00:00:00.000000Z"),
        (99, 500, "weekly", "2026-11-23T00:00:00.000000Z"),
    ],
)
async def test_at_the_limit_it_is_refused_the_day_before_the_week(today: int, week: int, window: str, resets_at: str):
    """13.7, A2"""
    with pytest.raises(BudgetExceeded) as caught:
        await spending(Till(today, week), daily=100, weekly=500).check("ann")
    assert caught.value.facts == {"window": window, "resets_at": resets_at}
    assert (caught.value.status, caught.value.code) == (429, "budget_exceeded")


async def test_below_both_limits_it_is_allowed():
    """13.7"""
    await spending(Till(99, 499), daily=100, weekly=500).check("ann")
    await spending(Till(10**12, 499), weekly=500).check("ann")


async def test_without_limits_nothing_is_read():
    """A5"""
    till = Till(10**12, 10**12)
    await spending(till, per_turn=5).check("ann")
    assert till.asked == 0


async def test_what_cannot_be_read_is_refused():
    """13.7: enforcement fails closed."""
    with pytest.raises(DatabaseUnavailable):
        await spending(Till(broken=True), daily=1).check("ann")


@pytest.mark.parametrize(
    ("used", "percent"), [(0, 0.0), (1234, 12.3), (9_996, 99.9), (9_999, 99.9), (10_000, 100.0), (20_000, 100.0)]
)
def test_only_a_spent_window_shows_a_hundred(used: int, percent: float):
    """13.8, A8"""
    assert Window("daily", 10_000, used, WEDNESDAY).percent_used == percent
