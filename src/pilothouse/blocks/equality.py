"""When two JSON values are the same: numbers by what they are worth, and true is not 1."""

from collections.abc import Hashable, Iterable

from pilothouse.kit.json import Json


def identity(value: Json) -> Hashable:
    """Something to look the value up by: equal for values that are the same, and only for them."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return ("list", tuple(identity(item) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(item)) for key, item in value.items()))
    return value


def same(left: Json, right: Json) -> bool:
    """Whether two values are equal as JSON."""
    return identity(left) == identity(right)


def distinct(values: Iterable[Json]) -> list[Json]:
    """Each value once, in the order in which it first came."""
    first: dict[Hashable, Json] = {}
    for value in values:
        first.setdefault(identity(value), value)
    return list(first.values())


def index_of(values: list[Json], wanted: Json) -> int | None:
    """The first place that holds this value."""
    sought = identity(wanted)
    return next((index for index, value in enumerate(values) if identity(value) == sought), None)
