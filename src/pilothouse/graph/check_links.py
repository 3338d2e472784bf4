"""Checks of the links: their ends, their pins, their paths, and what a conversion on the way would lose."""

from pilothouse.graph.catalogue import BlockSpec, Kind
from pilothouse.graph.document import Document, Link
from pilothouse.graph.fields import properties, takes_any_pin
from pilothouse.graph.json_schema import members_of, resolve, types_of
from pilothouse.graph.pins import BadPinPath, Pin, parse_sink, parse_source
from pilothouse.graph.report import AGENT, Report
from pilothouse.kit.json import JsonObject

_CONTAINERS = {"array", "object"}
_SCALARS = {"number", "integer", "boolean"}


def check_links(doc: Document, specs: dict[str, BlockSpec], report: Report) -> None:
    """Every link, each fault on the node that has the pin in question."""
    nodes = {node.id for node in doc.nodes}
    seen: set[tuple[str, str, str, str]] = set()
    for link in doc.links:
        if link.key in seen:
            report.add(link.target, link.sink, "duplicate_link", "This link is there twice.", link)
        seen.add(link.key)
        missing = [end for end in (link.source, link.target) if end not in nodes]
        for end in missing:
            report.add(AGENT, "links", "unknown_node", f"A link names the node '{end}', which is not there.", link)
        if not missing:
            _check_ends(link, specs, report)


def _check_ends(link: Link, specs: dict[str, BlockSpec], report: Report) -> None:
    source, target = specs.get(link.source), specs.get(link.target)
    for node_id, spec in ((link.source, source), (link.target, target)):
        if spec is not None and spec.kind is Kind.NOTE:
            report.add(node_id, "links", "note_linked", "A note takes no link.", link)
            return
    try:
        out = parse_source(link.out)
    except BadPinPath as bad:
        out = None
        report.add(link.source, link.out, "bad_pin_path", str(bad), link)
    try:
        sink = parse_sink(link.sink)
    except BadPinPath as bad:
        sink = None
        report.add(link.target, link.sink, "bad_pin_path", str(bad), link)

    out_known = out is not None and source is not None and _check_out(link, out, source, report)
    in_known = sink is not None and target is not None and _check_in(link, sink, target, report)
    if out_known and in_known and out and sink and source and target and not out.path and not sink.path:
        _check_loss(link, source, target, report)


def _check_out(link: Link, pin: Pin, spec: BlockSpec, report: Report) -> bool:
    if pin.base in properties(spec.outputs):
        return True
    if not takes_any_pin(spec, spec.outputs):
        report.add(link.source, link.out, "unknown_out_pin", f"{spec.name} has no output '{pin.base}'.", link)
    return False


def _check_in(link: Link, pin: Pin, spec: BlockSpec, report: Report) -> bool:
    if pin.base in properties(spec.inputs):
        return True
    if not takes_any_pin(spec, spec.inputs):
        report.add(link.target, link.sink, "unknown_in_pin", f"{spec.name} has no input '{pin.base}'.", link)
    return False


def _check_loss(link: Link, source: BlockSpec, target: BlockSpec, report: Report) -> None:
    gives = _types(properties(source.outputs)[link.out], source.outputs)
    takes = _types(properties(target.inputs)[link.sink], target.inputs)
    if gives and takes and gives <= _CONTAINERS and takes <= _SCALARS:
        text = f"'{link.out}' gives a list or an object; '{link.sink}' keeps only its size or whether it is empty."
        report.add(link.target, link.sink, "likely_lossy", text, link)


def _types(schema: JsonObject, root: JsonObject) -> set[str]:
    """The JSON types but null that a field names; empty when it takes anything."""
    schema = resolve(schema, root)
    members = members_of(schema)
    if not members:
        return set(types_of(schema)) - {"null"}
    parts = [_types(member, root) for member in members if types_of(resolve(member, root)) != ["null"]]
    return set[str]().union(*parts) if all(parts) else set()
