"""Whether a text is a cron line of five fields. When it fires next is for the scheduler to say."""

import re
from typing import Final

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_FIELDS: Final[tuple[tuple[int, int, tuple[str, ...]], ...]] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, _MONTHS),
    (0, 7, _DAYS),
)
_PART = re.compile(r"(\*|[0-9]{1,2}|[A-Za-z]{3})(?:-([0-9]{1,2}|[A-Za-z]{3}))?(?:/([0-9]{1,2}))?")


def is_cron(text: str) -> bool:
    """Minute, hour, day, month, weekday: numbers, names, lists, ranges and steps."""
    words = text.split()
    return len(words) == len(_FIELDS) and all(
        _fits(part, low, high, names)
        for word, (low, high, names) in zip(words, _FIELDS, strict=True)
        for part in word.split(",")
    )


def _fits(part: str, low: int, high: int, names: tuple[str, ...]) -> bool:
    match = _PART.fullmatch(part)
    if match is None:
        return False
    first, last, step = match.groups()
    if step is not None and not 1 <= int(step) <= high:
        return False
    if first == "*":
        return last is None
    numbers = [_number(word, low, names) for word in (first, last) if word is not None]
    return all(number is not None and low <= number <= high for number in numbers) and (
        len(numbers) == 1 or (numbers[0] or 0) <= (numbers[1] or 0)
    )


def _number(word: str, low: int, names: tuple[str, ...]) -> int | None:
    if word.isdigit():
        return int(word)
    return low + names.index(word.upper()) if word.upper() in names else None
