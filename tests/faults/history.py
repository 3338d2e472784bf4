"""What a fault test did and was told, so that a failure can be read and repeated."""

import json
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


class Ack(NamedTuple):
    """A run that we were told is durable."""

    run_id: str
    agent: str
    n: int


@dataclass(slots=True)
class History:
    """Acknowledgements, and every step of the test in order."""

    seed: int
    acks: dict[str, Ack] = field(default_factory=dict[str, Ack])
    keys: set[str] = field(default_factory=set[str])  # idempotency keys that were sent
    lines: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def note(self, what: str, **facts: Any) -> None:
        self.lines.append({"at": time.time(), "what": what, **facts})

    def acknowledged(self, ack: Ack) -> None:
        self.acks[ack.run_id] = ack
        self.note("ack", **ack._asdict())

    def save(self) -> Path:
        folder = Path(os.environ.get("FAULTS_HISTORY") or tempfile.gettempdir())
        path = folder / f"pilothouse-fault-{self.seed}-{time.time_ns()}.jsonl"
        path.write_text("\n".join(json.dumps(line, default=str) for line in self.lines))
        return path
