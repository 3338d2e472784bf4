"""Pin names with paths: `response_#_title` selects from an output, `values_$_0` assembles into an input."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from pilothouse.kit.json import Json, JsonObject

MAX_INDEX: Final = 9_999
MAX_WRITTEN: Final = 10  # levels that a path may put around a value; the log has room for few more than a value has
Segment: TypeAlias = str | int  # a text names a key or field, a number an element
Path: TypeAlias = tuple[Segment, ...]

TOOLS: Final = "tools"
_MARK = re.compile(r"_([#$@])_")
_TOOL = re.compile(r"tools_\^_(.*?)_~_(.*)", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]{1,9}")


class Miss(Enum):
    """The one value that says "the path leads nowhere"; null is a value like any other."""

    MISS = "miss"


MISS: Final = Miss.MISS
Missed: TypeAlias = Literal[Miss.MISS]


class BadPinPath(ValueError):
    """A pin's path is not well formed."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin as a link names it: `text` is the join key, `base` the block's own pin."""

    text: str
    base: str
    path: Path


def parse_source(text: str) -> Pin:
    """Read an output pin; an index may count from the end. Imported agents name the tool too: that means `tools`."""
    if tool_of(text) is not None:
        return Pin(text, TOOLS, ())
    return _parse(text, lowest=-MAX_INDEX - 1)


def tool_of(pin: str) -> tuple[str, str] | None:
    """The node and the pin that `tools_^_<node>_~_<pin>` is for; None for any other pin."""
    found = _TOOL.fullmatch(pin)
    return None if found is None else (found[1], found[2])


def parse_sink(text: str) -> Pin:
    """Read an input pin; an index says where to write, so it cannot be negative."""
    pin = _parse(text, lowest=0)
    if len(pin.path) > MAX_WRITTEN:
        raise BadPinPath(f"'{text[:60]}...' leads deeper than {MAX_WRITTEN} levels.")
    return pin


def pin_base(text: str) -> str:
    """The block's own pin that a pin with a path belongs to, well formed or not."""
    if tool_of(text) is not None:
        return TOOLS
    return _MARK.split(text, maxsplit=1)[0]


def _parse(text: str, lowest: int) -> Pin:
    base, *rest = _MARK.split(text)
    if not base:
        raise BadPinPath(f"'{text}' has no pin name before its path.")
    path = tuple(_segment(text, mark, word, lowest) for mark, word in zip(rest[::2], rest[1::2], strict=True))
    return Pin(text, base, path)


def _segment(text: str, mark: str, word: str, lowest: int) -> Segment:
    if mark != "$":
        if not word:
            raise BadPinPath(f"'{text}' has an empty key after '_{mark}_'.")
        return word
    if not _NUMBER.fullmatch(word):
        raise BadPinPath(f"'{word}' in '{text}' is not a list index.")
    index = int(word)
    if not lowest <= index <= MAX_INDEX:
        raise BadPinPath(f"List index {index} in '{text}' is outside {lowest} to {MAX_INDEX}.")
    return index


def select(value: Json, path: Path) -> Json | Missed:
    """What the path leads to, or `MISS`. Values are JSON: no segment reads an attribute of the host."""
    for segment in path:
        if isinstance(segment, str):
            if not isinstance(value, dict) or segment not in value:
                return MISS
            value = value[segment]
        else:
            if not isinstance(value, list) or not -len(value) <= segment < len(value):
                return MISS
            value = value[segment]
    return value


def assemble(base: Json, path: Path, value: Json) -> Json:
    """A copy of `base` with `value` written at `path`; what is missing or of another kind becomes a container."""
    if not path:
        return value
    segment, rest = path[0], path[1:]
    if isinstance(segment, str):
        made: JsonObject = dict(base) if isinstance(base, dict) else {}
        made[segment] = assemble(made.get(segment), rest, value)
        return made
    items: list[Json] = list(base) if isinstance(base, list) else []
    items.extend([None] * (segment + 1 - len(items)))
    items[segment] = assemble(items[segment], rest, value)
    return items
