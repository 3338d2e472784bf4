"""Agents as files: out without anything secret, in without running anything."""

from dataclasses import dataclass, replace

from pilothouse.base.work import Read, Work
from pilothouse.features.agents.agent import AgentGraph
from pilothouse.features.agents.children import children_of, renumbered
from pilothouse.features.agents.errors import FormatUnsupported
from pilothouse.features.agents.service import create_agent, get_agent
from pilothouse.features.agents.settings import change_agent_settings
from pilothouse.graph.catalogue import BlockSpec, Catalogue, Kind
from pilothouse.graph.document import FORMAT, Document, Node, canonical
from pilothouse.graph.fields import is_credentials, properties
from pilothouse.graph.parse import parse
from pilothouse.graph.validate import validate
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, loads

# What says whose an agent is, on the blocks where it means that.
_OWNERSHIP = {
    Kind.AGENT: frozenset({"user_id"}),
    Kind.TRIGGER: frozenset({"webhook_id", "webhook_token", "hook_id"}),
}


@dataclass(frozen=True, slots=True)
class Exported:
    """A file to hand on."""

    name: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of an imported file works here; whatever does not is named."""

    nodes: int
    supported: int
    sub_agents: int
    runnable: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """The agent that an import made."""

    stored: AgentGraph
    coverage: Coverage


async def export_agent(read: Read, catalogue: Catalogue, agent_id: AgentId, version: int | None = None) -> Exported:
    """A version as canonical text with its sub-agents inside, without credentials and secrets.

    The file has no version number of its own, and those of its sub-agents count from 1: an import makes them anew.
    """
    found = await get_agent(read, agent_id, version)
    doc = parse(loads(found.document))
    first, *rest = renumbered(doc, await children_of(read, doc, catalogue), {}, catalogue)
    file = replace(first, version=None, sub_agents=tuple(rest))
    return Exported(doc.name, found.version, canonical(_without_secrets(file, catalogue)))


async def import_agent(work: Work, catalogue: Catalogue, file: Json) -> Imported:
    """Store a file as a new agent of the actor; raises `FormatUnsupported` or `AgentInvalid`."""
    if not isinstance(file, dict) or file.get("format") != FORMAT:
        raise FormatUnsupported()
    stored = await create_agent(work, catalogue, file, note="Imported")
    await change_agent_settings(work, AgentId(stored.id), review_sensitive=True)  # somebody else wrote it
    doc = parse(loads(stored.document))
    children = await children_of(work, doc, catalogue)
    runnable = validate(doc, catalogue, "run", children=children).valid
    nodes = [node for graph in (doc, *children.values()) for node in graph.nodes]
    supported = sum(node.block in catalogue for node in nodes)
    return Imported(stored, Coverage(len(nodes), supported, len(children), runnable))


def _without_secrets(doc: Document, catalogue: Catalogue) -> Document:
    return replace(
        doc,
        nodes=tuple(_bare(node, catalogue.get(node.block)) for node in doc.nodes),
        sub_agents=tuple(_without_secrets(child, catalogue) for child in doc.sub_agents),
    )


def _bare(node: Node, spec: BlockSpec | None) -> Node:
    kept = {
        pin: None if _holds_credentials(value) else value
        for pin, value in node.inputs.items()
        if not is_credentials(pin) and not (spec and _is_secret(pin, spec))
    }
    return replace(node, inputs=kept)


def _is_secret(pin: str, spec: BlockSpec) -> bool:
    return properties(spec.inputs).get(pin, {}).get("secret") is True or pin in _OWNERSHIP.get(spec.kind, ())


def _holds_credentials(value: Json) -> bool:
    """Whether a reference to a credential lies anywhere in this value."""
    waiting: list[Json] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "_credentials_id" in item:
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False
