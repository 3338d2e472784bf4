"""Time: always aware, always UTC, always handed in."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]


def utc_now() -> datetime:
    """The clock of a running process; tests hand in another."""
    return datetime.now(UTC)


def to_wire(moment: datetime) -> str:
    """RFC 3339 in UTC, with microseconds and a Z."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_wire(text: str) -> datetime:
    """Read what `to_wire` wrote."""
    return datetime.fromisoformat(text)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, the form in which every table keeps time."""
    return int(moment.timestamp() * 1_000_000)


def from_micros(micros: int) -> datetime:
    """Read what `to_micros` wrote."""
    return datetime.fromtimestamp(micros / 1_000_000, UTC)
