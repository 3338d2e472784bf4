"""The numbers that agents and their engine promise are those that a house without any setting works with.

They stand here once more, copied from the promise: whoever changes one changes what people were told.
"""

from pathlib import Path

import pytest

from pilothouse.app.house import open_house
from pilothouse.base.http.idempotency import KEPT_FOR
from pilothouse.base.jobs import sweeper, worker
from pilothouse.base.settings import Settings
from pilothouse.engine import large
from pilothouse.engine.ports import Limits
from pilothouse.engine.retry import backoff_s
from pilothouse.features.runs import values
from pilothouse.graph import document
from pilothouse.graph.document import Retry


async def test_a_house_without_settings_works_with_the_promised_numbers(tmp_path: Path):
    """engine:F18, C3, C4, T2, E4, D6"""
    async with open_house(Settings(data_dir=tmp_path), serves=False) as house:
        limits, caps, kept = house.motor.limits, house.runs.caps, house.retention
        times = {spec.name: spec.timeout_s for spec in house.registry.values()}
        lease = house.settings.lease_seconds
    assert (limits.steps, limits.parallel_steps, limits.ready_steps) == (100_000, 64, 1_000)
    assert (caps.per_agent, caps.per_user) == (25, 100)
    assert (kept.log_days, kept.run_days) == (30, 90)
    assert (times["Get current time"], times["AutoPilot"]) == (1_800, 6 * 3600)
    assert {name for name, seconds in times.items() if seconds is None} == {
        *("Agent executor", "Human in the loop", "Countdown timer", "Wait until")
    }
    assert lease + sweeper.SWEEP_SECONDS < 5


@pytest.mark.parametrize(
    ("number", "promised"),
    [
        (document.MAX_NODES, 1_000),
        (document.MAX_LINKS, 5_000),
        (document.MAX_SUB_AGENTS, 50),
        (document.MAX_BYTES, 10 * 1024 * 1024),
        (large.LIMIT, 32 * 1024),
        (values.MAX_VALUE_BYTES, 16 * 1024 * 1024),
        (worker.MAX_ATTEMPTS, 5),
        (Limits().stuck_s, 60),
        (Limits().retry_linger_us, 10_000_000),
        (KEPT_FOR.total_seconds(), 7 * 24 * 3600),
    ],
)
def test_what_no_setting_changes_is_as_promised(number: float, promised: float):
    """engine:A9, F17, D6, T1, C1"""
    assert number == promised


@pytest.mark.parametrize(
    ("attempt", "asked", "rests"),
    [
        (1, None, [0.8, 1, 1.2]),
        (2, None, [1.6, 2, 2.4]),
        (3, None, [3.2, 4, 4.8]),
        (9, None, [204.8, 256, 300]),
        (10, None, [240, 300, 300]),  # however it is spread
        (1, 7.0, [7, 7, 7]),
        (10, 400.0, [400, 400, 400]),
    ],
)
def test_a_retry_rests_twice_as_long_each_time_and_a_fifth_about_that(
    attempt: int, asked: float | None, rests: list[float]
):
    """engine:T1: with the policy of a node that has none"""
    assert [backoff_s(Retry(), attempt, asked, chance) for chance in (0, 0.5, 1)] == pytest.approx(rests)


def test_a_node_without_a_policy_is_tried_once():
    """engine:T1"""
    assert (Retry().max_attempts, Retry().on) == (1, "retryable")
