"""The sources as trees, for tests that read them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "pilothouse"
FEATURES = SRC / "features"


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def modules(under: Path = SRC) -> list[Path]:
    return sorted(under.rglob("*.py"))


def place(path: Path, node: ast.AST | None = None) -> str:
    """How a complaint names a line."""
    name = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name)
    return f"{name}:{getattr(node, 'lineno', 1)}"


def layer_of(path: Path) -> str:
    return path.relative_to(SRC).parts[0]


def imports(tree: ast.AST) -> Iterator[tuple[ast.AST, str, str | None]]:
    """Every import as (node, module, name or None)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node, node.module or "", alias.name


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Every call with the last word of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield node, node.func.attr
            elif isinstance(node.func, ast.Name):
                yield node, node.func.id
