"""AutoPilot's door to agents and blocks: the same functions as the other doors, with answers for a model."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from pilothouse.base.tools import Effect, NoResults, ToolBox, ToolContext, ToolResult
from pilothouse.features.agents import service
from pilothouse.features.agents.agent import Agent, AgentGraph
from pilothouse.features.agents.errors import BuildFormMissing, GuideRequired
from pilothouse.features.agents.search import find_agents, find_blocks
from pilothouse.graph.catalogue import BlockSpec, Catalogue
from pilothouse.graph.document import Document, to_json
from pilothouse.graph.operations import MAX_OPERATIONS, apply_operations
from pilothouse.kit.ids import AgentId, child_id
from pilothouse.kit.json import Json, JsonObject

tools = ToolBox()

MAX_FOUND = 10
MAX_LIBRARY = 500  # agents that a search looks at
GUIDE_TOOL = "get_agent_building_guide"

Query = Annotated[str, Field(min_length=1, max_length=100, description="A few words.")]


class Blocks:
    """The catalogue as tools ask for it."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue


class FoundBlock(BaseModel):
    """A block with its pins."""

    id: str
    name: str
    description: str
    categories: list[str]
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]


class BlockList(ToolResult):
    type: Literal["block_list"] = "block_list"
    blocks: list[FoundBlock]
    count: int
    query: str


class FoundAgent(BaseModel):
    """An agent of the user's own library."""

    id: str
    name: str
    description: str
    source: Literal["library"] = "library"
    graph_id: str
    graph_version: int
    library_agent_id: str
    inputs: dict[str, Any]
    link: str
    graph: dict[str, Any] | None = None


class AgentsFound(ToolResult):
    type: Literal["agents_found"] = "agents_found"
    agents: list[FoundAgent]
    count: int


class BuildingGuide(ToolResult):
    type: Literal["agent_builder_guide"] = "agent_builder_guide"
    content: str


class AgentPreview(ToolResult):
    type: Literal["agent_builder_preview"] = "agent_builder_preview"
    name: str
    description: str
    agent_json: dict[str, Any]
    node_count: int
    link_count: int


class AgentSaved(ToolResult):
    type: Literal["agent_builder_saved"] = "agent_builder_saved"
    agent_id: str
    agent_name: str
    graph_version: int
    library_agent_id: str
    library_agent_link: str
    agent_page_link: str
    inputs: dict[str, Any]
    node_count: int
    fixes_applied: list[str]


class Operation(BaseModel):
    """One change; nodes are named by id or as `@i`, the one that operation i made."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    op: str
    block: str | None = None
    id: str | None = None
    name: str | None = None
    inputs: dict[str, JsonValue] | None = None
    node: str | None = None
    field: str | None = None
    value: JsonValue = None
    source: Annotated[str | None, Field(alias="from")] = None
    out: str | None = None
    to: str | None = None
    sink: Annotated[str | None, Field(alias="in")] = None
    static: bool | None = None
    position: list[float] | None = None
    patch: dict[str, JsonValue] | None = None


@tools.tool(label="Searching blocks")
async def find_block(ctx: ToolContext, query: Query, for_agent_generation: bool = False) -> ToolResult:
    """Find blocks that can do something. Set `for_agent_generation` while building an agent: then the blocks for
    an agent's inputs and outputs are found too.
    """
    catalogue = _allowed(ctx)
    found = find_blocks(catalogue.values(), query, MAX_FOUND, building=for_agent_generation)
    if not found:
        names = sorted({category.lower() for spec in catalogue.values() for category in spec.categories})
        return NoResults(message=f"No block fits '{query}'.", query=query, suggestions=names)
    blocks = [_found_block(spec) for spec in found]
    return BlockList(message=f"{len(blocks)} found.", blocks=blocks, count=len(blocks), query=query)


@tools.tool(label="Searching your agents")
async def find_library_agent(
    ctx: ToolContext,
    query: Annotated[str, Field(max_length=100, description="Words of its name; empty lists the newest.")] = "",
    agent_id: str = "",
    include_graph: bool = False,
) -> ToolResult:
    """Find agents in the user's own library, by words or by id."""
    async with ctx.read() as read:
        if agent_id:
            graph = await service.get_agent(read, AgentId(agent_id))
            return AgentsFound(message="Found.", agents=[_found_agent(graph, graph=include_graph)], count=1)
        found = find_agents(await service.list_agents(read, MAX_LIBRARY), query, MAX_FOUND)
        shown = [await service.get_agent(read, AgentId(one.id)) for one in found] if include_graph else found
    if not shown:
        return NoResults(message=f"No agent fits '{query}'.", query=query, suggestions=[])
    agents = [_found_agent(agent, graph=include_graph) for agent in shown]
    return AgentsFound(message=f"{len(agents)} found.", agents=agents, count=len(agents))


@tools.tool(label="Reading the building guide")
async def get_agent_building_guide(ctx: ToolContext) -> ToolResult:
    """How to build an agent. `create_agent` refuses until this was read, in an earlier round."""
    return BuildingGuide(message="Read this before you build.", content=building_guide())


def building_guide() -> str:
    return (Path(__file__).parent / "guide.md").read_text(encoding="utf-8")


@tools.tool(label="Building the agent", effect=Effect.WRITE)
async def create_agent(
    ctx: ToolContext,
    name: Annotated[str, Field(min_length=1, max_length=100)],
    description: str = "",
    operations: Annotated[list[Operation] | None, Field(max_length=MAX_OPERATIONS)] = None,
    agent_json: Annotated[dict[str, Any] | None, Field(description="A whole document instead.")] = None,
    save: Annotated[bool, Field(description="False: show what it would be, store nothing.")] = True,
) -> ToolResult:
    """Build a new agent, from `operations` (preferred) or a whole document. Read `get_agent_building_guide` first."""
    if GUIDE_TOOL not in ctx.tools_used:
        raise GuideRequired
    if (operations is None) == (agent_json is None):
        raise BuildFormMissing
    catalogue = _allowed(ctx)
    graph = _document(catalogue, name, description, operations, agent_json)
    if not save or ctx.dry_run:
        return _preview(graph)
    agent_id = AgentId(child_id(ctx.turn_id, f"create_agent {ctx.idempotency_key}"))
    async with ctx.write() as work:
        return _saved(await service.create_agent(work, catalogue, graph, "Built by AutoPilot", agent_id=agent_id))


def _allowed(ctx: ToolContext) -> Catalogue:
    """The blocks that this turn may use: others are as if they did not exist."""
    catalogue = ctx.part(Blocks).catalogue
    if not ctx.permissions.limits_blocks:
        return catalogue
    return {key: spec for key, spec in catalogue.items() if ctx.permissions.allows_block(spec.id, spec.name)}


def _document(
    catalogue: Catalogue, name: str, description: str, operations: list[Operation] | None, whole: JsonObject | None
) -> JsonObject:
    if operations is None:
        return {**(whole or {}), "name": name, **({"description": description} if description else {})}
    asked: list[JsonObject] = [one.model_dump(by_alias=True, exclude_unset=True) for one in operations]
    return to_json(apply_operations(Document(name=name, description=description), asked, catalogue).document)


def _preview(graph: JsonObject) -> AgentPreview:
    nodes, links = graph.get("nodes"), graph.get("links")
    return AgentPreview(
        message="Nothing was saved.",
        name=str(graph.get("name", "")),
        description=str(graph.get("description", "")),
        agent_json=graph,
        node_count=len(nodes) if isinstance(nodes, list) else 0,
        link_count=len(links) if isinstance(links, list) else 0,
    )


def _saved(agent: AgentGraph) -> AgentSaved:
    return AgentSaved(
        message=f"{agent.name} is saved as version {agent.version}. Run it once before you call it ready.",
        agent_id=agent.id,
        agent_name=agent.name,
        graph_version=agent.version,
        library_agent_id=agent.id,
        library_agent_link=f"/library/agents/{agent.id}",
        agent_page_link=f"/build/{agent.id}",
        inputs=agent.input_schema,
        node_count=agent.node_count,
        fixes_applied=[],
    )


def _found_block(spec: BlockSpec) -> FoundBlock:
    return FoundBlock(
        id=spec.id,
        name=spec.name,
        description=spec.description,
        categories=list(spec.categories),
        input_schema=_brief(spec.inputs),
        output_schema=_brief(spec.outputs),
    )


def _brief(schema: JsonObject) -> dict[str, Json]:
    return {key: schema[key] for key in ("properties", "required", "$defs") if key in schema}


def _found_agent(agent: Agent, *, graph: bool) -> FoundAgent:
    return FoundAgent(
        id=agent.id,
        name=agent.name,
        description=agent.description,
        graph_id=agent.id,
        graph_version=agent.version,
        library_agent_id=agent.id,
        inputs=agent.input_schema,
        link=f"/library/agents/{agent.id}",
        graph=agent.graph if graph and isinstance(agent, AgentGraph) else None,
    )
