"""A run in memory, and what is told of it when it ends."""

from dataclasses import dataclass
from typing import Final, cast

from pilothouse.engine.run import Run
from pilothouse.features.runs.children import parent_of
from pilothouse.features.runs.present import LEFT_OPEN, NOT_REACHED, RunFacts
from pilothouse.features.runs.shots import Shots
from pilothouse.kit.json import Json

ORIGIN: Final = "origin"  # where it stands among the facts that a run was accepted with
AUTOPILOT: Final = "autopilot"  # the trigger of a run that a turn started, and may wait for


@dataclass(slots=True)
class Begun:
    """A run in memory, with what its final answer needs beside its state."""

    run: Run
    agent_id: str
    version: int
    trigger: str
    dry_run: bool
    created_at: int
    started_at: int | None  # None until somebody works on it
    shots: Shots
    asked: bool = False  # a child of it, or a question, may be left open when it ends


def stats_of(begun: Begun, now: int) -> dict[str, Json]:
    return {
        **begun.run.stats(),
        "duration_ms": (now - begun.created_at) // 1000,
        "active_ms": begun.run.active_us // 1000,
        "queue_ms": max(0, (begun.started_at or now) - begun.created_at) // 1000,
        NOT_REACHED: begun.run.not_reached(),
        LEFT_OPEN: begun.run.leftovers,
    }


def facts_of(run_id: str, begun: Begun, stats: dict[str, Json], now: int, head: int) -> RunFacts:
    run, parent = begun.run, parent_of(begun.run.facts)
    return RunFacts(
        id=run_id,
        agent_id=begun.agent_id,
        version=begun.version,
        trigger=begun.trigger,
        dry_run=begun.dry_run,
        created_at=begun.created_at,
        status=run.status,
        inputs=run.facts.get("inputs"),
        outputs=cast(Json, run.outputs),
        reason=run.reason,
        stats=stats,
        started_at=begun.started_at,
        ended_at=now,
        last_event_id=head,
        parent_id=parent.run_id if parent else None,
        parent_step=parent.step_id if parent else None,
        origin=run.facts.get(ORIGIN),
    )
