"""What the answer of another server says about asking it again."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from pilothouse.kit.clock import utc_now
from pilothouse.kit.errors import UpstreamError

LONGEST_REST: Final = 86_400.0  # seconds; whoever asks for more is asked again after a day


def is_passing(status: int) -> bool:
    """Whether it may be over in a while: too many requests, or a fault of the server."""
    return status == 429 or status >= 500


def refuse_passing(status: int, headers: Mapping[str, str], message: str) -> None:
    """Raises `UpstreamError`, which may be tried again, for an answer that is passing."""
    if is_passing(status):
        raise passing(status, headers, message)


def passing(status: int, headers: Mapping[str, str], message: str) -> UpstreamError:
    """The error that stands for such an answer, and carries the rest that was asked for."""
    rest = asked_rest(headers)
    fault = UpstreamError(message, status=status)
    if rest is not None:
        fault.facts["retry_after"] = rest
    return fault


def asked_rest(headers: Mapping[str, str]) -> float | None:
    """The seconds that `retry-after` asks for, within bounds; header names are in lower case.

    A date counts from that of the answer, for the clock over there may be another.
    """
    told = headers.get("retry-after", "").strip()
    if told.isascii() and told.isdigit():
        return min(float(told), LONGEST_REST)
    due = _moment(told)
    if due is None:
        return None
    now = _moment(headers.get("date", "")) or utc_now()
    return min(max((due - now).total_seconds(), 0.0), LONGEST_REST)


def _moment(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
