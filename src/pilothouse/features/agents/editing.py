"""Changing an agent by operations: one new version, or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pilothouse.base.work import Work
from pilothouse.features.agents import queries
from pilothouse.features.agents.agent import AgentGraph, agent_graph_of
from pilothouse.features.agents.children import children_of
from pilothouse.features.agents.documents import judged, read_document
from pilothouse.features.agents.models import AgentRow
from pilothouse.features.agents.versions import Base, admit_whole, keep, parsed, require_base, version_row
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import Document, to_json
from pilothouse.graph.operations import apply_operations
from pilothouse.graph.rebase import clashes
from pilothouse.graph.report import Report
from pilothouse.graph.workbench import Operation
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import JsonObject


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of an edit. Of one that was not saved, the agent shows the graph as it would be."""

    agent: AgentGraph
    saved: bool
    ops: Sequence[JsonObject]
    nodes: Mapping[str, str]  # `@i` and the node that operation i made
    report: Report  # at level `save`


async def edit_agent(
    work: Work,
    catalogue: Catalogue,
    agent_id: AgentId,
    operations: Sequence[Operation],
    base: Base,
    *,
    save: bool = True,
    rebase: bool = False,
    note: str | None = None,
) -> Edited:
    """Apply all of them to the active version and store the result as a new one, or store nothing.

    Raises `OperationFailed` with an answer for each, `AgentInvalid` when the result may not be stored, and `base`'s
    conflict when it is not the active version; with `rebase` only if an operation touches what changed since.
    """
    agent = await queries.find_agent(work, agent_id, lock=True)
    current = parsed(await queries.find_version(work, agent, agent.active_version))
    if not (rebase and await _still_applies(work, agent, base, operations, current)):
        await require_base(work, agent, base)
    applied = apply_operations(current, operations, catalogue, await children_of(work, current, catalogue))
    doc = read_document(to_json(replace(applied.document, id=agent.id)))  # as strict with edits as with files
    if save:
        content = await admit_whole(work, catalogue, doc)
        row = await keep(work, agent, content, note)
    else:
        content = judged(doc, catalogue, await children_of(work, doc, catalogue))
        row = version_row(work, agent, content, agent.active_version, note)
    return Edited(agent_graph_of(agent, row), save, applied.answers, applied.nodes, content.report)


async def _still_applies(
    work: Work, agent: AgentRow, base: Base, operations: Sequence[Operation], current: Document
) -> bool:
    if base.version is None or not 1 <= base.version <= agent.newest_version:
        return False
    seen = parsed(await queries.find_version(work, agent, base.version))
    return not clashes(operations, seen, current)
