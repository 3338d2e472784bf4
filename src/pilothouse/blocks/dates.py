"""Dates that come as text: read, written, subtracted."""

from datetime import UTC, timedelta
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from pilothouse.blocks.contract import BlockContext, BlockInput, BlockOutput, Category, Effects, Example, block
from pilothouse.blocks.moments import BadMoment, formatted, read_moment, zone_of

_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400, "weeks": 604_800}
Zone: TypeAlias = Annotated[str | None, Field(description="Time zone such as Europe/Lisbon; UTC when left out.")]


class ParseDateIn(BlockInput):
    text: Annotated[str, Field(description="A date, with or without a time.")]
    format: Annotated[str | None, Field(description="How it is written, as strptime reads it; else guessed.")] = None
    timezone: Zone = None
    add_days: Annotated[int, Field(ge=-1_000_000, le=1_000_000, description="Days to add.")] = 0


class ParseDateOut(BlockOutput):
    date: str | None = None


@block(
    id="5d5bcf41-e63b-4fd4-ad58-cda73d5f524c",
    name="Parse date",
    categories={Category.DATA, Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "2026-01-31"}, fires=[("date", "2026-01-31T00:00:00+00:00")]),
        Example(
            ask={"text": "31 Jan 2026 18:05", "timezone": "Europe/Berlin", "add_days": 1},
            fires=[("date", "2026-02-01T18:05:00+01:00")],
        ),
        Example(
            ask={"text": "2026-01-31T12:00:00Z", "timezone": "Asia/Tokyo"},
            fires=[("date", "2026-01-31T21:00:00+09:00")],
        ),
        Example(ask={"text": "01/02/2026", "format": "%m/%d/%Y"}, fires=[("date", "2026-01-02T00:00:00+00:00")]),
        Example(ask={"text": "Sat, 31 Jan 2026 10:00:00 GMT"}, fires=[("date", "2026-01-31T10:00:00+00:00")]),
        Example(ask={"text": "01/02/2026"}, fires=[("error", "'01/02/2026' can be read in two ways; give its format")]),
        Example(ask={"text": "soon"}, fires=[("error", str)]),
        Example(ask={"text": "2026-01-31", "add_days": 1_000_000_0}, fails="invalid_input"),
    ],
)
async def parse_date(ask: ParseDateIn, ctx: BlockContext) -> ParseDateOut:
    """Read a date out of text and write it as ISO 8601."""
    try:
        zone = zone_of(ask.timezone or "UTC")
        moment = read_moment(ask.text, ask.format, zone)
        if ask.timezone:
            moment = moment.astimezone(zone)
        return ParseDateOut(date=(moment + timedelta(days=ask.add_days)).isoformat())
    except BadMoment as fault:
        return ParseDateOut(error=str(fault))
    except OverflowError:
        return ParseDateOut(error="the calendar does not reach that day")


class FormatDateIn(BlockInput):
    date: Annotated[str, Field(description="A date, with or without a time.")]
    format: Annotated[str, Field(max_length=200, description="As strftime reads it.")] = "%Y-%m-%d"
    timezone: Zone = None


class FormatDateOut(BlockOutput):
    text: str | None = None


@block(
    id="b379e7d9-1538-4f7e-bdf3-8082a544f823",
    name="Format date",
    categories={Category.DATA, Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"date": "2026-01-31T23:30:00+00:00"}, fires=[("text", "2026-01-31")]),
        Example(
            ask={"date": "2026-01-31T23:30:00Z", "format": "%d.%m. %H:%M", "timezone": "Europe/Berlin"},
            fires=[("text", "01.02. 00:30")],
        ),
        Example(ask={"date": "never"}, fires=[("error", str)]),
        Example(ask={"date": "2026-01-31", "timezone": "Nowhere"}, fires=[("error", "'Nowhere' is no time zone")]),
    ],
)
async def format_date(ask: FormatDateIn, ctx: BlockContext) -> FormatDateOut:
    """Write a date the way you want it."""
    try:
        zone = zone_of(ask.timezone or "UTC")
        moment = read_moment(ask.date, None, zone)
        return FormatDateOut(text=formatted(moment.astimezone(zone) if ask.timezone else moment, ask.format))
    except BadMoment as fault:
        return FormatDateOut(error=str(fault))
    except OverflowError:
        return FormatDateOut(error="the calendar does not reach that day")


class DateDifferenceIn(BlockInput):
    start: Annotated[str, Field(description="The earlier date.")]
    end: Annotated[str, Field(description="The later date.")]
    unit: Annotated[Literal["seconds", "minutes", "hours", "days", "weeks"], Field(description="What to count.")] = (
        "days"
    )


class DateDifferenceOut(BlockOutput):
    difference: int | float | None = None


@block(
    id="d6ebb41f-057c-42f1-805b-a81ec0c8bebd",
    name="Date difference",
    categories={Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(ask={"start": "2026-01-01", "end": "2026-01-31"}, fires=[("difference", 30)]),
        Example(
            ask={"start": "2026-01-01T12:00:00Z", "end": "2026-01-01T12:00:00+01:00", "unit": "hours"},
            fires=[("difference", -1)],
        ),
        Example(ask={"start": "2026-01-01", "end": "2026-01-02 12:00"}, fires=[("difference", 1.5)]),
        Example(ask={"start": "2026-01-01", "end": "later"}, fires=[("error", str)]),
    ],
)
async def date_difference(ask: DateDifferenceIn, ctx: BlockContext) -> DateDifferenceOut:
    """Count the time between two dates; less than nothing when the end comes first."""
    try:
        passed = read_moment(ask.end, None, UTC) - read_moment(ask.start, None, UTC)
    except BadMoment as fault:
        return DateDifferenceOut(error=str(fault))
    count = passed / timedelta(seconds=_SECONDS[ask.unit])
    return DateDifferenceOut(difference=int(count) if count.is_integer() else count)
