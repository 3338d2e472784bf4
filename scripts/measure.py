"""What the ratchet counts in one file: long files and functions, `Any`, ignores, broad excepts."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PYTHON_FILE, PYTHON_FUNCTION = 300, 40
MOST_FILE, MOST_FUNCTION = 400, 60
WEB_FILE, WEB_COMPONENT, WEB_HOOK, WEB_ROUTE = 300, 200, 100, 120

IGNORE = re.compile(r"#\s*(type:\s*ignore|pyright:|noqa)")
WEB_IGNORE = re.compile(r"@ts-(ignore|expect-error|nocheck)|biome-ignore")
WEB_ANY = re.compile(r"(?::|<|\bas|,)\s*any\b")
WEB_DECLARATION = re.compile(r"^(?:export )?(?:default )?(?:async )?(?:function\*?|const|class) (\w+)")


@dataclass(frozen=True)
class Measure:
    """Counts past the line where one looks again, and sentences about what is past all bounds."""

    counts: Counter[str]
    refused: tuple[str, ...] = ()


def measure(path: Path) -> Measure:
    text = path.read_text()
    if "generated" in text.partition("\n")[0] or ".gen." in path.name:
        return Measure(Counter())
    return measure_python(path, text) if path.suffix == ".py" else measure_web(path, text)


def measure_python(path: Path, text: str) -> Measure:
    tree = ast.parse(text, str(path))
    counts: Counter[str] = Counter()
    refused: list[str] = []
    lines = text.count("\n")
    note_length(counts, refused, f"{path}", lines, "long_files", PYTHON_FILE, MOST_FILE)
    for function in () if is_history(path) else functions(tree):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        where = f"{path}:{function.lineno} {function.name}"
        note_length(counts, refused, where, length, "long_functions", PYTHON_FUNCTION, MOST_FUNCTION)
    counts["any"] += sum(is_any(node) for node in ast.walk(tree))
    counts["broad_excepts"] += sum(is_broad(node) for node in ast.walk(tree))
    counts["ignores"] += sum(bool(IGNORE.search(comment)) for comment in comments(text))
    return Measure(counts, tuple(refused))


def is_history(path: Path) -> bool:
    """A migration lists tables as they once were; it is never changed again: one idea, however long."""
    return "migrations" in path.parts and path.parent.name == "versions"


def note_length(
    counts: Counter[str], refused: list[str], where: str, length: int, name: str, again: int, most: int
) -> None:
    counts[name] += length > again
    if length > most:
        refused.append(f"{where}: {length} lines, never more than {most}")


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_any(node: ast.AST) -> bool:
    return (isinstance(node, ast.Name) and node.id == "Any") or (isinstance(node, ast.Attribute) and node.attr == "Any")


def is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"})


def comments(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def measure_web(path: Path, text: str) -> Measure:
    counts: Counter[str] = Counter()
    refused: list[str] = []
    lines = text.splitlines()
    again = WEB_ROUTE if "routes" in path.parts else WEB_FILE
    note_length(counts, refused, f"{path}", len(lines), "long_files", again, MOST_FILE)
    for name, length in declarations(lines):
        if name[0].isupper() and path.suffix == ".tsx":
            note_length(counts, refused, f"{path} {name}", length, "long_components", WEB_COMPONENT, WEB_COMPONENT * 2)
        elif name.startswith("use"):
            note_length(counts, refused, f"{path} {name}", length, "long_hooks", WEB_HOOK, WEB_HOOK * 2)
        else:
            note_length(counts, refused, f"{path} {name}", length, "long_functions", PYTHON_FUNCTION, MOST_FUNCTION * 2)
    counts["any"] += len(WEB_ANY.findall(text))
    counts["ignores"] += len(WEB_IGNORE.findall(text))
    return Measure(counts, tuple(refused))


def declarations(lines: list[str]) -> Iterator[tuple[str, int]]:
    """Top-level declarations and their lengths; the formatter puts their last line at the left edge."""
    name, first = "", 0
    for number, line in enumerate(lines):
        if match := WEB_DECLARATION.match(line):
            name, first = match[1], number
        elif name and line[:1] in "})]":
            yield name, number - first + 1
            name = ""
