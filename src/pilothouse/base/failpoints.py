"""Named places at which a fault test may kill this process. Inert unless the process was started to die there."""

import os
import signal

# In the order in which a job meets them. A meta-test demands that each is hit.
FAILPOINTS = (
    "accepted_not_rung",
    "rung_not_claimed",
    "claimed_nothing_flushed",
    "before_flush_commit",
    "after_flush_commit",
    "effect_done_not_journaled",
    "child_admitted",
    "before_settle",
    "after_settle",
    "before_suspend",
    "after_suspend",
    "fact_sent_not_woken",
    "timer_due",
    "requeued_not_rung",
    "lease_lost",
)

# In a turn: a call is on disk but was not made, was made but has no result, a response is half read, between two
# rounds, woken with calls that wait, and with work parked whose call has no result. Tests of their own meet them.
TURN_FAILPOINTS = (
    *("turn_call_committed", "turn_tool_done", "turn_mid_stream", "turn_between_rounds"),
    *("turn_woken", "turn_parked"),
)

_armed: dict[str, int] = {}


def arm(spec: str) -> None:
    """Die at the n-th pass of a place: `before_settle:3`."""
    name, _, count = spec.partition(":")
    if name not in (*FAILPOINTS, *TURN_FAILPOINTS):
        raise ValueError(f"unknown failpoint {name!r}")
    _armed[name] = int(count or 1)


def hit(name: str) -> None:
    """Pass a named place."""
    if not _armed or name not in _armed:
        return
    _armed[name] -= 1
    if _armed[name] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
