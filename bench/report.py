"""Figures, one a line: `name: value unit`, with bar, goal and verdict behind."""

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench import baseline
from bench.baseline import Figure, Figures


class NotMeasured(Exception):
    """A case cannot say anything here."""


@dataclass(slots=True)
class Report:
    """Collects what was measured."""

    misses: list[str] = field(default_factory=list[str])
    skipped: list[str] = field(default_factory=list[str])
    figures: Figures = field(default_factory=dict[str, Figure])

    def say(self, name: str, value: float, unit: str) -> None:
        """A figure without a bar."""
        print(f"{name}: {_shown(value)} {unit}", flush=True)

    def at_most(self, name: str, value: float, unit: str, bar: float, goal: float | None = None) -> None:
        self.figures[name] = Figure(value, unit, less_is_better=True)
        self._judge(name, value, unit, value <= bar, f"<= {_shown(bar)}", goal)

    def at_least(self, name: str, value: float, unit: str, bar: float, goal: float | None = None) -> None:
        self.figures[name] = Figure(value, unit, less_is_better=False)
        self._judge(name, value, unit, value >= bar, f">= {_shown(bar)}", goal)

    def _judge(self, name: str, value: float, unit: str, good: bool, bar: str, goal: float | None) -> None:
        verdict = "PASS" if good else "MISS"
        if not good:
            self.misses.append(name)
        aim = f", goal {_shown(goal)}" if goal is not None else ""
        print(f"{name}: {_shown(value)} {unit}  ({verdict}, bar {bar}{aim})", flush=True)

    def skip(self, case: str, reason: str) -> None:
        self.skipped.append(case)
        print(f"not run: {case} {reason}", flush=True)

    def compare(self, path: Path) -> None:
        """With what this machine came to before: who got worse by more than a fifth has missed, too."""
        before = baseline.read(path)
        for name in baseline.worse(self.figures, before):
            figure = self.figures[name]
            print(f"worse: {name} {_shown(figure.value)} {figure.unit}, was {_shown(before[name])}", flush=True)
            self.misses.append(name)

    def save(self, path: Path) -> None:
        """For later runs on this machine to compare with."""
        baseline.save(path, self.figures)

    def close(self) -> int:
        """The verdict; the exit code: a bar that was missed fails, and so does a case that could not be measured."""
        missed = list(dict.fromkeys(self.misses))
        print(f"verdict: {len(missed)} missed {' '.join(missed)}".rstrip())
        if self.skipped:
            print(f"verdict: {len(self.skipped)} not run {' '.join(self.skipped)}")
        return 1 if missed or self.skipped else 0


def middle(values: list[float]) -> float:
    return median(values)


def _shown(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"
