"""What an import found, in lines for people."""

from collections.abc import Iterator

from pilothouse.features.agents import Coverage
from pilothouse.kit.json import dumps


def coverage_lines(coverage: Coverage) -> Iterator[str]:
    """One line for what works, then one for each thing that does not, or not as before."""
    inside = f", {coverage.sub_agents} agents inside" if coverage.sub_agents else ""
    yield f"{coverage.supported} of {coverage.nodes} nodes can run here{inside}."
    for node_id, block_id in coverage.placeholders:
        yield f"Placeholder: {node_id} needs block {block_id}."
    for node_id, block_id in coverage.disabled:
        yield f"Switched off: {node_id} needs block {block_id}."
    for note in coverage.changed:
        yield f"Changed: {note['field']} of {note['node_id']} from {dumps(note['from'])} to {dumps(note['to'])}."
    for note in coverage.dropped:
        yield f"Left out: {note['field']} of {note['node_id']}. {note['reason']}"
    if coverage.credentials_needed:
        yield f"Needs credentials: {', '.join(coverage.credentials_needed)}."
    yield "It can run." if coverage.runnable else "It cannot run as it is; `pilothouse agent validate` says why."
