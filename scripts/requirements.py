"""Which tests hold which rule: `python -m scripts.requirements [--write]`.

`tests/requirements.txt` lists the rules, tests name them in their docstrings (`engine:F3`, or plainly `F3` where most
tests are about the engine), and the page says which tests hold each. A rule that had a test and has none now fails the
check, and `--write` does not paper over it.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LIST = Path("tests/requirements.txt")
PAGE = Path("docs/reference/requirements.md")
_NAMED = re.compile(r"\bengine:([A-Z][0-9]{1,2})\b")
_PLAIN = re.compile(r"(?<![\w:-])([ACDEFJKPRSTVWXYZ][0-9]{1,2})\b")
_OURS = ("engine", "graph", "features/agents", "features/runs", "features/reviews", "base/jobs")
_RULE = re.compile(r"([A-Z][0-9]{1,2}) (.+)")
_COVERED = re.compile(r"^\| ([A-Z][0-9]{1,2}) \|[^|]*\| [0-9]+ \|", re.MULTILINE)


class Rule(NamedTuple):
    """A rule, in a few words."""

    id: str
    words: str
    section: str


class Holding(NamedTuple):
    """A test that says it holds some rules."""

    place: str
    rules: frozenset[str]


def rules(text: str) -> list[Rule]:
    found: list[Rule] = []
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif rule := _RULE.fullmatch(line):
            found.append(Rule(rule[1], rule[2], section))
    return found


def holdings(folder: Path) -> Iterator[Holding]:
    """Every test that names a rule, and every module that does so for its tests together."""
    for path in sorted(folder.rglob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        ours = path.relative_to(folder).as_posix().startswith(_OURS)
        if shared := _named(module, ours):
            yield Holding(path.as_posix(), shared)
        functions = (item for item in ast.walk(module) if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
        for item in functions:
            if item.name.startswith("test_") and (named := _named(item, ours)):
                yield Holding(f"{path.as_posix()}::{item.name}", named)


def _named(item: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef, ours: bool) -> frozenset[str]:
    told = ast.get_docstring(item) or ""
    return frozenset(_NAMED.findall(told) + (_PLAIN.findall(told) if ours else []))


def page(listed: list[Rule], held: list[Holding]) -> str:
    by_rule = {rule.id: [test.place for test in held if rule.id in test.rules] for rule in listed}
    bare = [rule for rule in listed if not by_rule[rule.id]]
    lines = [
        "# Rules of agents and their engine, and the tests that hold them",
        "",
        "Written by `make requirements` from the tests' docstrings. Do not edit.",
        "",
        f"{len(listed) - len(bare)} of {len(listed)} rules have tests.",
    ]
    for section in dict.fromkeys(rule.section for rule in listed):
        lines += ["", f"## {section}", "", "| Rule | About | Tests | |", "|---|---|---|---|"]
        for rule in listed:
            if rule.section == section:
                lines.append(_row(rule, by_rule[rule.id]))
    return "\n".join(lines) + "\n"


def _row(rule: Rule, places: list[str]) -> str:
    if not places:
        return f"| {rule.id} | {rule.words} | none yet | |"
    return f"| {rule.id} | {rule.words} | {len(places)} | {'<br>'.join(f'`{place}`' for place in places)} |"


def lost(before: str, after: str) -> list[str]:
    """Rules that had a test and have none now."""
    return sorted(set(_COVERED.findall(before)) - set(_COVERED.findall(after)))


def unknown(listed: list[Rule], held: list[Holding]) -> list[str]:
    """Names in docstrings that no rule has."""
    known = {rule.id for rule in listed}
    return sorted(f"{test.place} names {rule}" for test in held for rule in test.rules - known)


def main() -> int:
    listed, held = rules(LIST.read_text(encoding="utf-8")), list(holdings(Path("tests")))
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    after = page(listed, held)
    faults = [f"no test holds {rule} any more" for rule in lost(before, after)] + unknown(listed, held)
    if not faults and "--write" in sys.argv:
        PAGE.write_text(after, encoding="utf-8")
    elif not faults and before != after:
        faults = [f"{PAGE} is not what the tests say; run `make requirements`"]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
