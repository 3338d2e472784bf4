"""Reading and writing moments: time zones by name, dates as people and programs write them. Pure."""

import re
from datetime import UTC, datetime, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

_COMMON = (
    *("%Y/%m/%d", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"),
    *("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%d-%b-%Y"),
    *("%d %B %Y %H:%M", "%d %b %Y %H:%M", "%B %d, %Y %H:%M", "%b %d, %Y %H:%M", "%Y%m%dT%H%M%S"),
)
MAX_TEXT = 100
_SLASHES = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(.*)", re.DOTALL)


class BadMoment(ValueError):
    """Not a date, a time zone or a format; the words are for the user."""


def zone_of(name: str) -> tzinfo:
    """Raises `BadMoment` for a name that no time zone has."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise BadMoment(f"'{name[:60]}' is no time zone") from None


def formatted(moment: datetime, form: str) -> str:
    """By a strftime format."""
    try:
        return moment.strftime(form)
    except (ValueError, UnicodeError):
        raise BadMoment("the format cannot be used") from None


def read_moment(text: str, form: str | None, zone: tzinfo) -> datetime:
    """An aware moment; a text that names no zone is read in the given one. Raises `BadMoment`."""
    bare = text.strip()
    if len(bare) > MAX_TEXT:
        raise BadMoment(f"'{bare[:60]}' is too long for a date")
    return _by_format(bare, form, zone) if form else _by_common_forms(bare, zone)


def _by_format(text: str, form: str, zone: tzinfo) -> datetime:
    try:
        return _read(text, form, zone)
    except (ValueError, OverflowError, re.error):
        raise BadMoment(f"'{text[:60]}' is not written as {form[:60]}") from None


def _read(text: str, form: str, zone: tzinfo) -> datetime:
    if "%z" in form:
        return datetime.strptime(text, form).astimezone(UTC)
    return datetime.strptime(text, form).replace(tzinfo=zone)


def _by_common_forms(text: str, zone: tzinfo) -> datetime:
    try:
        return _in_zone(datetime.fromisoformat(text), zone)
    except ValueError:
        pass
    if found := _SLASHES.fullmatch(text):
        return _by_slashes(found, zone)
    for form in _COMMON:
        try:
            return _read(text, form, zone)
        except ValueError:
            continue
    try:
        return _in_zone(parsedate_to_datetime(text), zone)  # as mails and feeds write it
    except (ValueError, TypeError, IndexError):
        raise BadMoment(f"'{text[:60]}' is no date that is understood; give its format") from None


def _in_zone(moment: datetime, zone: tzinfo) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def _by_slashes(found: re.Match[str], zone: tzinfo) -> datetime:
    """31/01/2026 and 01/31/2026 can only mean one day; 01/02/2026 means two, and nobody should guess."""
    first, second = int(found[1]), int(found[2])
    if first <= 12 and second <= 12 and first != second:
        raise BadMoment(f"'{found[0][:60]}' can be read in two ways; give its format")
    day, month = (second, first) if second > 12 else (first, second)
    return _by_common_forms(f"{found[3]}-{month:02}-{day:02}{found[4]}", zone)
