"""Names like the one that was meant."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

MOST: Final = 50


def nearest(meant: str, names: Iterable[str]) -> list[str]:
    """The names, most alike first; at most fifty."""
    wanted = _pairs(meant)
    return sorted(names, key=lambda name: (-_likeness(wanted, _pairs(name)), name))[:MOST]


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / (len(left | right) or 1)


@lru_cache(maxsize=4096)
def _pairs(text: str) -> frozenset[str]:
    text = f" {text.casefold()[:200]} "
    return frozenset(text[at : at + 2] for at in range(len(text) - 1))
