"""What one rendering may use up, and what each operation in it costs."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from string import Formatter
from time import perf_counter
from typing import cast

from jinja2 import Undefined
from jinja2.exceptions import SecurityError

SECONDS = 0.1
VALUE_LIMIT = 16_000_000  # characters of any one value, and of the whole output
MADE_LIMIT = 64_000_000  # characters of all values made on the way
NODE_COST = 64  # what an element of a container counts as, in characters
NUMBER_BITS = 4096
WIDTH_LIMIT = 10_000


class OverBudget(Exception):
    """The template wants more time or memory than it may have."""


@dataclass(slots=True)
class Budget:
    """One rendering's time and memory. Every operation ticks; every value made is charged."""

    deadline: float
    made: int = 0

    def tick(self) -> None:
        if perf_counter() > self.deadline:
            raise OverBudget("more than 100 ms")

    def charge(self, size: int) -> None:
        self.tick()
        self.made += size
        if size > VALUE_LIMIT or self.made > MADE_LIMIT:
            raise OverBudget("more than 16 MB of values")


_current: ContextVar[Budget] = ContextVar("template_budget")


@contextmanager
def within(budget: Budget) -> Generator[Budget]:
    """Let the operations of this rendering find their budget."""
    token = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(token)


def budget() -> Budget:
    """The budget of the rendering under way; compile-time folding has none, and so folds nothing."""
    try:
        return _current.get()
    except LookupError:
        raise OverBudget("not rendering") from None


def weight(value: object) -> int:
    """About how many characters a value is written as; refuses what is no value.

    Stops early: parts that are shared may make it astronomical.
    """
    total = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            total += len(item)
        elif isinstance(item, Mapping):
            pairs = cast(Mapping[object, object], item)
            stack.extend(pairs.keys())
            stack.extend(pairs.values())
        elif isinstance(item, list | tuple | set):
            stack.extend(cast(Iterable[object], item))
        elif not isinstance(item, int | float | None | Undefined):
            raise SecurityError("only values can be put into lists, written or passed to a filter")
        total += NODE_COST
        if total > VALUE_LIMIT + NODE_COST or len(stack) > VALUE_LIMIT // NODE_COST:
            raise OverBudget("more than 16 MB of values")
    return total


def made(value: object) -> object:
    """Charge a fresh value and hand it on."""
    if isinstance(value, str):
        budget().charge(len(value))
    elif is_container(value):
        budget().charge(weight(value))
    return value


def is_container(value: object) -> bool:
    return isinstance(value, list | tuple | Mapping | set)


def expect(size: int) -> None:
    """Refuse before making what would be too large."""
    budget().tick()
    if size > VALUE_LIMIT:
        raise OverBudget("more than 16 MB of values")


def bits(value: object) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def check_binop(operator: str, left: object, right: object) -> None:
    """Refuse an operation whose result would be huge."""
    budget().tick()
    if operator == "*":
        for many, times in ((left, right), (right, left)):
            if isinstance(many, str | list | tuple) and isinstance(times, int):
                expect(len(cast(str, many)) * max(times, 0) * (1 if isinstance(many, str) else NODE_COST))
        _check_bits(bits(left) + bits(right))
    elif operator == "**":
        _check_bits(max(bits(left), 1) * abs(right) if isinstance(right, int) and isinstance(left, int) else 0)
    elif operator == "+" and isinstance(left, str | list | tuple) and isinstance(right, str | list | tuple):
        expect(len(cast(str, left)) + len(cast(str, right)))
        budget().charge((len(cast(str, left)) + len(cast(str, right))) * (1 if isinstance(left, str) else 8))
    elif operator == "%" and isinstance(left, str):
        check_percent(left, right)


def _check_bits(size: int) -> None:
    if size > NUMBER_BITS:
        raise OverBudget("a number of more than 4,096 bits")


_WIDE_PERCENT = re.compile(r"%[^a-zA-Z%]*(\*|[0-9]{5})")


def check_percent(text: str, values: object) -> None:
    """Printf style: a width may make megabytes out of one value, and a name may be used many times."""
    if _WIDE_PERCENT.search(text):
        raise OverBudget("a format wider than 9,999")
    fields = text.count("%")
    expect(len(text) + weight(values) * (1 if isinstance(values, tuple) else fields) + fields * WIDTH_LIMIT)


def check_format(text: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """`str.format` style, likewise; a width that is itself a field could be anything."""
    fields = 0
    for _, name, spec, _ in Formatter().parse(text):
        fields += name is not None
        if spec and ("{" in spec or re.search(r"[0-9]{5}", spec)):
            raise OverBudget("a format wider than 9,999")
    expect(len(text) + fields * weight([*args, kwargs]))


def check_split(text: str, separator: object = None, *_: object, **__: object) -> None:
    pieces = text.count(separator) if isinstance(separator, str) and separator else len(text) // 2
    expect((pieces + 1) * NODE_COST)


def check_replace(text: str, old: object, new: object, *_: object) -> None:
    count = text.count(str(old)) if str(old) else len(text) + 1
    expect(len(text) + count * len(str(new)))


def check_width(_: object, width: object = 0, *rest: object) -> None:
    if isinstance(width, int) and width > WIDTH_LIMIT:
        raise OverBudget("a width over 10,000")


STRING_METHODS: dict[str, Callable[..., None]] = {
    "center": check_width,
    "ljust": check_width,
    "rjust": check_width,
    "zfill": check_width,
    "expandtabs": check_width,
    "replace": check_replace,
    "split": check_split,
    "rsplit": check_split,
    "splitlines": check_split,
}
