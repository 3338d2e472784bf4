"""What can be done with agents: one verb, one function."""

from collections.abc import Sequence
from typing import Protocol

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
from pilothouse.features.agents.documents import Content, admit, judge
from pilothouse.features.agents.events import AgentActivated, AgentDeleted, AgentSaved
from pilothouse.features.agents.models import AgentRow, VersionRow
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.diff import diff
from pilothouse.graph.document import Document
from pilothouse.graph.parse import parse
from pilothouse.graph.report import Level, Report
from pilothouse.kit.ids import AgentId, new_id
from pilothouse.kit.json import Json, JsonObject, loads


class Base(Protocol):
    """The version that a caller based its change on; None is any."""

    @property
    def version(self) -> int | None: ...

    def require(self, current: int, *, diff: Json = None) -> None:
        """Raises a version conflict, in the words of the caller's door, unless `current` is that version."""
        ...


async def create_agent(
    work: Work, catalogue: Catalogue, graph: Json, note: str | None = None, *, agent_id: AgentId | None = None
) -> AgentGraph:
    """Store a new agent as version 1; raises `AgentInvalid` with the whole report.

    A caller that may have to ask twice brings the id: when that agent is there already, it is the answer.
    """
    if agent_id is not None and await queries.has_agent(work, agent_id):
        return await get_agent(work, agent_id)
    content = admit(graph, catalogue)
    agent = AgentRow(
        id=agent_id or new_id(),
        user_id=work.actor.user_id,
        name=content.doc.name,
        active_version=1,
        newest_version=0,
        created_at=work.now,
        updated_at=work.now,
        deleted_at=None,
    )
    work.session.add(agent)
    await work.session.flush()  # the agent before its version, which points at it
    return agent_graph_of(agent, await _add_version(work, agent, content, note))


async def save_agent(
    work: Work, catalogue: Catalogue, agent_id: AgentId, graph: Json, base: Base, note: str | None = None
) -> AgentGraph:
    """Store the whole graph as a new, active version; what the active or newest version says already adds none.

    The change must be based on the active version: raises `base`'s conflict with the difference, or `AgentInvalid`.
    """
    agent = await queries.find_agent(work, agent_id, lock=True)
    await _require_base(work, agent, base)
    content = admit(graph, catalogue)
    return agent_graph_of(agent, await _keep(work, agent, content, note))


async def rollback_agent(
    work: Work, catalogue: Catalogue, agent_id: AgentId, version: int, note: str | None = None
) -> AgentGraph:
    """Make what an old version says the newest and active one again; history stays."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    old = await queries.find_version(work, agent, version)
    content = admit(loads(old.document), catalogue)
    return agent_graph_of(agent, await _keep(work, agent, content, note or f"Rollback to version {version}"))


async def set_active_version(work: Work, agent_id: AgentId, version: int, base: Base) -> AgentGraph:
    """Let runs that pin no version use this one."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    await _require_base(work, agent, base)
    chosen = await queries.find_version(work, agent, version)
    await _activate(work, agent, chosen)
    return agent_graph_of(agent, chosen)


async def delete_agent(work: Work, agent_id: AgentId, base: Base) -> None:
    """Take the agent away from its owner; runs that were admitted finish on their version."""
    agent = await queries.find_agent(work, agent_id, lock=True)
    await _require_base(work, agent, base)
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
    agent = await queries.find_agent(read, agent_id)
    old, new = [_parsed(await queries.find_version(read, agent, version)) for version in (before, after)]
    return diff(old, new, positions=positions)


def validate_document(catalogue: Catalogue, graph: Json, level: Level, inputs: JsonObject | None = None) -> Report:
    """Everything that is wrong with a graph; stores nothing. With `inputs`, a run with them is judged too."""
    return judge(graph, catalogue, level, inputs)


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
    return judge(loads(stored.document), catalogue, level, inputs)


async def _require_base(work: Work, agent: AgentRow, base: Base) -> None:
    if base.version in (None, agent.active_version):
        return
    changed: JsonObject | None = None
    if 1 <= base.version <= agent.newest_version:
        seen, current = [
            _parsed(await queries.find_version(work, agent, version))
            for version in (base.version, agent.active_version)
        ]
        changed = diff(seen, current)
    base.require(agent.active_version, diff=changed)


async def _keep(work: Work, agent: AgentRow, content: Content, note: str | None) -> VersionRow:
    """The version that says this: the active or the newest one if it does, else a new one; active from now on."""
    for version in dict.fromkeys((agent.active_version, agent.newest_version)):
        row = await queries.find_version(work, agent, version)
        if row.document == content.text(agent.id, version):
            await _activate(work, agent, row)
            return row
    return await _add_version(work, agent, content, note)


async def _add_version(work: Work, agent: AgentRow, content: Content, note: str | None) -> VersionRow:
    version = agent.newest_version + 1
    row = VersionRow(
        agent_id=agent.id,
        version=version,
        document=content.text(agent.id, version),
        content_hash=content.content_hash,
        name=content.doc.name,
        description=content.doc.description,
        node_count=len(content.doc.nodes),
        input_schema=content.input_schema,
        output_schema=content.output_schema,
        note=note,
        author_id=work.actor.user_id,
        created_at=work.now,
    )
    work.session.add(row)
    agent.newest_version = agent.active_version = version
    agent.name, agent.updated_at = row.name, work.now
    await work.emit(AgentSaved(agent.id, agent.user_id, version))
    return row


async def _activate(work: Work, agent: AgentRow, row: VersionRow) -> None:
    previous = agent.active_version
    if previous == row.version:
        return
    agent.active_version, agent.name, agent.updated_at = row.version, row.name, work.now
    await work.emit(AgentActivated(agent.id, agent.user_id, row.version, previous))


def _parsed(row: VersionRow) -> Document:
    return parse(loads(row.document))
