"""What steps spent: money by provider and tokens by kind. Sums only, so that their order does not matter."""

from collections.abc import Mapping
from typing import Final, TypeAlias, cast

from pilothouse.kit.json import JsonObject

COST: Final = "cost_microdollars"  # by provider
TOKENS: Final = "tokens"  # by kind: `prompt`, `completion`
Usage: TypeAlias = dict[str, dict[str, int]]


def no_usage() -> Usage:
    return {COST: {}, TOKENS: {}}


def add_usage(total: Usage, more: Mapping[str, object]) -> None:
    """Count what is known in `more`, which may be a run's statistics."""
    for part in (COST, TOKENS):
        for name, number in cast(Mapping[str, int], more.get(part) or {}).items():
            total[part][name] = total[part].get(name, 0) + number


def usage_json(used: Usage) -> JsonObject:
    """In one order, whatever came first."""
    return {part: dict(sorted(used[part].items())) for part in (COST, TOKENS)}
