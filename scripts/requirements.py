"""Which tests hold which rule: `python -m scripts.requirements [--write]`.

Each book of rules is a list (`tests/requirements*.txt`); tests name rules in their docstrings (`engine:F3`,
`autopilot:9.6`, or plainly `F3` and `9.6` where most tests are about that book; `test_f3_...` does as well there), and
a page says which tests hold each. A rule may have clauses that nothing holds yet; the list names them below the rule
(`  not yet: spend limits (billing)`), and a rule with such a gap is held in part, however many tests name it.
A rule that had a test and has none now fails the check, and `--write` does not paper over it.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Book:
    """Rules that belong together, and how tests name them."""

    title: str
    listed: Path
    page: Path
    named: re.Pattern[str]  # anywhere; one match may hold several names
    plain: re.Pattern[str]  # a bare name, in the tests of `folders`
    folders: tuple[str, ...]


_LETTERED, _NUMBERED = r"[A-Z][0-9]{1,2}", r"[0-9]{1,2}\.[0-9]{1,2}"
ENGINE = Book(
    "agents and their engine",
    Path("tests/requirements.txt"),
    Path("docs/reference/requirements.md"),
    re.compile(rf"\bengine:{_LETTERED}\b"),
    re.compile(r"(?<![\w:-])([ACDEFJKPRSTVWXYZ][0-9]{1,2})\b"),
    ("engine", "graph", "features/agents", "features/runs", "features/reviews", "base/jobs"),
)
AUTOPILOT = Book(
    "AutoPilot",
    Path("tests/requirements-autopilot.txt"),
    Path("docs/reference/requirements-autopilot.md"),
    re.compile(rf"\bautopilot:{_NUMBERED}(?:, {_NUMBERED})*"),
    re.compile(rf"(?<![\w:.,/-])({_NUMBERED})(?![\w./-]*\w)"),
    ("autopilot", "features/chat"),
)
BOOKS = (ENGINE, AUTOPILOT)
_NAME = re.compile(rf"{_LETTERED}|{_NUMBERED}")
_RULE = re.compile(rf"({_LETTERED}|{_NUMBERED}) (.+)")
_GAP = re.compile(r" +not yet: (.+)")
_FIRST_WORDS = re.compile(r"test_((?:[a-z][0-9]{1,2}_)+)")
_CASE = re.compile(r"b[0-9]{1,2}")
_COVERED = re.compile(rf"^\| ({_LETTERED}|{_NUMBERED}) \|[^|]*\| [0-9]+ \|", re.MULTILINE)


class Rule(NamedTuple):
    """A rule, in a few words, and what of it has no code or no test yet."""

    id: str
    words: str
    section: str
    gaps: tuple[str, ...] = ()


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
        elif line.startswith(" "):
            found[-1] = _with_gap(found[-1], line)
    return found


def _with_gap(rule: Rule, line: str) -> Rule:
    gap = _GAP.fullmatch(line)
    if gap is None or "|" in line:  # a bar would end its cell of the table
        raise ValueError(f"below {rule.id}: no gap is told by {line!r}")
    return rule._replace(gaps=(*rule.gaps, gap[1]))


def holdings(folder: Path, book: Book = ENGINE) -> Iterator[Holding]:
    """Every test that names a rule, and every module that does so for its tests together."""
    for path in sorted(folder.rglob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        ours = path.relative_to(folder).as_posix().startswith(book.folders)
        if shared := _named(module, book, ours):
            yield Holding(path.as_posix(), shared)
        functions = (item for item in ast.walk(module) if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
        for item in functions:
            if item.name.startswith("test_") and (named := _named(item, book, ours)):
                yield Holding(f"{path.as_posix()}::{item.name}", named)


def measured(folder: Path, listed: list[Rule], book: Book = ENGINE) -> Iterator[Holding]:
    """The cases of the bench: `b2` measures B2 and whatever else its docstring names; some are of no rule."""
    known = {rule.id for rule in listed}
    for path in sorted(folder.glob("*.py")):
        for item in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(item, ast.AsyncFunctionDef) and _CASE.fullmatch(item.name):
                rules = (_named(item, book, False) | {item.name.upper()}) & known
                yield Holding(f"{path.as_posix()}::{item.name}", rules)


def _named(item: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef, book: Book, ours: bool) -> frozenset[str]:
    told = ast.get_docstring(item) or ""
    if ours and not isinstance(item, ast.Module) and (first := _FIRST_WORDS.match(item.name)):
        told = f"{told} {first[1].upper().replace('_', ' ')}"
    named = [name for match in book.named.finditer(told) for name in _NAME.findall(match[0])]
    return frozenset(named + (book.plain.findall(told) if ours else []))


def page(listed: list[Rule], held: list[Holding], book: Book = ENGINE) -> str:
    by_rule = {rule.id: [test.place for test in held if rule.id in test.rules] for rule in listed}
    lines = [
        f"# Rules of {book.title}, and the tests that hold them",
        "",
        "Written by `make requirements` from the tests' docstrings and the bench's cases. Do not edit.",
        "",
        _summary(listed, by_rule),
    ]
    for section in dict.fromkeys(rule.section for rule in listed):
        lines += ["", f"## {section}", "", "| Rule | About | Tests | Not yet | |", "|---|---|---|---|---|"]
        for rule in listed:
            if rule.section == section:
                lines.append(_row(rule, by_rule[rule.id]))
    return "\n".join(lines) + "\n"


def _summary(listed: list[Rule], by_rule: dict[str, list[str]]) -> str:
    """A rule is whole when tests hold it and no gap of it is known."""
    bare = [rule.id for rule in listed if not by_rule[rule.id]]
    partly = [rule.id for rule in listed if rule.gaps and rule.id not in bare]
    told = f"{len(listed) - len(bare) - len(partly)} rules whole"
    if partly:
        told += f", {len(partly)} in part ({', '.join(partly)})"
    if bare:
        told += f", none yet: {', '.join(bare)}"
    return f"{told}."


def _row(rule: Rule, places: list[str]) -> str:
    gaps, tests = "<br>".join(rule.gaps), "<br>".join(f"`{place}`" for place in places)
    return f"| {rule.id} | {rule.words} | {len(places) or 'none yet'} | {gaps} | {tests} |"


def lost(before: str, after: str) -> list[str]:
    """Rules that had a test and have none now."""
    return sorted(set(_COVERED.findall(before)) - set(_COVERED.findall(after)))


def unknown(listed: list[Rule], held: list[Holding]) -> list[str]:
    """Names in docstrings that no rule has."""
    known = {rule.id for rule in listed}
    return sorted(f"{test.place} names {rule}" for test in held for rule in test.rules - known)


def settle(book: Book, *, write: bool) -> list[str]:
    """What is wrong with a book's page; with `write` it is written anew first, unless that would hide a loss."""
    listed, held = rules(book.listed.read_text(encoding="utf-8")), list(holdings(Path("tests"), book))
    if book is ENGINE:
        held += measured(Path("bench"), listed)
    before = book.page.read_text(encoding="utf-8") if book.page.exists() else ""
    after = page(listed, held, book)
    faults = [f"no test holds {rule} any more" for rule in lost(before, after)] + unknown(listed, held)
    if not faults and write:
        book.page.write_text(after, encoding="utf-8")
    elif not faults and before != after:
        faults = [f"{book.page} is not what the tests say; run `make requirements`"]
    return faults


def main() -> int:
    faults = [fault for book in BOOKS for fault in settle(book, write="--write" in sys.argv)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
