"""The copy of a document that operations are done on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pilothouse.graph.catalogue import BlockSpec, Catalogue
from pilothouse.graph.document import Document, Link, LinkKey, Node
from pilothouse.graph.fields import properties, takes_any_pin
from pilothouse.graph.nearest import nearest
from pilothouse.graph.pins import pin_base
from pilothouse.graph.sub_agents import Children, face_of
from pilothouse.kit.json import Json, JsonObject

Operation: TypeAlias = Mapping[str, Json]


class Wrong(Exception):
    """This operation cannot be done."""

    def __init__(self, code: str, message: str, allowed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.allowed = list(allowed)


@dataclass(slots=True)
class Done:
    """What an operation was about, and what it had to leave behind."""

    node_id: str | None = None
    dropped: JsonObject = field(default_factory=dict[str, Json])


@dataclass(slots=True)
class Workbench:
    """Nodes by id, links by identity. What a failed operation would have made is remembered, for those that need it."""

    document: Document
    catalogue: Catalogue
    children: Children
    nodes: dict[str, Node] = field(init=False)
    links: dict[LinkKey, Link] = field(init=False)
    made: dict[str, str] = field(default_factory=dict[str, str])  # `@i` and the id that it stands for
    unmade: set[str] = field(default_factory=set[str])  # names of nodes that could not be made
    unwired: set[LinkKey] = field(default_factory=set[LinkKey])  # links that could not be made
    unchanged: set[str] = field(default_factory=set[str])  # nodes whose block could not be replaced

    def __post_init__(self) -> None:
        self.nodes = {node.id: node for node in self.document.nodes}
        self.links = {link.key: link for link in self.document.links}

    def result(self) -> Document:
        return replace(self.document, nodes=tuple(self.nodes.values()), links=tuple(self.links.values()))

    def node(self, name: Json) -> Node:
        """By id, or by the operation that made it (`@0`)."""
        if not isinstance(name, str):
            raise Wrong("bad_value", "A node is named by its id, or as '@' and the number of what made it.")
        if name in self.unmade:
            raise Wrong("blocked", f"The node '{name}' could not be made.")
        found = self.nodes.get(self.made.get(name, name))
        if found is None:
            raise Wrong("unknown_node", f"There is no node '{name}'.", nearest(name, self.nodes))
        return found

    def block(self, name: Json) -> BlockSpec:
        """By id, or by its exact name in any case."""
        if not isinstance(name, str):
            raise Wrong("bad_value", "A block is named by its id or its name.")
        if found := self.catalogue.get(name):
            return found
        for spec in self.catalogue.values():
            if spec.name.casefold() == name.casefold():
                return spec
        names = (spec.name for spec in self.catalogue.values() if not spec.disabled)
        raise Wrong("unknown_block", f"There is no block '{name}'.", nearest(name, names))

    def face(self, node: Node) -> BlockSpec | None:
        """The block as this node shows it; None when it is not installed, and then nothing is known of its pins."""
        spec = self.catalogue.get(node.block)
        return None if spec is None else face_of(node, spec, self.catalogue, self.children)

    def check_input(self, node: Node, pin: str) -> None:
        spec = self.face(node)
        if spec is not None:
            check_pin(spec, spec.inputs, pin, "input")


def has_pin(spec: BlockSpec, schema: JsonObject, pin: str) -> bool:
    return pin_base(pin) in properties(schema) or takes_any_pin(spec, schema)


def check_pin(spec: BlockSpec, schema: JsonObject, pin: str, side: str) -> None:
    if not has_pin(spec, schema, pin):
        raise Wrong("unknown_pin", f"{spec.name} has no {side} '{pin}'.", nearest(pin, properties(schema)))
