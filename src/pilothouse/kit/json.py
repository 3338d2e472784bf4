"""JSON values and the one way we read and write them."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias, cast

import orjson

Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject: TypeAlias = dict[str, Json]

MAX_DEPTH = 100


def dumps(value: object) -> str:
    """Compact JSON text; datetimes and UUIDs are written as strings."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z).decode()


def dump_bytes(value: object) -> bytes:
    """Compact JSON bytes, for the wire."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z)


def sorted_bytes(value: object) -> bytes:
    """Compact JSON bytes that are equal for equal values: keys stand in one order."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z)


def pretty(value: object) -> str:
    """JSON text for people and for files under version control: two spaces, final newline."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z).decode()


def loads(text: str | bytes) -> Json:
    """Parse JSON; raises `ValueError` when it is not."""
    return cast(Json, orjson.loads(text))


def depth(value: Json) -> int:
    """How deeply containers nest: 0 for a scalar. Walks without recursion, so hostile input cannot overflow."""
    deepest = 0
    stack: list[tuple[Json, int]] = [(value, 0)]
    while stack:
        item, level = stack.pop()
        if isinstance(item, dict):
            level += 1
            stack.extend((child, level) for child in item.values())
        elif isinstance(item, list):
            level += 1
            stack.extend((child, level) for child in item)
        deepest = max(deepest, level)
    return deepest


def fitting(text: str, limit: int) -> str:
    """The longest beginning of a text that takes at most `limit` characters in JSON, its quotes not counted."""
    longest = range(1, min(len(text), max(limit, 0)) + 1)
    return text[: bisect_right(longest, limit, key=lambda length: len(dumps(text[:length])) - 2)]


def join_arrays(texts: Sequence[str]) -> str:
    """Glue JSON array texts into one, without parsing them."""
    bodies = [text[1:-1] for text in texts if len(text) > 2]
    return "[" + ",".join(bodies) + "]"
