"""Counts that may only fall: `python -m scripts.ratchet [--write]`.

A rule nobody counts is a wish. `ratchet.json` holds, per package, what is past the line where one should look
again. A count that rises fails the check; one that falls asks to be recorded, so that it cannot rise back.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scripts.measure import measure

RECORD = Path("ratchet.json")
PLACES = ("src", "tests", "scripts", "bench", "web/src")
SUFFIXES = {".py", ".ts", ".tsx"}
Counts = dict[str, dict[str, int]]


def files() -> Iterator[Path]:
    for place in PLACES:
        for path in sorted(Path(place).rglob("*")):
            if path.suffix in SUFFIXES and "node_modules" not in path.parts:
                yield path


def package_of(path: Path) -> str:
    """`src/pilothouse/base`, `src/pilothouse/features/runs`, `web/src/features/runs`, `tests`, ..."""
    folders = path.parts[:-1]
    depth = {"src": 3, "web": 3}.get(folders[0], 1)
    if "features" in folders[:depth]:
        depth += 1
    return "/".join(folders[:depth])


def count() -> tuple[Counts, list[str]]:
    totals: dict[str, Counter[str]] = {}
    refused: list[str] = []
    for path in files():
        found = measure(path)
        totals.setdefault(package_of(path), Counter()).update(found.counts)
        refused.extend(found.refused)
    return {package: kept for package, counts in sorted(totals.items()) if (kept := positive(counts))}, refused


def positive(counts: Counter[str]) -> dict[str, int]:
    return {name: number for name, number in sorted(counts.items()) if number > 0}


def differences(old: Counts, new: Counts) -> tuple[list[str], list[str]]:
    """Sentences about what rose and about what fell."""
    rose: list[str] = []
    fell: list[str] = []
    for package in sorted({*old, *new}):
        before, after = old.get(package, {}), new.get(package, {})
        for name in sorted({*before, *after}):
            was, now = before.get(name, 0), after.get(name, 0)
            if was != now:
                (rose if now > was else fell).append(f"{package}: {name} {was} -> {now}")
    return rose, fell


def main() -> int:
    old: Counts = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    new, refused = count()
    rose, fell = differences(old, new)
    for sentence in refused:
        print(f"too long: {sentence}")
    if "--write" in sys.argv:
        if rose and "--accept-rise" not in sys.argv:
            return report(rose, "these counts rose; mend them, or say why in the change and add --accept-rise")
        RECORD.write_text(json.dumps(new, indent=2) + "\n")
        return 1 if refused else 0
    failed = report(rose, "these counts may only fall") + report(fell, "well done; record it with `make ratchet`")
    return 1 if failed or refused else 0


def report(sentences: list[str], advice: str) -> int:
    for sentence in sentences:
        print(sentence)
    if sentences:
        print(f"ratchet: {advice}")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
