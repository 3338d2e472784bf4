"""What the fault tests saw, gathered over all of them and printed at the end."""

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tests import services

Note: TypeAlias = dict[str, Any]


def record(kind: str, **facts: Any) -> None:
    """Keep a figure for the summary; safe from several processes."""
    with _path().open("a") as notes:
        notes.write(json.dumps({"kind": kind, **facts}) + "\n")


def _path() -> Path:
    return services.run_folder() / "faults.jsonl"


def summary() -> list[str]:
    """The lines to print; none when no fault test ran."""
    if not _path().exists():
        return []
    notes: defaultdict[str, list[Note]] = defaultdict(list)
    for line in _path().read_text().splitlines():
        note = json.loads(line)
        notes[note["kind"]].append(note)
    runs = sum(note["runs"] for note in notes["judged"])
    broken = _violations(sum(note["violations"] for note in notes["judged"]), len(notes["late"]))
    return [
        *_failpoints("Z1 kills by failpoint", notes["failpoint"]),
        *_times("  first new entry of {} jobs orphaned there", notes["recovery"]),
        *_kills("Z1 random kills", "jobs", notes["kill"]),
        *_doors(notes["door_kill"]),
        *_failpoints("AutoPilot 11.1 kills by failpoint of turns", notes["turn_failpoint"]),
        *_times("  first new entry of {} turns orphaned there", notes["turn_recovery"]),
        *_times("AutoPilot 11.1 the end of {} killed turns, start of another worker included", notes["turn_end"]),
        *_kills("AutoPilot 11.1 random kills of turns", "turns", notes["turn_kill"]),
        *_turns(notes["judged_turns"]),
        *_others(notes["figure"]),
        f"judged {len(notes['judged'])} installations with {runs} runs by I1-I5, I7, I8: {broken}",
    ]


def _violations(count: int, late: int) -> str:
    return "no violation" if count == late == 0 else f"{count} violations, {late} times orphans that went on late"


def _turns(notes: Sequence[Note]) -> list[str]:
    """Turns that were compared with undisturbed ones, by profile."""
    lines: list[str] = []
    for profile in ("embedded", "scaled"):
        if mine := [note for note in notes if note["profile"] == profile]:
            turns, broken, lost = (sum(note[name] for note in mine) for name in ("turns", "violations", "interrupted"))
            told = f"{broken} violations, {lost} calls that must not be repeated were interrupted and not repeated"
            lines.append(f"AutoPilot 11.1, 11.2 judged {turns} turns, {profile}: {told}")
    return lines


def _failpoints(title: str, hits: Sequence[Note]) -> list[str]:
    if not hits:
        return []
    counts = Counter((hit["name"], hit["profile"]) for hit in hits)
    lines = [f"{title} (embedded / scaled):"]
    for name in dict.fromkeys(hit["name"] for hit in hits):
        lines.append(f"  {name:26} {counts[name, 'embedded']:3} / {counts[name, 'scaled']:3}")
    return lines


def _times(title: str, notes: Sequence[Note]) -> list[str]:
    lines: list[str] = []
    for profile in ("embedded", "scaled"):
        mine = [note for note in notes if note["profile"] == profile]
        if count := sum(len(note["seconds"]) for note in mine):
            lines.append(f"{title.format(count)}, {profile}: {_spreads(mine)}")
    return lines


def _kills(title: str, what: str, kills: Sequence[Note]) -> list[str]:
    lines: list[str] = []
    for profile in ("embedded", "scaled"):
        mine = [kill for kill in kills if kill["profile"] == profile]
        if not mine:
            continue
        flights = [kill["in_flight"] for kill in mine]
        count = sum(len(kill["seconds"]) for kill in mine)
        lines += [
            f"{title}, {profile}: {len(mine)}",
            f"  {what} in flight at the kill: at least {min(flights)}, median {statistics.median(flights):g}",
            f"  first new entry of {count} orphaned {what}: {_spreads(mine)}",
        ]
    return lines


def _doors(kills: Sequence[Note]) -> list[str]:
    if not kills:
        return []
    again, runs = (sum(kill[name] for kill in kills) for name in ("asked_again", "in_flight"))
    told = f"asked again {again} times under the same keys, {runs} runs under way"
    return [f"Z1 random kills of the process that answers, scaled: {len(kills)}, {told}"]


def _others(figures: Iterable[Note]) -> list[str]:
    lines = [f"{figure['name']} ({figure['profile']}): {figure['value']}" for figure in figures]
    return sorted(lines)  # what is of one rule stands together


def _spreads(notes: Sequence[Note]) -> str:
    """Where nobody is left to go on, what counts begins with the next process; the kill was before that."""
    told = _spread([seconds for note in notes for seconds in note["seconds"]])
    if not any(note.get("waited") for note in notes):
        return told
    since_kill = [seconds + note["waited"] for note in notes for seconds in note["seconds"]]
    return f"{told} from when the next process was ready; {_spread(since_kill)} from the kill"


def _spread(times: Sequence[float]) -> str:
    if not times:
        return "none"
    return f"median {statistics.median(times):.2f} s, worst {max(times):.2f} s"
