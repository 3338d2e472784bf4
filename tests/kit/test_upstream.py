"""What another server's answer says about asking it again (engine:T1)."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pilothouse.kit.errors import UpstreamError
from pilothouse.kit.upstream import LONGEST_REST, asked_rest, refuse_passing

THERE = datetime(2001, 1, 1, 12, tzinfo=UTC)  # the clock of the other server


def at(seconds: float) -> str:
    return format_datetime(THERE + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("30", 30.0),
        (" 0 ", 0.0),
        ("9" * 5000, LONGEST_REST),
        (at(90), 90.0),
        (at(-90), 0.0),
        (at(1e7), LONGEST_REST),
        ("Monday, 01-Jan-01 12:00:05 GMT", 5.0),
        ("Mon, 01 Jan 2001 12:00:05 -0000", 5.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("soon", None),
        ("Mon, 99 Jan 2001 12:00:00 GMT", None),
    ],
)
def test_t1_the_rest_that_is_asked_for_is_seconds_or_a_date_and_never_endless(told: str, seconds: float | None):
    assert asked_rest({"retry-after": told, "date": at(0)}) == seconds


def test_t1_a_date_without_that_of_the_answer_counts_from_now():
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3500 < (asked_rest({"retry-after": later}) or 0) <= 3600
    assert asked_rest({}) is None


@pytest.mark.parametrize("status", [429, 500, 503, 599])
def test_t1_too_many_requests_and_faults_of_the_server_may_be_tried_again(status: int):
    with pytest.raises(UpstreamError, match="busy") as caught:
        refuse_passing(status, {"retry-after": "7"}, "busy")
    assert (caught.value.retryable, caught.value.facts) == (True, {"status": status, "retry_after": 7.0})


@pytest.mark.parametrize("status", [200, 301, 400, 401, 404, 428, 430, 499])
def test_t1_any_other_answer_is_for_the_block(status: int):
    refuse_passing(status, {"retry-after": "7"}, "busy")
