"""Every field by which a user tells us where to go: found in the blocks and in the API document, not listed by hand."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Effects
from pilothouse.kit.json import Json, JsonObject

_WORDS = re.compile(r"(^|_)(ur[li]s?|href|host|hostname|endpoint|webhook|callback|feed|link|server|origin)(_|$)")
_FORMATS = {"uri", "url", "uri-reference", "iri", "hostname", "idn-hostname", "ipv4", "ipv6"}

# Blocks that touch the world outside but are told no address, each with the reason.
TOLD_NO_ADDRESS: Final[Mapping[str, str]] = {
    "AutoPilot": "starts a turn; what that reaches, its tools and their own guards decide",
    "Get Wikipedia summary": "goes to one host only; the topic is quoted into its path",
    "Read spreadsheet": "reads the text it is given; files will come by the context",
    "TestAct": "does nothing; in the catalogue of tests only",
    "TestLaps": "waits; in the catalogue of tests only",
    "TestLock": "tells nobody what it is given; in the catalogue of tests only",
    "TestProbe": "appends to a file; in the catalogue of tests only",
    "TestPublish": "does nothing; in the catalogue of tests only",
    "TestSleep": "takes time; in the catalogue of tests only",
    "TestSpend": "spends nothing; in the catalogue of tests only",
}


class Pin(NamedTuple):
    """An input pin that takes an address, and the inputs to try it with."""

    block: BlockSpec
    name: str

    @property
    def label(self) -> str:
        return f"{self.block.name}.{self.name}"

    def inputs(self, url: Json) -> JsonObject:
        """The block's own first example, with this address instead."""
        ask = cast(JsonObject, self.block.examples[0]["ask"])
        return {**ask, self.name: url}


def looks_outbound(name: str, schema: Mapping[str, Any]) -> bool:
    members = [schema, *schema.get("anyOf", ())]
    return bool(_WORDS.search(name.lower())) or any(member.get("format") in _FORMATS for member in members)


def outbound_pins(catalogue: Catalogue) -> list[Pin]:
    return [
        Pin(block, name)
        for block in catalogue.values()
        if block.effects is not Effects.NONE
        for name, schema in cast(dict[str, dict[str, Any]], block.inputs["properties"]).items()
        if looks_outbound(name, schema)
    ]


def outbound_fields(document: Mapping[str, Any]) -> Iterator[str]:
    """Fields of request bodies, as `Schema.field`."""
    schemas: dict[str, dict[str, Any]] = document["components"]["schemas"]
    for name, schema in schemas.items():
        if schema.get("additionalProperties") is False:  # what we take; answers have no such rule
            for field, told in schema.get("properties", {}).items():
                if looks_outbound(field, told):
                    yield f"{name}.{field}"
