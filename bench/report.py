"""Figures, one a line: `name: value unit`, with bar, goal and verdict behind."""

from dataclasses import dataclass, field
from statistics import median


@dataclass(slots=True)
class Report:
    """Collects what was measured."""

    misses: list[str] = field(default_factory=list[str])
    skipped: list[str] = field(default_factory=list[str])

    def say(self, name: str, value: float, unit: str) -> None:
        """A figure without a bar."""
        print(f"{name}: {_shown(value)} {unit}", flush=True)

    def at_most(self, name: str, value: float, unit: str, bar: float, goal: float | None = None) -> None:
        self._judge(name, value, unit, value <= bar, f"<= {_shown(bar)}", goal)

    def at_least(self, name: str, value: float, unit: str, bar: float, goal: float | None = None) -> None:
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

    def close(self) -> int:
        """The verdict; the exit code."""
        print(f"verdict: {len(self.misses)} missed {' '.join(self.misses)}".rstrip())
        return 0


def middle(values: list[float]) -> float:
    return median(values)


def _shown(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"
