"""Makes an agent of another system fit the blocks that are installed; what does not fit is taken away by name."""

from collections import Counter
from dataclasses import replace
from itertools import chain, count

from pilothouse.graph.brought import Brought, Notes
from pilothouse.graph.catalogue import Catalogue, Kind
from pilothouse.graph.check_links import check_links
from pilothouse.graph.cron import is_cron
from pilothouse.graph.document import MAX_LINKS, MAX_NODES, MAX_SUB_AGENTS, Document, Link, Node
from pilothouse.graph.pins import pin_base
from pilothouse.graph.placeholders import agents_below
from pilothouse.graph.report import AGENT, Report
from pilothouse.graph.sub_agents import Children, embedded, face_of


def fitted(brought: Brought, catalogue: Catalogue) -> Brought:
    """The same with documents that a save takes, as far as leaving things out can make them so."""
    if any(_is_too_large(doc) for doc in (brought.doc, *brought.doc.sub_agents)):
        return brought  # a save refuses it anyway
    doc, brought = brought.doc, replace(brought, changed=[*brought.changed], dropped=[*brought.dropped])
    doc = replace(_named(doc, catalogue, Notes(brought, None)), sub_agents=_used(doc, catalogue, brought))
    known = embedded(doc)
    inside = tuple(
        _linked(child, catalogue, known, Notes(brought, (str(child.id), child.version or 1)))
        for child in doc.sub_agents
    )
    brought.doc = replace(_linked(doc, catalogue, known, Notes(brought, None)), sub_agents=inside)
    return brought


def _is_too_large(doc: Document) -> bool:
    return len(doc.nodes) > MAX_NODES or len(doc.links) > MAX_LINKS or len(doc.sub_agents) > MAX_SUB_AGENTS


def _used(doc: Document, catalogue: Catalogue, brought: Brought) -> tuple[Document, ...]:
    """The agents inside that some node runs, with names for all that needs one."""
    known = embedded(doc)
    used = {pinned: child for pinned, _, child in agents_below(doc, catalogue, known) if pinned is not None}
    for pinned in sorted(known.keys() - used.keys()):
        Notes(brought, None).drop(AGENT, "sub_graphs[]", f"No node runs the agent '{known[pinned].name}'.")
    brought.changed = [note for note in brought.changed if note.agent is None or note.agent in used]
    brought.dropped = [note for note in brought.dropped if note.agent is None or note.agent in used]
    return tuple(_named(child, catalogue, Notes(brought, pinned)) for pinned, child in used.items())


def _named(doc: Document, catalogue: Catalogue, notes: Notes) -> Document:
    """Inputs and outputs without a name get one; a schedule that nobody can read is no recommendation."""
    linked = {(link.target, pin_base(link.sink)) for link in doc.links}
    taken = {str(node.inputs.get("name")) for node in doc.nodes}
    nodes = tuple(_with_name(node, catalogue, taken, (node.id, "name") in linked, notes) for node in doc.nodes)
    cron = doc.recommended_schedule_cron
    if cron is not None and not is_cron(cron):
        notes.drop(AGENT, "recommended_schedule_cron", f"'{cron}' is not a cron line of five fields.")
        cron = None
    return replace(doc, nodes=nodes, recommended_schedule_cron=cron)


def _with_name(node: Node, catalogue: Catalogue, taken: set[str], is_fed: bool, notes: Notes) -> Node:
    spec, given = catalogue.get(node.block), node.inputs.get("name")
    if spec is None or spec.kind not in (Kind.INPUT, Kind.OUTPUT) or (isinstance(given, str) and given):
        return node
    if is_fed and spec.kind is Kind.OUTPUT:
        return node
    stem = spec.kind.value
    name = next(name for name in chain([stem], (f"{stem}_{n}" for n in count(2))) if name not in taken)
    taken.add(name)
    notes.change(node.id, "name", given, name, "Every input and output needs a name.")
    return replace(node, inputs={**node.inputs, "name": name})


def _linked(doc: Document, catalogue: Catalogue, known: Children, notes: Notes) -> Document:
    """Without links that are there twice or that the validator refuses."""
    links = {link.key: link for link in reversed(doc.links)}
    for key, number in Counter(link.key for link in doc.links).items():
        if number > 1:
            notes.drop(key[2], key[3], f"This link is there {number} times.", links[key])
    specs = {
        node.id: face_of(node, spec, catalogue, known) for node in doc.nodes if (spec := catalogue.get(node.block))
    }
    report = Report("save")
    check_links(replace(doc, links=tuple(links.values())), specs, report)
    refused = dict[Link, str]()
    for issue in report.issues:
        if issue.severity == "error" and issue.link is not None:
            refused.setdefault(issue.link, issue.message)
    for link, reason in refused.items():
        notes.drop(link.target, link.sink, reason, link)
    return replace(doc, links=tuple(link for link in reversed(links.values()) if link not in refused))
