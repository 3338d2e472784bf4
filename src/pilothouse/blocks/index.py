"""Writes the block index, so that starting up imports no block: `python -m pilothouse.blocks.index --write`."""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import cast

from pilothouse import blocks
from pilothouse.blocks.contract import Block
from pilothouse.blocks.plugins import index_path
from pilothouse.blocks.refusals import BlockRefused
from pilothouse.blocks.registry import INDEX, TEST_INDEX
from pilothouse.kit.json import Json, JsonObject, pretty

TEST_MODULES = ("pilothouse.blocks.testing", "pilothouse.blocks.testing_keys", "pilothouse.blocks.testing_runs")


def block_modules() -> list[ModuleType]:
    """Every module below `pilothouse.blocks`, those for tests only left out."""
    found = pkgutil.walk_packages(blocks.__path__, "pilothouse.blocks.")
    names = sorted(module.name for module in found)
    return [importlib.import_module(name) for name in names if name not in (*TEST_MODULES, __name__, "__main__")]


def entries(modules: Iterable[ModuleType]) -> list[JsonObject]:
    """One entry per block, ordered by name; two blocks of one id are refused."""
    found: dict[str, JsonObject] = {}
    for module in modules:
        for name, item in vars(module).items():
            if isinstance(item, Block) and item.function.__module__ == module.__name__:
                entry = _entry(item, f"{module.__name__}:{name}")
                other = found.setdefault(item.spec.id, entry)
                if other is not entry:
                    raise BlockRefused(item.spec.name, f"its id {item.spec.id} is taken by {other['name']!r}")
    return sorted(found.values(), key=lambda entry: (str(entry["name"]), str(entry["id"])))


def _entry(item: Block, path: str) -> JsonObject:
    facts = cast(dict[str, Json], asdict(item.spec))
    for name in ("disabled", "reason", "plugin"):  # true of an installation, not of a block
        del facts[name]
    if facts["join"] is None:
        del facts["join"]
    return {"function": path, **facts}


def expected() -> dict[Path, str]:
    """What each index file should hold."""
    return {
        INDEX: pretty(entries(block_modules())),
        TEST_INDEX: pretty(entries(map(importlib.import_module, TEST_MODULES))),
    }


def stale() -> list[str]:
    """Names of index files that differ from the code."""
    return [
        path.name for path, text in expected().items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def write_plugin(package: str) -> int:
    """Import a package whole and write the index that it ships."""
    module = importlib.import_module(package)
    inside = pkgutil.walk_packages(module.__path__, f"{package}.")
    modules = [module, *(importlib.import_module(name) for name in sorted(found.name for found in inside))]
    index_path(package).write_text(pretty(entries(modules)), encoding="utf-8")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Keep the block index equal to the code.")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="fail when the index is stale")
    mode.add_argument("--write", action="store_true", help="write the index")
    mode.add_argument("--plugin", metavar="PACKAGE", help="write the index of another package's blocks")
    asked = parser.parse_args()
    if asked.plugin:
        return write_plugin(str(asked.plugin))
    if asked.write:
        for path, text in expected().items():
            path.write_text(text, encoding="utf-8")
        return 0
    old = stale()
    if old:
        sys.stderr.write(f"stale block index: {', '.join(old)}; run python -m pilothouse.blocks.index --write\n")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
