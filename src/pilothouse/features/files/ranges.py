"""Which bytes of a file are asked for. Pure."""

import re
from typing import Final, NamedTuple

from pilothouse.features.files.errors import RangeUnsatisfiable

_RANGE: Final = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*")


class Span(NamedTuple):
    """From `start` up to but not with `end`."""

    start: int
    end: int


def asked_span(header: str | None, size: int) -> Span | None:
    """None is all of it: no range, several, or one that cannot be read. Raises `RangeUnsatisfiable`."""
    found = _RANGE.fullmatch(header or "")
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return None
    if start >= end:
        raise RangeUnsatisfiable(size_bytes=size)
    return Span(start, end)


def is_tagged(header: str | None, tag: str) -> bool:
    """Whether `If-None-Match` names this tag."""
    tags = [each.strip().removeprefix("W/") for each in (header or "").split(",")]
    return tag in tags or tags == ["*"]
