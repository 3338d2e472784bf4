"""Ways to choose `size` of the items (never more than there are): each gives indices. Pure."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from pilothouse.blocks.branches import text_of
from pilothouse.kit.json import Json

Items: TypeAlias = Sequence[Json]
Method: TypeAlias = Callable[[Items, int, Random, str], list[int]]


class BadSample(ValueError):
    """These items cannot be sampled that way; the words are for the user."""


def anywhere(items: Items, size: int, random: Random, key: str) -> list[int]:
    return random.sample(range(len(items)), size)


def systematic(items: Items, size: int, random: Random, key: str) -> list[int]:
    """Every n-th item, from a start by chance."""
    if not size:
        return []
    step = len(items) // size
    start = random.randrange(step)
    return [start + step * nth for nth in range(size)]


def top(items: Items, size: int, random: Random, key: str) -> list[int]:
    return list(range(size))


def bottom(items: Items, size: int, random: Random, key: str) -> list[int]:
    return list(range(len(items) - size, len(items)))


def stratified(items: Items, size: int, random: Random, key: str) -> list[int]:
    """From each group its share; what rounding leaves over goes to the groups that lost most by it."""
    groups = grouped(items, key)
    shares = [len(group) * size / len(items) for group in groups]
    counts = [int(share) for share in shares]
    by_loss = sorted(range(len(groups)), key=lambda nth: counts[nth] - shares[nth])
    for nth in by_loss[: size - sum(counts)]:
        counts[nth] += 1
    chosen = [index for group, count in zip(groups, counts, strict=True) for index in random.sample(group, count)]
    return sorted(chosen)


def weighted(items: Items, size: int, random: Random, key: str) -> list[int]:
    """Without putting back; an item of weight 0 is never chosen, so there may be fewer."""
    weights = [weight(item, key, index) for index, item in enumerate(items)]
    draws = {index: random.random() ** (1 / share) for index, share in enumerate(weights) if share > 0}
    return sorted(draws, key=lambda index: draws[index], reverse=True)[:size]


def reservoir(items: Items, size: int, random: Random, key: str) -> list[int]:
    """One pass, as if the end were not known."""
    kept = list(range(size))
    for index in range(size, len(items)):
        place = random.randrange(index + 1)
        if place < size:
            kept[place] = index
    return kept


def cluster(items: Items, size: int, random: Random, key: str) -> list[int]:
    """Whole groups by chance until there is enough; the last is cut."""
    groups = grouped(items, key)
    random.shuffle(groups)
    return [index for group in groups for index in group][:size]


def grouped(items: Items, key: str) -> list[list[int]]:
    """Indices of the items that share a value, groups in the order in which they first came."""
    groups: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        groups.setdefault(text_of(value_at(item, key, index)), []).append(index)
    return list(groups.values())


def weight(item: Json, key: str, index: int) -> float:
    value = value_at(item, key, index)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise BadSample(f"the weight of item {index} is not a number of 0 or more")
    return float(value)


def value_at(item: Json, key: str, index: int) -> Json:
    if not isinstance(item, dict) or key not in item:
        raise BadSample(f"item {index} has no '{key}'")
    return item[key]


METHODS: dict[str, Method] = {
    "random": anywhere,
    "systematic": systematic,
    "top": top,
    "bottom": bottom,
    "stratified": stratified,
    "weighted": weighted,
    "reservoir": reservoir,
    "cluster": cluster,
}
