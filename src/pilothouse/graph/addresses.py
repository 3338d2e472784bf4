"""Addresses that stand in a graph and that its runs would be refused."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from pilothouse.graph.catalogue import BlockSpec, Catalogue
from pilothouse.graph.document import Document, Node
from pilothouse.graph.fields import properties
from pilothouse.graph.json_schema import as_object, resolve
from pilothouse.graph.pins import pin_base
from pilothouse.graph.report import Report
from pilothouse.kit.json import Json, JsonObject

ADDRESS = "address"  # marks a field that says where to go: `url`, or `host` for one that stands alone


@runtime_checkable
class KnowsAddresses(Protocol):
    """A catalogue of an installation, which knows where its blocks may go."""

    def address_fault(self, kind: str, text: str) -> str | None:
        """Why this address would be refused, as far as that can be said without asking a name server."""
        ...


def check_addresses(doc: Document, catalogue: Catalogue, knows: KnowsAddresses, report: Report) -> None:
    """What links bring is judged when the block runs; so is, once more, what stands here."""
    linked = {(link.target, pin_base(link.sink)) for link in doc.links}
    for node in doc.nodes:
        spec = catalogue.get(node.block)
        for pin, kind, text in () if spec is None else _addresses(node, spec):
            fault = None if (node.id, pin) in linked else knows.address_fault(kind, text)
            if fault is not None:
                report.add(node.id, pin, "address_refused", f"Runs will not be let there: {fault}.")


def _addresses(node: Node, spec: BlockSpec) -> Iterator[tuple[str, str, str]]:
    """Pin, kind and text of each that the node spells out; also those inside the objects that pins take."""
    for pin, schema in properties(spec.inputs).items():
        value = node.inputs.get(pin)
        if isinstance(value, dict):
            told = [(field, value.get(name)) for name, field in properties(resolve(schema, spec.inputs)).items()]
        else:
            told = [(schema, value)]
        yield from ((pin, kind, text) for field, item in told for kind, text in _told(field, item))


def _told(field: JsonObject, value: Json) -> Iterator[tuple[str, str]]:
    kind = as_object(field).get(ADDRESS)
    if isinstance(kind, str) and isinstance(value, str) and value.strip():
        yield kind, value.strip()
