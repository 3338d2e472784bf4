"""How a version comes to be: judged, stored once, active from then on."""

from typing import Protocol

from pilothouse.base.work import Work
from pilothouse.features.agents import queries
from pilothouse.features.agents.children import children_of, renumbered, travelling
from pilothouse.features.agents.documents import Content, admit, content_of
from pilothouse.features.agents.events import AgentActivated, AgentSaved
from pilothouse.features.agents.models import AgentRow, VersionRow
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.diff import diff
from pilothouse.graph.document import Document
from pilothouse.graph.parse import parse
from pilothouse.graph.report import Report
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject, loads


class Base(Protocol):
    """The version that a caller based its change on; None is any."""

    @property
    def version(self) -> int | None: ...

    def require(self, current: int, *, diff: Json = None) -> None:
        """Raises a version conflict, in the words of the caller's door, unless `current` is that version."""
        ...


async def admit_whole(work: Work, catalogue: Catalogue, doc: Document) -> Content:
    """A document fit to be stored, judged with its sub-agents; those that travel inside become agents of the actor."""
    content = admit(doc, catalogue, await children_of(work, doc, catalogue))
    if not doc.sub_agents:
        return content
    return content_of(await _store_travelling(work, catalogue, doc), catalogue, content.report)


async def _store_travelling(work: Work, catalogue: Catalogue, doc: Document) -> Document:
    inside = travelling(doc, catalogue)
    ids = {agent_id: new_id() for agent_id, _ in inside}
    first, *rest = renumbered(doc, inside, ids, catalogue)
    agents: dict[str, AgentRow] = {}
    for child in sorted(rest, key=lambda child: (child.id or "", child.version or 0)):
        content, agent_id = content_of(child, catalogue, Report("save")), str(child.id)
        if agent_id not in agents:
            agents[agent_id] = await new_agent(work, content, agent_id)
            agents[agent_id].review_sensitive = True  # somebody else wrote it
        await add_version(work, agents[agent_id], content, f"Came with {doc.name}"[:200])
    return first


async def new_agent(work: Work, content: Content, agent_id: str) -> AgentRow:
    """An agent that has no version yet."""
    agent = AgentRow(
        id=agent_id,
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
    return agent


async def require_base(work: Work, agent: AgentRow, base: Base) -> None:
    """Raises `base`'s conflict, with what changed since, unless it is the active version."""
    if base.version in (None, agent.active_version):
        return
    changed: JsonObject | None = None
    if 1 <= base.version <= agent.newest_version:
        seen, current = [
            parsed(await queries.find_version(work, agent, version)) for version in (base.version, agent.active_version)
        ]
        changed = diff(seen, current)
    base.require(agent.active_version, diff=changed)


async def keep(work: Work, agent: AgentRow, content: Content, note: str | None) -> VersionRow:
    """The version that says this: the active or the newest one if it does, else a new one; active from now on."""
    for version in dict.fromkeys((agent.active_version, agent.newest_version)):
        row = await queries.find_version(work, agent, version)
        if row.document == content.text(agent.id, version):
            await activate(work, agent, row)
            return row
    return await add_version(work, agent, content, note)


async def add_version(work: Work, agent: AgentRow, content: Content, note: str | None) -> VersionRow:
    """Store this as the next version and make it the active one."""
    row = version_row(work, agent, content, agent.newest_version + 1, note)
    work.session.add(row)
    agent.newest_version = agent.active_version = row.version
    agent.name, agent.updated_at = row.name, work.now
    await work.emit(AgentSaved(agent.id, agent.user_id, row.version))
    return row


def version_row(work: Work, agent: AgentRow, content: Content, version: int, note: str | None) -> VersionRow:
    """The row of a version; nothing is stored."""
    return VersionRow(
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
        by_autopilot=work.actor.by_autopilot,
        created_at=work.now,
    )


async def activate(work: Work, agent: AgentRow, row: VersionRow) -> None:
    """Let runs that pin no version use this one."""
    previous = agent.active_version
    if previous == row.version:
        return
    agent.active_version, agent.name, agent.updated_at = row.version, row.name, work.now
    await work.emit(AgentActivated(agent.id, agent.user_id, row.version, previous))


def parsed(row: VersionRow) -> Document:
    return parse(loads(row.document))
