"""What can be said of a statement without running it, and of the values that go in and come out. Pure."""

import math
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Final, cast

from pilothouse.kit.json import Json, JsonObject

MAX_BYTES: Final = 10_000_000  # of texts in one answer
_READING: Final = frozenset({"select", "with", "values", "table", "explain", "show"})
_BEFORE: Final = re.compile(r"(\s|\(|--[^\n]*(\n|$)|/\*.*?\*/)*", re.DOTALL)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)


def is_reading(statement: str) -> bool:
    """Whether it begins like one that only looks. The database itself holds it to that."""
    begins = _BEFORE.match(statement)
    word = _WORD.match(statement, begins.end() if begins else 0)
    return word is not None and word[0].lower() in _READING


def unique(names: Sequence[str]) -> list[str]:
    """Column names as keys of an object: the second `id` is `id_2`."""
    found: list[str] = []
    for name in names:
        key, number = name, 1
        while key in found:
            number += 1
            key = f"{name}_{number}"
        found.append(key)
    return found


class Gathered:
    """Rows up to a number and up to a size."""

    def __init__(self, columns: Sequence[str], most: int) -> None:
        self.columns = unique(columns)
        self.rows: list[JsonObject] = []
        self.truncated = False
        self._most = most
        self._room = MAX_BYTES

    def take(self, row: Sequence[object]) -> bool:
        """Whether there is room for more."""
        told = dict(zip(self.columns, map(as_json, row), strict=True))
        self._room -= sum(len(value) if isinstance(value, str) else 8 for value in told.values())
        if len(self.rows) >= self._most or self._room < 0:
            self.truncated = True
            return False
        self.rows.append(told)
        return True


def as_json(value: object) -> Json:
    """A value of a database. What JSON has no form for becomes text: bytes in base64, moments in ISO form."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    return _container(value)


def _container(value: object) -> Json:
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in cast(Mapping[object, object], value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(item) for item in cast(Iterable[object], value)]
    return str(value)


def _number(value: Decimal) -> Json:
    """As a number where that says exactly the same, else as text."""
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value() and abs(value) < 10**15:
        return int(value)
    return number if Decimal(repr(number := float(value))) == value else str(value)


def _moment(text: str) -> datetime:
    told = datetime.fromisoformat(text)
    return told if told.tzinfo else told.replace(tzinfo=UTC)


_FROM_TEXT: Final[Mapping[str, Callable[[str], object]]] = {
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timestamp": lambda text: _moment(text).astimezone(UTC).replace(tzinfo=None),
    "timestamptz": _moment,
    "bytea": partial(b64decode, validate=True),
}


def param_for(kind: str, value: Json) -> object:
    """A JSON value as PostgreSQL's own type wants it. Raises `ValueError`."""
    if kind == "numeric" and isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            return Decimal(str(value))
        except ArithmeticError as cause:
            raise ValueError(f"{value!r} is no number") from cause
    read = _FROM_TEXT.get(kind)
    return read(value) if read is not None and isinstance(value, str) else value
