"""The installed blocks, searched."""

from dataclasses import replace

from pilothouse.features.agents.agent import AgentGraph
from pilothouse.features.agents.errors import BlockNotFound
from pilothouse.graph.catalogue import BlockSpec, Catalogue
from pilothouse.graph.parse import parse
from pilothouse.graph.schema import input_schema, output_schema


def get_block(catalogue: Catalogue, block_id: str) -> BlockSpec:
    """Raises `BlockNotFound`."""
    found = catalogue.get(block_id)
    if found is None:
        raise BlockNotFound()
    return found


def list_blocks(catalogue: Catalogue, query: str, limit: int, after: tuple[str, str] | None = None) -> list[BlockSpec]:
    """Blocks by name that hold every word of the query, in `place` order past `after`."""
    words = query.casefold().split()
    found = [spec for spec in catalogue.values() if _holds(spec, words) and (after is None or place(spec) > after)]
    return sorted(found, key=place)[:limit]


def as_installed(agent: AgentGraph, catalogue: Catalogue) -> AgentGraph:
    """The agent with what it takes and gives today: a block may have come since its version was stored."""
    if not agent.is_waiting:
        return agent
    doc = parse(agent.graph)
    return replace(agent, input_schema=input_schema(doc, catalogue), output_schema=output_schema(doc, catalogue))


def place(spec: BlockSpec) -> tuple[str, str]:
    """What the list is ordered by."""
    return spec.name.casefold(), spec.id


def _holds(spec: BlockSpec, words: list[str]) -> bool:
    text = " ".join((spec.name, spec.description, *spec.categories)).casefold()
    return all(word in text for word in words)
