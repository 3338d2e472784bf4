"""Agents as files: out without anything secret, in without running anything."""

from dataclasses import dataclass, replace

from pilothouse.base.work import Read, Work
from pilothouse.features.agents.agent import AgentGraph
from pilothouse.features.agents.children import children_of, renumbered
from pilothouse.features.agents.coverage import Coverage, coverage_of
from pilothouse.features.agents.documents import admit, malformed, read_document, refused
from pilothouse.features.agents.errors import FormatUnsupported
from pilothouse.features.agents.service import create_agent, get_agent, save_agent, validate_document
from pilothouse.features.agents.settings import change_agent_settings
from pilothouse.features.agents.versions import Base
from pilothouse.graph.autogpt import is_autogpt, read_autogpt
from pilothouse.graph.brought import Brought
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import FORMAT, Document, canonical, to_json, unmarked
from pilothouse.graph.fit_brought import fitted
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.graph.placeholders import marked
from pilothouse.graph.secrets import without_secrets
from pilothouse.graph.sub_agents import embedded
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, loads


@dataclass(frozen=True, slots=True)
class Exported:
    """A file to hand on."""

    name: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Previewed:
    """What an import of a file would make."""

    name: str
    description: str
    coverage: Coverage


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
    file = unmarked(replace(first, version=None, sub_agents=tuple(rest)))
    return Exported(doc.name, found.version, canonical(without_secrets(file, catalogue, embedded(file))))


async def import_agent(
    work: Work, catalogue: Catalogue, file: Json, into: tuple[AgentId, Base] | None = None
) -> Imported:
    """Store a file of ours or of AutoGPT as a new agent of the actor, or as the next version of one.

    What is not installed is kept as placeholders. Raises `FormatUnsupported` or `AgentInvalid`, and what `save_agent`
    raises.
    """
    brought = await _brought(work, catalogue, file)
    if into is None:
        stored = await create_agent(work, catalogue, to_json(brought.doc), note="Imported")
        await change_agent_settings(work, AgentId(stored.id), review_sensitive=True)  # somebody else wrote it
    else:
        stored = await save_agent(work, catalogue, into[0], to_json(brought.doc), into[1], note="Imported")
    return Imported(stored, await _coverage(work, catalogue, brought))


async def preview_import(read: Read, catalogue: Catalogue, file: Json) -> Previewed:
    """What `import_agent` would make of a file; stores nothing, and raises the same."""
    brought = await _brought(read, catalogue, file)
    admit(brought.doc, catalogue, await children_of(read, brought.doc, catalogue))
    return Previewed(brought.doc.name, brought.doc.description, await _coverage(read, catalogue, brought))


async def read_file(read: Read, catalogue: Catalogue, file: Json) -> Document:
    """The document in a file of ours or of AutoGPT, as `import_agent` would store it; raises the same."""
    return (await _brought(read, catalogue, file)).doc


async def _brought(read: Read, catalogue: Catalogue, file: Json) -> Brought:
    """The document in a file, with a mark on every node that cannot run here."""
    if isinstance(file, dict) and file.get("format") == FORMAT:
        brought = Brought(read_document(file))
    elif isinstance(file, dict) and is_autogpt(file):
        try:
            brought = fitted(read_autogpt(file, catalogue), catalogue)
        except BadDocument as bad:
            raise refused(malformed(bad, "save")) from bad
    else:
        raise FormatUnsupported()
    known = {**embedded(brought.doc), **await children_of(read, brought.doc, catalogue)}
    return replace(brought, doc=marked(brought.doc, catalogue, known))


async def _coverage(read: Read, catalogue: Catalogue, brought: Brought) -> Coverage:
    report = await validate_document(read, catalogue, to_json(brought.doc), "run")
    children = {**embedded(brought.doc), **await children_of(read, brought.doc, catalogue)}
    return coverage_of(brought, catalogue, children, runnable=report.valid)
