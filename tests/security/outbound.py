"""Every field by which a user tells us where to go: found in the blocks and in the API document, not listed by hand."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Effects
from pilothouse.graph.fields import properties
from pilothouse.graph.json_schema import as_object, resolve
from pilothouse.kit.json import JsonObject

_WORDS = re.compile(r"(^|_)(ur[li]s?|href|host|hostname|endpoint|webhook|callback|feed|link|server|origin)(_|$)")
_FORMATS = {"uri", "url", "uri-reference", "iri", "hostname", "idn-hostname", "ipv4", "ipv6"}
_FILES = re.compile(r"(^|_)files$")  # a list of them; each may lie at an address

# Blocks that touch the world outside but are told no address, each with the reason.
TOLD_NO_ADDRESS: Final[Mapping[str, str]] = {
    "AutoPilot": "starts a turn; what that reaches, its tools and their own guards decide",
    "Execute code": "runs in the sandbox, which has no network",
    "Execute code step": "runs in the sandbox, which has no network",
    "Get Wikipedia summary": "goes to one host only; the topic is quoted into its path",
    "Instantiate code sandbox": "runs in the sandbox, which has no network",
    "TestAct": "does nothing; in the catalogue of tests only",
    "TestBlab": "tells secrets to the run alone; in the catalogue of tests only",
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
    inner: str = ""  # a field of the object that the pin takes
    bare: bool = False  # takes a host alone
    listed: bool = False  # takes a list of them
    file: bool = False  # takes files, which need not lie at an address

    @property
    def label(self) -> str:
        return f"{self.block.name}.{self.name}{self.inner and '.'}{self.inner}"

    @property
    def sink(self) -> str:
        """The pin that a link leads to."""
        if self.listed:
            return f"{self.name}_$_0"
        return f"{self.name}_#_{self.inner}" if self.inner else self.name

    def inputs(self, url: str) -> JsonObject:
        """The block's own first example that uses the pin, with this address instead."""
        asks = [cast(JsonObject, example["ask"]) for example in self.block.examples]
        ask = next((ask for ask in asks if self.name in ask), asks[0])
        told = self.told(url)
        if self.listed:
            return {**ask, self.name: [told]}
        return {**ask, self.name: {**as_object(ask[self.name]), self.inner: told} if self.inner else told}

    def told(self, url: str) -> str:
        """What is left of a URL where a host is wanted; what is no URL stays."""
        found = re.fullmatch(r"https?://(.*?)(:[0-9]+)?/?", url) if self.bare else None
        return found[1] if found else url


def looks_outbound(name: str, schema: Mapping[str, Any]) -> bool:
    members = [schema, *schema.get("anyOf", ())]
    return bool(_WORDS.search(name.lower())) or any(member.get("format") in _FORMATS for member in members)


def takes_files(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether a pin takes a file, or a list of files: each of them may be an address that is fetched."""
    members = [schema, *schema.get("anyOf", ())]
    return _is_list_of_files(name, schema) or any(member.get("format") == "file" for member in members)


def outbound_pins(catalogue: Catalogue) -> list[Pin]:
    return [
        Pin(
            *(block, name, inner, schema.get("address") == "host"),
            listed=not inner and _is_list_of_files(name, schema),
            file=takes_files(inner or name, schema),
        )
        for block in catalogue.values()
        if block.effects is not Effects.NONE
        for name, inner, schema in _fields(block)
        if looks_outbound(inner or name, schema) or takes_files(inner or name, schema)
    ]


def _is_list_of_files(name: str, schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" and bool(_FILES.search(name.lower()))


def _fields(block: BlockSpec) -> Iterator[tuple[str, str, JsonObject]]:
    """Each pin, and each field of the objects that pins take."""
    for name, schema in properties(block.inputs).items():
        yield name, "", schema
        for inner, told in properties(resolve(schema, block.inputs)).items():
            yield name, inner, told


def outbound_fields(document: Mapping[str, Any]) -> Iterator[str]:
    """Fields of request bodies, as `Schema.field`."""
    schemas: dict[str, dict[str, Any]] = document["components"]["schemas"]
    for name, schema in schemas.items():
        if schema.get("additionalProperties") is False:  # what we take; answers have no such rule
            for field, told in schema.get("properties", {}).items():
                if looks_outbound(field, told):
                    yield f"{name}.{field}"
