"""An agent and its versions as others see them."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from pilothouse.features.agents.models import AgentRow, VersionRow
from pilothouse.kit.json import JsonObject, loads


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, and what it says at one of its versions: in lists the active one."""

    id: str
    user_id: str
    name: str
    description: str
    version: int
    active_version: int
    newest_version: int
    node_count: int
    input_schema: JsonObject
    output_schema: JsonObject
    content_hash: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class AgentGraph(Agent):
    """An agent with the graph of the version shown, as canonical text."""

    document: str

    @property
    def graph(self) -> JsonObject:
        return cast(JsonObject, loads(self.document))

    @property
    def is_waiting(self) -> bool:
        """Whether it may hold placeholders: then what it takes and gives depends on the blocks that are installed."""
        return '"placeholder": true' in self.document


@dataclass(frozen=True, slots=True)
class Version:
    """One immutable version."""

    agent_id: str
    version: int
    name: str
    description: str
    note: str | None
    node_count: int
    input_schema: JsonObject
    output_schema: JsonObject
    content_hash: str
    author_id: str
    by_autopilot: bool
    forked_from: JsonObject | None  # {agent_id, version}
    created_at: datetime


@dataclass(frozen=True, slots=True)
class VersionGraph(Version):
    """One immutable version with its graph, as canonical text."""

    document: str

    @property
    def graph(self) -> JsonObject:
        return cast(JsonObject, loads(self.document))


def agent_of(row: AgentRow, version: VersionRow) -> Agent:
    return Agent(
        id=row.id,
        user_id=row.user_id,
        name=version.name,
        description=version.description,
        version=version.version,
        active_version=row.active_version,
        newest_version=row.newest_version,
        node_count=version.node_count,
        input_schema=version.input_schema,
        output_schema=version.output_schema,
        content_hash=version.content_hash,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def agent_graph_of(row: AgentRow, version: VersionRow) -> AgentGraph:
    agent = agent_of(row, version)
    return AgentGraph(**{name: getattr(agent, name) for name in Agent.__dataclass_fields__}, document=version.document)


def version_of(row: VersionRow) -> Version:
    return Version(**{name: getattr(row, name) for name in Version.__dataclass_fields__})


def version_graph_of(row: VersionRow) -> VersionGraph:
    return VersionGraph(**{name: getattr(row, name) for name in VersionGraph.__dataclass_fields__})
