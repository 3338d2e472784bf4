"""The right of a process to act for its jobs. The fence guards rows; only this guards the outside world."""

import time

from pilothouse.kit.errors import PilothouseError

SAFETY_SECONDS = 1.0


class LeaseLost(PilothouseError):
    """This process may no longer act for the job: somebody else may have it."""


class Lease:
    """A heartbeat that the database took prolongs it, counted from when it was *sent*.

    A lease that was lost stays lost: its worker goes on under a new name with a new lease, and whatever still
    holds the old one may never act again.
    """

    def __init__(self, seconds: float | None) -> None:
        """`None`: the process holds the data directory's lock, so nobody else can take its jobs."""
        self.seconds = seconds
        self._good_from = time.monotonic()
        self._lost = False

    def renew(self, sent_at: float) -> None:
        """The heartbeat sent at this moment (monotonic) has landed."""
        self._good_from = max(self._good_from, sent_at)

    def lose(self) -> None:
        """Whatever still holds this lease may not act any more."""
        self._lost = True

    def may_act(self) -> bool:
        """Whether an effect, tool or model call may start now."""
        if self._lost:
            return False
        return self.seconds is None or self._age() < self.seconds - min(SAFETY_SECONDS, self.seconds / 2)

    def is_lost(self) -> bool:
        """Whether others may have taken our jobs already."""
        return self._lost or (self.seconds is not None and self._age() >= self.seconds)

    def _age(self) -> float:
        return time.monotonic() - self._good_from
