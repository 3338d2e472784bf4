"""What time it is, in words."""

from datetime import datetime, timedelta
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from pilothouse.blocks.contract import BlockContext, BlockInput, BlockOutput, Category, Effects, Example, block
from pilothouse.blocks.moments import BadMoment, formatted, zone_of

MAX_FORMAT = 200


class Zoned(BaseModel):
    """Which clock to look at."""

    model_config = ConfigDict(extra="ignore")

    timezone: Annotated[str, Field(description="A name such as Europe/Lisbon.")] = "UTC"
    use_user_timezone: Annotated[bool, Field(description="Use the time zone of the person instead.")] = False


class TimeStrftimeFormat(Zoned):
    discriminator: Literal["strftime"] = "strftime"
    format: Annotated[str, Field(max_length=MAX_FORMAT, description="As strftime reads it.")] = "%H:%M:%S"


class DateStrftimeFormat(Zoned):
    discriminator: Literal["strftime"] = "strftime"
    format: Annotated[str, Field(max_length=MAX_FORMAT, description="As strftime reads it.")] = "%Y-%m-%d"


class StrftimeFormat(Zoned):
    discriminator: Literal["strftime"] = "strftime"
    format: Annotated[str, Field(max_length=MAX_FORMAT, description="As strftime reads it.")] = "%Y-%m-%d %H:%M:%S"


class IsoDateFormat(Zoned):
    discriminator: Literal["iso8601"] = "iso8601"


class IsoFormat(IsoDateFormat):
    include_microseconds: Annotated[bool, Field(description="Down to the microsecond.")] = False


Trigger: TypeAlias = Annotated[str, Field(description="Starts the block; its value does not matter.")]
FORM = "How to write it: by a format, or as ISO 8601."


async def now_in(ctx: BlockContext, form: Zoned) -> datetime:
    """This moment there; raises `BadMoment` for a time zone that does not exist."""
    return ctx.now().astimezone(zone_of(await ctx.timezone() if form.use_user_timezone else form.timezone))


class GetCurrentTimeIn(BlockInput):
    trigger: Trigger
    format_type: TimeStrftimeFormat | IsoFormat = Field(
        default=TimeStrftimeFormat(), discriminator="discriminator", description=FORM
    )


class GetCurrentTimeOut(BlockOutput):
    time: str | None = None


@block(
    id="a892b8d9-3e4e-4e9c-9c1e-75f8efcf1bfa",
    name="Get current time",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"trigger": "now"}, fires=[("time", "12:00:00")]),
        Example(
            ask={"trigger": "", "format_type": {"discriminator": "iso8601", "timezone": "Asia/Kolkata"}},
            fires=[("time", "17:30:00+05:30")],
        ),
        Example(
            ask={"trigger": "", "format_type": {"discriminator": "strftime", "timezone": "Mars/Base"}},
            fires=[("error", "'Mars/Base' is no time zone")],
        ),
    ],
)
async def get_current_time(ask: GetCurrentTimeIn, ctx: BlockContext) -> GetCurrentTimeOut:
    """Tell the time of day."""
    form = ask.format_type
    try:
        now = await now_in(ctx, form)
        if isinstance(form, TimeStrftimeFormat):
            return GetCurrentTimeOut(time=formatted(now, form.format))
    except BadMoment as fault:
        return GetCurrentTimeOut(error=str(fault))
    whole = now.isoformat(timespec="microseconds" if form.include_microseconds else "seconds")
    return GetCurrentTimeOut(time=whole.partition("T")[2])


class GetCurrentDateIn(BlockInput):
    trigger: Trigger
    offset: Annotated[int | str, Field(description="Days back from today.")] = 0
    format_type: DateStrftimeFormat | IsoDateFormat = Field(
        default=DateStrftimeFormat(), discriminator="discriminator", description=FORM
    )


class GetCurrentDateOut(BlockOutput):
    date: str | None = None


@block(
    id="b29c1b50-5d0e-4d9f-8f9d-1b0e6fcbf0b1",
    name="Get current date",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"trigger": "now"}, fires=[("date", "2026-01-01")]),
        Example(
            ask={"trigger": "", "offset": "1", "format_type": {"discriminator": "strftime", "format": "%d.%m.%y"}},
            fires=[("date", "31.12.25")],
        ),
        Example(
            ask={"trigger": "", "offset": -1, "format_type": {"discriminator": "iso8601"}},
            fires=[("date", "2026-01-02")],
        ),
        Example(ask={"trigger": "", "offset": "soon"}, fires=[("error", "'soon' is no number of days")]),
        Example(ask={"trigger": "", "offset": 10_000_000}, fires=[("error", "the calendar does not reach that day")]),
    ],
)
async def get_current_date(ask: GetCurrentDateIn, ctx: BlockContext) -> GetCurrentDateOut:
    """Tell today's date, or that of some days ago."""
    form = ask.format_type
    try:
        day = await now_in(ctx, form) - timedelta(days=int(ask.offset))
        if isinstance(form, DateStrftimeFormat):
            return GetCurrentDateOut(date=formatted(day, form.format))
    except BadMoment as fault:
        return GetCurrentDateOut(error=str(fault))
    except ValueError:
        return GetCurrentDateOut(error=f"{str(ask.offset)[:40]!r} is no number of days")
    except OverflowError:
        return GetCurrentDateOut(error="the calendar does not reach that day")
    return GetCurrentDateOut(date=day.date().isoformat())


class GetCurrentDateAndTimeIn(BlockInput):
    trigger: Trigger
    format_type: StrftimeFormat | IsoFormat = Field(
        default=StrftimeFormat(), discriminator="discriminator", description=FORM
    )


class GetCurrentDateAndTimeOut(BlockOutput):
    date_time: str | None = None


@block(
    id="716a67b3-6760-42e7-86dc-18645c6e00fc",
    name="Get current date and time",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"trigger": "now"}, fires=[("date_time", "2026-01-01 12:00:00")]),
        Example(
            ask={"trigger": "", "format_type": {"discriminator": "iso8601", "include_microseconds": True}},
            fires=[("date_time", "2026-01-01T12:00:00.000000+00:00")],
        ),
        Example(
            ask={"trigger": "", "format_type": {"discriminator": "iso8601", "use_user_timezone": True}},
            fires=[("date_time", "2026-01-01T12:00:00+00:00")],
        ),
        Example(
            ask={"trigger": "", "format_type": {"discriminator": "strftime", "timezone": ""}}, fires=[("error", str)]
        ),
    ],
)
async def get_current_date_and_time(ask: GetCurrentDateAndTimeIn, ctx: BlockContext) -> GetCurrentDateAndTimeOut:
    """Tell the date and the time of day."""
    form = ask.format_type
    try:
        now = await now_in(ctx, form)
        if isinstance(form, StrftimeFormat):
            return GetCurrentDateAndTimeOut(date_time=formatted(now, form.format))
    except BadMoment as fault:
        return GetCurrentDateAndTimeOut(error=str(fault))
    return GetCurrentDateAndTimeOut(
        date_time=now.isoformat(timespec="microseconds" if form.include_microseconds else "seconds")
    )
