"""How long it takes to judge and to change a large agent."""

import time
from collections.abc import Callable
from pathlib import Path

from bench.agents import chain
from bench.report import Report, middle
from pilothouse.blocks.registry import Registry
from pilothouse.graph.operations import MAX_OPERATIONS, apply_operations
from pilothouse.graph.parse import parse
from pilothouse.graph.validate import validate
from pilothouse.kit.json import JsonObject

NODES = 1_000


async def validation(report: Report, folder: Path) -> None:
    """V5: 1,000 nodes, all faults; beside it an edit of them by as many operations as one may have."""
    catalogue = Registry()
    doc = parse(chain(NODES - 2))  # and an input and an output
    moves: list[JsonObject] = [
        {"op": "move_node", "node": node.id, "position": [0, 1]} for node in doc.nodes[:MAX_OPERATIONS]
    ]
    report.say("b_validate_nodes", len(doc.nodes), "nodes")
    report.at_most("b_validate", _median_ms(lambda: validate(doc, catalogue, "run")), "ms", 200, 50)
    report.say("b_edit", _median_ms(lambda: apply_operations(doc, moves, catalogue)), "ms")


def _median_ms(work: Callable[[], object], rounds: int = 20) -> float:
    took: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1000)
    return middle(took)
