"""Agents and blocks without their credentials, to judge a run that opens none. Copies: the originals stay whole."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pilothouse.graph.catalogue import BlockSpec, Catalogue
from pilothouse.graph.document import Document
from pilothouse.graph.fields import is_credentials, properties, required
from pilothouse.graph.pins import pin_base
from pilothouse.graph.sub_agents import Masks
from pilothouse.kit.json import Json, JsonObject


def bare_schema(schema: JsonObject) -> JsonObject:
    """The schema of a block's inputs, without those that hold credentials."""
    if not any(map(is_credentials, properties(schema))):
        return schema
    fields: JsonObject = {name: field for name, field in properties(schema).items() if not is_credentials(name)}
    needed: list[Json] = [name for name in required(schema) if not is_credentials(name)]
    return {**schema, "properties": fields, "required": needed}


def bare_values(values: JsonObject) -> JsonObject:
    """Values by pin, without those that name credentials."""
    return {pin: value for pin, value in values.items() if not is_credentials(pin_base(pin))}


def bare_masks(masks: Masks) -> dict[str, JsonObject]:
    return {path: bare for path, mask in masks.items() if (bare := bare_values(mask))}


def bare_document(doc: Document) -> Document:
    """The agent as it is judged: no node names credentials, no link brings any."""
    nodes = tuple(replace(node, inputs=bare_values(node.inputs)) for node in doc.nodes)
    links = tuple(link for link in doc.links if not is_credentials(pin_base(link.sink)))
    return replace(doc, nodes=nodes, links=links, sub_agents=tuple(map(bare_document, doc.sub_agents)))


class BareCatalogue(Mapping[str, BlockSpec]):
    """The same blocks, none of which takes credentials."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def __getitem__(self, block_id: str) -> BlockSpec:
        spec = self._catalogue[block_id]
        return replace(spec, inputs=bare_schema(spec.inputs))

    def __iter__(self) -> Iterator[str]:
        return iter(self._catalogue)

    def __len__(self) -> int:
        return len(self._catalogue)
