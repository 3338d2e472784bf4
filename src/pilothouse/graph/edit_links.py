"""Operations on links."""

from pilothouse.graph.catalogue import BlockSpec, Kind
from pilothouse.graph.document import Link, Node
from pilothouse.graph.nearest import nearest
from pilothouse.graph.pins import BadPinPath, parse_sink, parse_source
from pilothouse.graph.workbench import Done, Operation, Workbench, Wrong, check_pin


def connect(bench: Workbench, operation: Operation) -> Done:
    source, target, link = _ends(bench, operation)
    try:
        parse_source(link.out)
        parse_sink(link.sink)
    except BadPinPath as bad:
        raise Wrong("bad_pin_path", str(bad)) from bad
    if giver := _linkable(bench, source):
        check_pin(giver, giver.outputs, link.out, "output")
    if taker := _linkable(bench, target):
        check_pin(taker, taker.inputs, link.sink, "input")
    if link.key in bench.links:
        raise Wrong("link_exists", "This link is there already.")
    bench.links[link.key] = link
    return Done(target.id)


def disconnect(bench: Workbench, operation: Operation) -> Done:
    source, target, link = _ends(bench, operation)
    if link.key in bench.unwired:
        raise Wrong("blocked", "The link could not be made.")
    if link.key not in bench.links:
        there = [_told(one) for one in bench.links.values() if one.source == source.id or one.target == target.id]
        raise Wrong("no_such_link", "There is no such link.", nearest(_told(link), there))
    del bench.links[link.key]
    return Done(target.id)


def _ends(bench: Workbench, operation: Operation) -> tuple[Node, Node, Link]:
    source, target = bench.node(operation["from"]), bench.node(operation["to"])
    out, sink, static = operation["out"], operation["in"], operation.get("static") or False
    if not (isinstance(out, str) and out and isinstance(sink, str) and sink and isinstance(static, bool)):
        raise Wrong("bad_value", "`out` and `in` are the names of pins, `static` is true or false.")
    return source, target, Link(source.id, out, target.id, sink, static)


def _linkable(bench: Workbench, node: Node) -> BlockSpec | None:
    spec = bench.face(node)
    if spec is not None and spec.kind is Kind.NOTE:
        raise Wrong("note_linked", "A note takes no link.")
    return spec


def _told(link: Link) -> str:
    return f"{link.source}.{link.out} -> {link.target}.{link.sink}"
