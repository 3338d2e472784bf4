"""Patterns that people write, searched with a time limit that really holds.

The `re` module cannot be stopped once it has begun. `regex` looks at the clock while it searches and lets other
threads run meanwhile, so a pattern that explodes costs a thread of its own for five seconds and nobody else anything.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import monotonic
from typing import Final, TypeVar

import regex

SECONDS: Final = 5.0
MAX_PATTERN: Final = 10_000
MAX_REPEAT: Final = 10_000  # what `{n}` may say: a larger one is slow to compile, and that cannot be stopped
THREADS: Final = 4

_T = TypeVar("_T")
_REPEATS = regex.compile(r"\{\s*(\d+)?\s*,?\s*(\d+)?\s*\}")


class BadPattern(ValueError):
    """The pattern cannot be read."""


class PatternTookTooLong(Exception):
    """The search did not end in time."""

    def __init__(self) -> None:
        super().__init__(f"the pattern took longer than {SECONDS:g} seconds")


class Pattern:
    """A compiled pattern, good until its deadline."""

    def __init__(self, text: str, *, ignore_case: bool, dot_all: bool, seconds: float) -> None:
        flags = (regex.IGNORECASE if ignore_case else 0) | (regex.DOTALL if dot_all else 0)
        self._rule = regex.compile(text, flags)
        self._deadline = monotonic() + seconds
        self.groups = self._rule.groups

    def search(self, text: str) -> "regex.Match[str] | None":
        return self._rule.search(text, timeout=self._left(), concurrent=True)

    def each(self, text: str) -> "Iterator[regex.Match[str]]":
        return self._rule.finditer(text, timeout=self._left(), concurrent=True)

    def _left(self) -> float:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


async def look(
    pattern: str,
    search: Callable[[Pattern], _T],
    *,
    ignore_case: bool = False,
    dot_all: bool = True,
    seconds: float = SECONDS,
) -> _T:
    """Search beside the event loop. Raises `BadPattern` or `PatternTookTooLong`."""
    if len(pattern) > MAX_PATTERN:
        raise BadPattern(f"the pattern is longer than {MAX_PATTERN:,} characters")
    if any(int(n) > MAX_REPEAT for match in _REPEATS.finditer(pattern) for n in match.groups() if n):
        raise BadPattern(f"the pattern repeats something more than {MAX_REPEAT:,} times")

    def work() -> _T:
        return search(Pattern(pattern, ignore_case=ignore_case, dot_all=dot_all, seconds=seconds))

    try:
        return await asyncio.get_running_loop().run_in_executor(_threads(), work)
    except TimeoutError:
        raise PatternTookTooLong from None
    except (regex.error, RecursionError, OverflowError) as fault:
        raise BadPattern(f"the pattern cannot be read: {fault}") from fault


@cache
def _threads() -> ThreadPoolExecutor:
    """Their own, so that slow patterns never keep name look-ups and files waiting."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="pattern")
