"""Agents that a fresh library has: they run as they are, with no network and no key."""

from pathlib import Path

from pilothouse.base.work import Work
from pilothouse.features.agents import service
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import AgentId, child_id
from pilothouse.kit.json import Json, loads

NAMES = ("list_fan_out", "table_reader", "greeting")  # lists show the newest first


def ready_document(name: str) -> Json:
    return loads((Path(__file__).parent / f"{name}.json").read_bytes())


async def stock_library(work: Work, catalogue: Catalogue) -> None:
    """Give the actor the ready agents; whoever has them keeps them as they are."""
    for name in NAMES:
        agent_id = AgentId(child_id(work.actor.user_id, f"ready agent {name}"))
        await service.create_agent(work, catalogue, ready_document(name), agent_id=agent_id)
