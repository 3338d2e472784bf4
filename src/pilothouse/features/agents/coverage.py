"""How much of an imported file works here; whatever does not is named."""

from dataclasses import dataclass

from pilothouse.graph.brought import Brought, Changed, Dropped
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.credential_needs import credential_spots
from pilothouse.graph.document import link_json
from pilothouse.graph.placeholders import agents_below
from pilothouse.graph.sub_agents import Children
from pilothouse.kit.json import Json, JsonObject

Part = tuple[str, str]  # a node, as a validation names it, and its block


@dataclass(frozen=True, slots=True)
class Coverage:
    """Nodes are those of the agent and of the agents in it, each agent counted once.

    A node inside another agent is named by its way there, `parent/child`.
    """

    nodes: int
    supported: int
    sub_agents: int
    runnable: bool
    placeholders: tuple[Part, ...] = ()
    disabled: tuple[Part, ...] = ()
    changed: tuple[JsonObject, ...] = ()
    dropped: tuple[JsonObject, ...] = ()
    credentials_needed: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        return {
            "nodes": self.nodes,
            "supported": self.supported,
            "placeholders": _parts(self.placeholders),
            "disabled": _parts(self.disabled),
            "changed": list(self.changed),
            "dropped": list(self.dropped),
            "credentials_needed": list(self.credentials_needed),
            "sub_agents": self.sub_agents,
            "runnable": self.runnable,
        }


def coverage_of(brought: Brought, catalogue: Catalogue, children: Children, *, runnable: bool) -> Coverage:
    """`children` are all agents below it, those that travel inside the document included."""
    below = list(agents_below(brought.doc, catalogue, children))
    ways = {pinned: way for pinned, way, _ in below}
    nodes = [(way + node.id, node) for _, way, graph in below for node in graph.nodes]
    missing = [(name, node.block) for name, node in nodes if node.placeholder]
    off = tuple(part for part in missing if (spec := catalogue.get(part[1])) is not None and spec.disabled)
    lost = {name for name, _ in missing}
    named = {provider for agent, node_id, provider in brought.named if ways.get(agent, "") + node_id in lost}
    return Coverage(
        nodes=len(nodes),
        supported=len(nodes) - len(missing),
        sub_agents=len(below) - 1,
        runnable=runnable,
        placeholders=tuple(part for part in missing if part not in off),
        disabled=off,
        changed=tuple(_changed(note, ways.get(note.agent, "")) for note in brought.changed),
        dropped=tuple(_dropped(note, ways.get(note.agent, "")) for note in brought.dropped),
        credentials_needed=tuple(sorted(named | _needed(brought, catalogue, children))),
    )


def _changed(note: Changed, way: str) -> JsonObject:
    told: JsonObject = {"node_id": way + note.node_id, "field": note.field}
    return {**told, "from": note.before, "to": note.after, "reason": note.reason}


def _dropped(note: Dropped, way: str) -> JsonObject:
    link = None if note.link is None else link_json(note.link)
    return {"node_id": way + note.node_id, "field": note.field, "link": link, "reason": note.reason}


def _needed(brought: Brought, catalogue: Catalogue, children: Children) -> set[str]:
    spots = credential_spots(brought.doc, catalogue, children)
    return {
        provider
        for spot in spots
        if spot.is_needed and not spot.may_skip and spot.named is None
        for provider in spot.providers
    }


def _parts(parts: tuple[Part, ...]) -> list[Json]:
    return [{"node_id": node_id, "block_id": block_id} for node_id, block_id in parts]
