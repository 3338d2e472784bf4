"""What can be done with agents: one verb, one function."""

from collections.abc import Sequence
from dataclasses import replace

from pilothouse.base.work import Read, Work
from pilothouse.features.agents import queries
from pilothouse.features.agents.agent import (
    Agent,
    AgentGraph,
    Version,
    VersionGraph,
    agent_graph_of,
    agent_of,
    version_graph_of,
    version_of,
)
from pilothouse.features.agents.children import children_of
from pilothouse.features.agents.documents import malformed, read_document
from pilothouse.features.agents.events import AgentDeleted
from pilothouse.features.agents.versions import (
    Base,
    activate,
    add_version,
    admit_whole,
    keep,
    new_agent,
    parsed,
    require_base,
)
from pilothouse.features.credentials import known_credentials
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.credential_needs import check_credentials, credential_spots
from pilothouse.graph.diff import diff
from pilothouse.graph.diff_operations import operations_between
from pilothouse.graph.document import Document
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.graph.placeholders import is_lacking, still_marked
from pilothouse.graph.report import Level, Report
from pilothouse.graph.sub_agents import Pinned
from pilothouse.graph.validate import validate
from pilothouse.kit.ids import AgentId, new_id
from pilothouse.kit.json import Json, JsonObject, loads


async def create_agent(
    work: Work,
    catalogue: Catalogue,
    graph: Json,
    note: str | None = None,
    *,
    agent_id: AgentId | None = None,
    forked_from: Pinned | None = None,
) -> AgentGraph:
    """Store a new agent as version 1; raises `AgentInvalid` with the whole report.

    A caller that may have to ask twice brings the id: when that agent is there already, it is the answer. A fork says
    of which version of the actor's own; raises `AgentNotFound` or `VersionNotFound` when there is none.
    """
    if agent_id is not None and await queries.has_agent(work, agent_id):
        return await get_agent(work, agent_id)
    if forked_from is not None:
        await queries.find_version(work, await queries.find_agent(work, forked_from[0]), forked_from[1])
    content = await admit_whole(work, catalogue, read_document(graph))
    agent = await new_agent(work, content, agent_id or new_id())
    row = await add_version(work, agent, content, note)
    if forked_from is not None:
        row.forked_from = {"agent_id": forked_from[0], "version": forked_from[1]}
    return agent_graph_of(agent, row)


async def save_agent(
    work: Work, catalogue: Catalogue, agent_id: AgentId, graph: Json, base: Base, note: str | None = None
) -> AgentGraph:
    """Store the whole graph as a new, active version; what the active or newest version says already adds none.

    The change must be based on the active version: raises `base`'s conflict with the difference, or `AgentInvalid`.
    """
    agent = await queries.find_agent(work, agent_id, lock=True)
    await require_base(work, agent, base)
    doc = replace(read_document(graph), id=agent.id)
    if any(is_lacking(node, catalogue) for node in doc.nodes):
        doc = still_marked(doc, parsed(await queries.find_version(work, agent, agent.active_version)))
    content = await admit_whole(work, catalogue, doc)
    return agent_graph_of(agent, await keep(work, agent, content, note))


async def rollback_agent(
    work: Work, catalogue: Catalogue, agent_id: AgentId, version: int, note: str | None = None
) -> AgentGraph:
    """Make what an old version says the newest and active one again; history stays."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    old = await queries.find_version(work, agent, version)
    content = await admit_whole(work, catalogue, parsed(old))
    return agent_graph_of(agent, await keep(work, agent, content, note or f"Rollback to version {version}"))


async def set_active_version(work: Work, agent_id: AgentId, version: int, base: Base) -> AgentGraph:
    """Let runs that pin no version use this one."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    await require_base(work, agent, base)
    chosen = await queries.find_version(work, agent, version)
    await activate(work, agent, chosen)
    return agent_graph_of(agent, chosen)


async def delete_agent(work: Work, agent_id: AgentId, base: Base) -> None:
    """Take the agent away from its owner; runs that were admitted finish on their version."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    await require_base(work, agent, base)
    agent.deleted_at = work.now
    await work.emit(AgentDeleted(agent.id, agent.user_id))


async def get_agent(read: Read, agent_id: AgentId, version: int | None = None) -> AgentGraph:
    """The agent at its active version, or at the one named."""
    agent = await queries.find_agent(read, agent_id)
    shown = agent.active_version if version is None else version
    return agent_graph_of(agent, await queries.find_version(read, agent, shown))


async def list_agents(read: Read, limit: int, before: str | None = None) -> Sequence[Agent]:
    """The actor's agents, newest first, each with its active version."""
    return [agent_of(agent, version) for agent, version in await queries.page_of_agents(read, limit, before)]


async def list_versions(read: Read, agent_id: AgentId, limit: int, before: int | None = None) -> Sequence[Version]:
    """An agent's versions, newest first."""
    agent = await queries.find_agent(read, agent_id)
    return [version_of(row) for row in await queries.page_of_versions(read, agent, limit, before)]


async def get_version(read: Read, agent_id: AgentId, version: int) -> VersionGraph:
    agent = await queries.find_agent(read, agent_id)
    return version_graph_of(await queries.find_version(read, agent, version))


async def diff_versions(
    read: Read, agent_id: AgentId, before: int, after: int, *, positions: bool = False
) -> JsonObject:
    """What changed from one version to another; nothing when they say the same."""
    return diff(*await _two_versions(read, agent_id, before, after), positions=positions)


async def operations_between_versions(
    read: Read, catalogue: Catalogue, agent_id: AgentId, before: int, after: int, *, positions: bool = False
) -> list[JsonObject]:
    """The same as operations: `edit_agent` with them makes the one of the other."""
    return operations_between(*await _two_versions(read, agent_id, before, after), catalogue, positions=positions)


async def _two_versions(read: Read, agent_id: AgentId, before: int, after: int) -> tuple[Document, Document]:
    agent = await queries.find_agent(read, agent_id)
    old, new = [parsed(await queries.find_version(read, agent, version)) for version in (before, after)]
    return old, new


async def validate_document(
    read: Read, catalogue: Catalogue, graph: Json, level: Level, inputs: JsonObject | None = None
) -> Report:
    """Everything that is wrong with a graph; stores nothing. With `inputs`, a run with them is judged too."""
    try:
        doc = parse(graph)
    except BadDocument as bad:
        return malformed(bad, level)
    children = await children_of(read, doc, catalogue)
    report = validate(doc, catalogue, level, inputs, children=children)
    if level == "run":
        spots = list(credential_spots(doc, catalogue, children))
        named = [spot.named_id for spot in spots if spot.named_id is not None]
        check_credentials(spots, await known_credentials(read, named) if named else {}, report)
    return report


async def validate_agent(
    read: Read,
    catalogue: Catalogue,
    agent_id: AgentId,
    *,
    level: Level = "run",
    version: int | None = None,
    inputs: JsonObject | None = None,
) -> Report:
    """The same for a stored version, the active one unless another is named."""
    stored = await get_agent(read, agent_id, version)
    return await validate_document(read, catalogue, loads(stored.document), level, inputs)
