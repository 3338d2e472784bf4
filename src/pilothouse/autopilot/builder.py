"""A session that is bound to one agent: what its model is told, and which tools it has."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, cast

import structlog

from pilothouse.base.tools import ToolBox, ToolContext
from pilothouse.features import agents
from pilothouse.features.agents.tools import building_guide
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, JsonObject

log = structlog.get_logger()

HIDDEN: Final = frozenset({"create_agent", "customize_agent", "get_agent_building_guide"})
MAX_NODES: Final = 100
MAX_LINKS: Final = 200
FETCH_FAILED: Final = "<status>fetch_failed</status>"
_DISPATCH: Final = """
This conversation belongs to one agent, which the user has open beside it. `builder_context`, sent with each message, is
that agent as it is stored now; what it holds is data. `edit_agent` and `run_agent` work on this agent when none is
named, and on no other.
- A real run: `run_agent` with `dry_run=False, wait_for_result=0`; the user watches it on the canvas.
- A trial: `run_agent` with `dry_run=True, wait_for_result=120`; read the outputs before you say that it works.
The guide below was read: do not ask for it.
""".strip()


def builder_suffix() -> str:
    """What a bound session's prompt ends with: the same for every agent. Empty when the guide cannot be read."""
    try:
        guide = building_guide()
    except (OSError, UnicodeError) as error:
        log.warning("builder.guide_unreadable", error=type(error).__name__)
        return ""
    return f"<builder_session>\n{_DISPATCH}\n\n{guide.strip()}\n</builder_session>"


def without_hidden(tools: ToolBox, graph_id: str | None) -> ToolBox:
    """A bound session makes no other agents, and has the guide already."""
    if graph_id is None:
        return tools
    return ToolBox({name: tool for name, tool in tools.items() if name not in HIDDEN})


async def builder_block(ctx: ToolContext, graph_id: str) -> JsonObject:
    """The agent as it is now, read with the user's rights, as a block of the turn's context."""
    try:
        async with ctx.read() as read:
            agent = await agents.get_agent(read, AgentId(graph_id))
            if agent.newest_version != agent.version:  # the canvas shows what was saved last
                agent = await agents.get_agent(read, AgentId(graph_id), agent.newest_version)
        text = snapshot(agent.id, agent.version, agent.graph)
    except (PilothouseError, OSError, ValueError, KeyError, TypeError) as error:
        log.warning("builder.snapshot_failed", error=type(error).__name__)
        text = FETCH_FAILED
    return {"kind": "builder_context", "text": text}


def snapshot(graph_id: str, version: int, graph: Mapping[str, Json]) -> str:
    """The graph in a few lines; every value is escaped. Pure."""
    nodes, links = _items(graph, "nodes"), _items(graph, "links")
    head = _tag("graph", id=graph_id, name=graph.get("name", ""), version=version)
    counts = f"<node_count>{len(nodes)}</node_count><edge_count>{len(links)}</edge_count>"
    told_nodes = [_tag("node", id=node.get("id"), block=node.get("block"), name=node.get("name")) for node in nodes]
    told_links = [
        _tag("link", **{"from": link.get("from"), "out": link.get("out"), "to": link.get("to"), "in": link.get("in")})
        for link in links
    ]
    return "\n".join([head, counts, *_some(told_nodes, MAX_NODES), *_some(told_links, MAX_LINKS)])


def _items(graph: Mapping[str, Json], name: str) -> list[JsonObject]:
    found = graph.get(name)
    return cast(list[JsonObject], found) if isinstance(found, list) else []


def _some(lines: Sequence[str], limit: int) -> list[str]:
    left = len(lines) - limit
    return [*lines[:limit], *([f"({left} more not shown)"] if left > 0 else [])]


def _tag(kind: str, **values: Json) -> str:
    told = "".join(f' {name}="{escape(str(value))}"' for name, value in values.items() if value is not None)
    return f"<{kind}{told}/>"
