"""From what a caller sends to a document that may be stored, and what is read from it."""

from dataclasses import dataclass, replace

from pilothouse.features.agents.errors import AgentInvalid
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import Document, canonical, content_hash
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.graph.report import AGENT, Issue, Level, Report
from pilothouse.graph.schema import input_schema, output_schema
from pilothouse.graph.sub_agents import Children
from pilothouse.graph.validate import validate
from pilothouse.kit.json import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Content:
    """A document that was judged, with what a version's row keeps of it."""

    doc: Document
    content_hash: str
    input_schema: JsonObject
    output_schema: JsonObject
    report: Report  # at level `save`

    def text(self, agent_id: str, version: int) -> str:
        """The canonical text of this content as that version."""
        return canonical(replace(self.doc, id=agent_id, version=version))


def read_document(graph: Json) -> Document:
    """Raises `AgentInvalid` when this is not a well-formed document."""
    try:
        return parse(graph)
    except BadDocument as bad:
        raise refused(malformed(bad, "save")) from bad


def admit(doc: Document, catalogue: Catalogue, children: Children | None = None) -> Content:
    """A document fit to be stored; raises `AgentInvalid` with the whole report when it is not."""
    content = judged(doc, catalogue, children)
    if not content.report.valid:
        raise refused(content.report)
    return content


def judged(doc: Document, catalogue: Catalogue, children: Children | None = None) -> Content:
    """The same without a refusal: the report says whether it may be stored."""
    report = validate(doc, catalogue, "save", children=children)
    for key in ("name", "description"):
        if "\x00" in getattr(doc, key):  # kept in columns of their own, where PostgreSQL takes no NUL
            report.issues.append(Issue(AGENT, key, "bad_document", "This must not hold NUL characters.", "error"))
    return content_of(doc, catalogue, report)


def content_of(doc: Document, catalogue: Catalogue, report: Report) -> Content:
    """What a version's row keeps of a document that was judged."""
    return Content(doc, content_hash(doc), input_schema(doc, catalogue), output_schema(doc, catalogue), report)


def malformed(bad: BadDocument, level: Level) -> Report:
    """The faults of a document that could not be read, as a validation tells them."""
    return Report(level, [Issue(AGENT, where, "bad_document", message, "error") for where, message in bad.faults])


def refused(report: Report) -> AgentInvalid:
    """The error that carries a report."""
    told = report.to_json()
    return AgentInvalid(valid=told["valid"], errors=told["errors"], issues=told["issues"])
