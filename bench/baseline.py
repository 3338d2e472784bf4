"""What this machine came to before: a figure that got worse by more than a fifth is told, even within its bar.

`BENCH_SAVE=file make bench` writes the figures that have a bar; `BENCH_BASELINE=file make bench` compares with them.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

WORSE = 0.2


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured that has a bar."""

    value: float
    unit: str
    less_is_better: bool

    def is_worse_than(self, before: float) -> bool:
        allowed = WORSE * abs(before)
        return self.value > before + allowed if self.less_is_better else self.value < before - allowed


Figures: TypeAlias = dict[str, Figure]


def save(path: Path, figures: Figures) -> None:
    """What was not measured this time stays as it was."""
    known = read(path) if path.exists() else {}
    values = known | {name: figure.value for name, figure in figures.items()}
    path.write_text(json.dumps(values, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, float]:
    return {str(name): float(value) for name, value in json.loads(path.read_text(encoding="utf-8")).items()}


def worse(figures: Figures, before: dict[str, float]) -> list[str]:
    """The figures that got worse, by name; one that is new cannot."""
    return [name for name, figure in figures.items() if name in before and figure.is_worse_than(before[name])]
