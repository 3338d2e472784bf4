"""Blocks of other packages: found by their entry points, listed by the index they ship, imported when first run.

A package `acme-blocks` says in its own project file

    [project.entry-points."pilothouse.blocks"]
    acme = "acme_blocks"

and ships `acme_blocks/pilothouse_blocks.json`, which `python -m pilothouse.blocks.index --plugin acme_blocks` writes.
Only packages that the operator allows are looked at. Finding them imports nothing of theirs.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import JsonObject, loads

GROUP: Final = "pilothouse.blocks"
INDEX_NAME: Final = "pilothouse_blocks.json"


class PluginRefused(Exception):
    """A package's blocks are not taken; the words say why."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An allowed package: its blocks as its index lists them, or why there are none."""

    name: str
    entries: tuple[JsonObject, ...] = ()
    reason: str | None = None


def normal(name: str) -> str:
    """A package's name, however it is spelled."""
    return re.sub(r"[-_.]+", "-", name).lower()


def find_plugins(allowed: Collection[str]) -> Iterator[Plugin]:
    """Each allowed package in turn. Whatever is wrong with one is told of that one, and stops nothing."""
    if not allowed:
        return  # reading the entry points of all packages takes its time
    offered: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        if point.dist is not None:
            offered.setdefault(normal(point.dist.name), []).append(point)
    for name in dict.fromkeys(normal(word) for word in allowed):
        if name not in offered:
            yield Plugin(name, reason="is not installed, or offers no blocks")
        for point in offered.get(name, ()):
            try:
                yield Plugin(name, tuple(read_index(point.value)))
            except PluginRefused as refused:
                yield Plugin(name, reason=str(refused))


def read_index(package: str) -> list[JsonObject]:
    """What the package says it has. Raises `PluginRefused`."""
    path = index_path(package)
    try:
        found = loads(path.read_bytes())
    except (OSError, ValueError):
        raise PluginRefused(f"its index {INDEX_NAME} cannot be read") from None
    if not isinstance(found, list):
        raise PluginRefused(f"its index {INDEX_NAME} is not a list")
    entries = [as_object(entry) for entry in found]
    for entry in entries:
        module = str(entry.get("function")).partition(":")[0]
        if module != package and not module.startswith(f"{package}."):
            raise PluginRefused(f"its index names code outside of {package}")
    return entries


def index_path(package: str) -> Path:
    """Where a package keeps its index; finds the package without importing it. Raises `PluginRefused`."""
    top, *inside = package.split(".")
    try:
        found = find_spec(top)
    except (ImportError, ValueError):
        found = None
    places = found.submodule_search_locations if found is not None else None
    if not places:
        raise PluginRefused(f"there is no package {package}")
    return Path(next(iter(places)), *inside, INDEX_NAME)
