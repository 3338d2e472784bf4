"""The version that a change is based on, as a door tells it."""

from dataclasses import dataclass

from pilothouse.kit.errors import Conflict
from pilothouse.kit.json import Json


class Stale(Conflict):
    """Not the active version."""


@dataclass(frozen=True)
class On:
    """Based on this version; None: on any."""

    version: int | None

    def require(self, current: int, *, diff: Json = None) -> None:
        if self.version not in (None, current):
            raise Stale(current_version=current, diff=diff)


ANY = On(None)
