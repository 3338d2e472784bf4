"""Every select on agents. What is not the actor's own is not there."""

from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.orm import defer

from pilothouse.base.work import Read
from pilothouse.features.agents.errors import AgentNotFound, VersionNotFound
from pilothouse.features.agents.models import AgentRow, VersionRow
from pilothouse.features.credentials import CredentialUser
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import loads

_WITHOUT_GRAPH = defer(VersionRow.document, raiseload=True)  # a list of 200 must not read 200 graphs


def _mine(read: Read) -> Select[AgentRow]:
    return select(AgentRow).where(AgentRow.user_id == read.actor.user_id, AgentRow.deleted_at.is_(None))


async def find_agent(read: Read, agent_id: str, *, lock: bool = False) -> AgentRow:
    """The actor's agent; `lock` keeps others from changing it until this unit ends."""
    query = _mine(read).where(AgentRow.id == agent_id)
    row = await read.session.scalar(query.with_for_update() if lock else query)
    if row is None:
        raise AgentNotFound()
    return row


async def has_agent(read: Read, agent_id: str) -> bool:
    return await read.session.scalar(_mine(read).where(AgentRow.id == agent_id)) is not None


async def find_version(read: Read, agent: AgentRow, version: int) -> VersionRow:
    if not 1 <= version <= agent.newest_version:  # a number that no column holds would be the database's error
        raise VersionNotFound()
    return await read.session.get_one(VersionRow, (agent.id, version))


async def find_pinned(read: Read, agent_id: str, version: int) -> str | None:
    """The text of a version of the actor's agent, deleted or not: a node that pins it goes on having it."""
    query = (
        select(VersionRow.document)
        .join(AgentRow, AgentRow.id == VersionRow.agent_id)
        .where(AgentRow.user_id == read.actor.user_id, VersionRow.agent_id == agent_id, VersionRow.version == version)
    )
    return await read.session.scalar(query)


async def page_of_agents(read: Read, limit: int, before: str | None) -> Sequence[tuple[AgentRow, VersionRow]]:
    """Newest first, each with its active version; ids sort by the moment they were made."""
    query = (
        _mine(read)
        .add_columns(VersionRow)
        .join(VersionRow, (VersionRow.agent_id == AgentRow.id) & (VersionRow.version == AgentRow.active_version))
        .order_by(AgentRow.id.desc())
        .limit(limit)
        .options(_WITHOUT_GRAPH)
    )
    if before is not None:
        query = query.where(AgentRow.id < before)
    return [(row[0], row[1]) for row in await read.session.execute(query)]


async def agents_naming(read: Read, credential_id: str) -> list[CredentialUser]:
    """The actor's agents whose active version points at this credential."""
    query = (
        _mine(read)
        .with_only_columns(AgentRow.id, VersionRow.document)
        .join(VersionRow, (VersionRow.agent_id == AgentRow.id) & (VersionRow.version == AgentRow.active_version))
        .where(VersionRow.document.contains(f'"{credential_id}"', autoescape=True))
        .order_by(AgentRow.id.desc())
    )
    found = [(agent_id, loads(document)) for agent_id, document in await read.session.execute(query)]
    return [CredentialUser(agent_id, str(as_object(document).get("name", ""))) for agent_id, document in found]


async def page_of_versions(read: Read, agent: AgentRow, limit: int, before: int | None) -> Sequence[VersionRow]:
    """Newest first."""
    query = (
        select(VersionRow)
        .where(VersionRow.agent_id == agent.id)
        .order_by(VersionRow.version.desc())
        .limit(limit)
        .options(_WITHOUT_GRAPH)
    )
    if before is not None:
        query = query.where(VersionRow.version < before)
    return (await read.session.scalars(query)).all()


async def find_same(read: Read, content_hash: str) -> tuple[str, int] | None:
    """The actor's agent and version that say exactly this, the newest if there are several."""
    query = (
        select(VersionRow.agent_id, VersionRow.version)
        .join(AgentRow, AgentRow.id == VersionRow.agent_id)
        .where(
            AgentRow.user_id == read.actor.user_id,
            AgentRow.deleted_at.is_(None),
            VersionRow.content_hash == content_hash,
        )
        .order_by(VersionRow.agent_id.desc(), VersionRow.version.desc())
        .limit(1)
    )
    found = (await read.session.execute(query)).one_or_none()
    return None if found is None else (found[0], found[1])
