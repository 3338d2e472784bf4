"""Dates and the clock, in every zone."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.blocks.rehearsal import Rehearsal
from pilothouse.kit.json import JsonObject
from tests.blocks.playing import error_of, run


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-03-04", "2026-03-04T00:00:00+00:00"),
        ("2026-03-04 05:06", "2026-03-04T05:06:00+00:00"),
        ("20260304T050607", "2026-03-04T05:06:07+00:00"),
        ("2026-03-04T05:06:07.5-02:00", "2026-03-04T05:06:07.500000-02:00"),
        ("2026/03/04", "2026-03-04T00:00:00+00:00"),
        ("04.03.2026 05:06", "2026-03-04T05:06:00+00:00"),
        (" March 4, 2026 ", "2026-03-04T00:00:00+00:00"),
        ("4 Mar 2026", "2026-03-04T00:00:00+00:00"),
        ("31/12/2026", "2026-12-31T00:00:00+00:00"),
        ("12/31/2026 05:06", "2026-12-31T05:06:00+00:00"),
        ("5/5/2026", "2026-05-05T00:00:00+00:00"),
        ("Wed, 04 Mar 2026 05:06:07 +0100", "2026-03-04T05:06:07+01:00"),
    ],
)
async def test_common_forms_are_understood(text: str, date: str):
    assert await run("Parse date", text=text) == [("date", date)]


@pytest.mark.parametrize("text", ["", "soon", "2026-02-30", "13/13/2026", "32.01.2026", "1" * 5000, "٣"])
async def test_what_is_no_date_is_an_error(text: str):
    assert (await error_of("Parse date", text=text)).startswith("'")


async def test_a_day_more_is_a_day_by_the_calendar():
    """Also over the night when the clocks change."""
    fired = await run("Parse date", text="2026-03-28 12:00", timezone="Europe/Berlin", add_days=1)
    assert fired == [("date", "2026-03-29T12:00:00+02:00")]
    assert await error_of("Parse date", text="9999-12-31", add_days=1) == "the calendar does not reach that day"
    assert (
        await error_of("Parse date", text="2026-01-01", timezone="../etc/passwd") == "'../etc/passwd' is no time zone"
    )


async def test_a_format_says_how_the_text_is_written():
    assert await run("Parse date", text="04-03-26", format="%d-%m-%y") == [("date", "2026-03-04T00:00:00+00:00")]
    fired = await run("Parse date", text="04-03-26 +0200", format="%d-%m-%y %z")
    assert fired == [("date", "2026-03-03T22:00:00+00:00")]
    assert await error_of("Parse date", text="x", format="%d") == "'x' is not written as %d"
    assert await error_of("Parse date", text="x", format="%") == "'x' is not written as %"


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
@settings(max_examples=50, deadline=None)
async def test_differences_add_up(start: datetime, end: datetime):
    async def between(first: datetime, second: datetime) -> float:
        ((_, value),) = await run("Date difference", start=first.isoformat(), end=second.isoformat(), unit="seconds")
        assert isinstance(value, int | float)
        return value

    assert await between(start, end) == -(await between(end, start))
    assert await between(start, end) == pytest.approx((end - start).total_seconds())


@pytest.mark.parametrize(
    ("unit", "difference"), [("seconds", 1_814_400), ("minutes", 30_240), ("hours", 504), ("days", 21), ("weeks", 3)]
)
async def test_units(unit: str, difference: int):
    fired = await run("Date difference", start="2026-01-01", end="2026-01-22", unit=unit)
    assert fired == [("difference", difference)]


NOW = datetime(2026, 7, 1, 22, 30, 15, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "inputs", "value"),
    [
        ("Get current time", {}, "22:30:15"),
        ("Get current time", {"discriminator": "iso8601", "include_microseconds": True}, "22:30:15.123456+00:00"),
        ("Get current time", {"discriminator": "strftime", "format": "%H", "use_user_timezone": True}, "00"),
        ("Get current date", {"discriminator": "iso8601", "use_user_timezone": True}, "2026-07-02"),
        ("Get current date", {"discriminator": "strftime", "timezone": "America/New_York"}, "2026-07-01"),
        (
            "Get current date and time",
            {"discriminator": "iso8601", "timezone": "Asia/Tokyo"},
            "2026-07-02T07:30:15+09:00",
        ),
        ("Get current date and time", {}, "2026-07-01 22:30:15"),
    ],
)
async def test_the_clock_in_words(name: str, inputs: JsonObject, value: str):
    stage = Rehearsal(moment=NOW, zone="Europe/Berlin")
    more: JsonObject = {"format_type": inputs} if inputs else {}
    ((_, told),) = await run(name, stage, trigger="x", **more)
    assert told == value


@pytest.mark.parametrize("name", ["Get current time", "Get current date", "Get current date and time"])
async def test_a_zone_that_is_none_is_an_error(name: str):
    said = await error_of(name, trigger="", format_type={"discriminator": "iso8601", "timezone": "Nowhere"})
    assert said == "'Nowhere' is no time zone"
