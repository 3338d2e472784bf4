"""Which credentials an agent must be given before it can run."""

from dataclasses import dataclass

from pilothouse.base.work import Read
from pilothouse.features.agents.children import children_of
from pilothouse.features.agents.service import get_agent
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.credential_needs import credential_spots, merged_needs
from pilothouse.graph.parse import parse
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import loads


@dataclass(frozen=True, slots=True)
class CredentialNeed:
    """What one choice of a credential serves; a run takes the choice under `key`."""

    key: str
    providers: tuple[str, ...]
    types: tuple[str, ...]
    scopes: tuple[str, ...]
    required: bool
    nodes: tuple[str, ...]  # where: the paths of the nodes that name none themselves


async def list_needs(
    read: Read, catalogue: Catalogue, agent_id: AgentId, version: int | None = None
) -> list[CredentialNeed]:
    """What is to be chosen, each need once; nodes that name a credential need none."""
    doc = parse(loads((await get_agent(read, agent_id, version)).document))
    spots = credential_spots(doc, catalogue, await children_of(read, doc, catalogue))
    needs = merged_needs(spot for spot in spots if spot.named is None)
    return [
        CredentialNeed(
            key=need.key,
            providers=need.providers,
            types=need.types,
            scopes=need.scopes,
            required=need.is_required,
            nodes=tuple(dict.fromkeys(spot.path for spot in need.spots)),
        )
        for need in needs
    ]
