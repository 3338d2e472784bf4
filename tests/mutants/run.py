"""Breaks the code on purpose: `python -m tests.mutants.run [words in the names]`.

Each `*.patch` here is a small mistake. Its first lines say which rule it breaks and which tests must notice:

    # rule: F3 a delivery goes into the oldest open step
    # tests: tests/engine/test_flow.py -k oldest

Each is applied to a copy of the tree, and its tests are run there: those that pass all the same have missed it.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COPIED = ("src", "tests", "scripts", "bench", "docs", "pyproject.toml", "Makefile")
SECONDS = 300
Fate: TypeAlias = Literal["killed", "survived", "broken"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mistake and who must notice it."""

    path: Path
    rule: str
    words: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.relative_to(HERE).with_suffix("").as_posix()


def mutants() -> Iterator[Mutant]:
    for path in sorted(HERE.rglob("*.patch")):
        yield read(path)


def read(path: Path) -> Mutant:
    """Raises `ValueError` when the first lines are not as they must be."""
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    rule, tests = first.removeprefix("# rule: "), second.removeprefix("# tests: ")
    if rule == first or tests == second:
        raise ValueError(f"{path} does not say its rule and its tests")
    name, _, words = rule.partition(" ")
    return Mutant(path, name, words, tuple(shlex.split(tests)))


def apply(mutant: Mutant, root: Path, *options: str) -> bool:
    """Change a tree, or with `--check` see whether that can be done."""
    command = ["git", "apply", "-C0", "--whitespace=nowarn", *options, str(mutant.path)]
    return subprocess.run(command, cwd=root, check=False, capture_output=True).returncode == 0


def judge(mutant: Mutant, root: Path) -> Fate:
    """What the tests make of it. A tree that cannot even be imported proves nothing."""
    before = {name: (root / name).read_bytes() for name in touched(mutant)}  # an undone patch may find another place
    if not apply(mutant, root):
        return "broken"
    try:
        code = run_tests(mutant.tests, root)
    finally:
        for name, content in before.items():
            (root / name).write_bytes(content)
    return "survived" if code == 0 else "killed" if code == 1 else "broken"


def touched(mutant: Mutant) -> list[str]:
    """The files that it changes."""
    lines = mutant.path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("+++ b/") for line in lines if line.startswith("+++ b/")]


def run_tests(tests: tuple[str, ...], root: Path) -> int:
    """As pytest ends: 0 all passed, 1 some failed. Tests that never end have noticed too."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--timeout=60", *tests]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=root, env=environment, check=False, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 1
    return done.returncode


def copy_tree(to: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(source, to / name)


def main(words: list[str]) -> int:
    chosen = [mutant for mutant in mutants() if not words or any(word in mutant.name for word in words)]
    fates: dict[Fate, list[str]] = {"killed": [], "survived": [], "broken": []}
    with tempfile.TemporaryDirectory(prefix="pilothouse-mutants-") as folder:
        root = Path(folder)
        copy_tree(root)
        for mutant in chosen:
            began = time.monotonic()
            fate = judge(mutant, root)
            fates[fate].append(mutant.name)
            print(
                f"{fate:9} {mutant.name:40} {mutant.rule} {mutant.words} ({time.monotonic() - began:.0f} s)", flush=True
            )
    print(", ".join(f"{len(names)} {fate}" for fate, names in fates.items()))
    return 0 if len(fates["killed"]) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
