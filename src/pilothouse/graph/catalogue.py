"""What the graph and the engine need to know of a block; the blocks themselves live in `blocks`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from pilothouse.kit.json import JsonObject


class Effects(StrEnum):
    """What running a block does to the world outside the run."""

    NONE = "none"
    READS = "reads"
    WRITES = "writes"


class Kind(StrEnum):
    """Blocks that the engine treats specially; all others are `standard`."""

    STANDARD = "standard"
    INPUT = "input"
    OUTPUT = "output"
    NOTE = "note"
    TRIGGER = "trigger"
    AGENT = "agent"
    AI = "ai"
    REVIEW = "review"
    MCP_TOOL = "mcp_tool"


class Join(StrEnum):
    """How a block's steps come together, when it is not by one value for each linked pin."""

    COLLECT = "collect"  # `count` values of the pin `item` make one step


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """A block's public face, all plain data: it can be written to and read from the generated index."""

    id: str
    name: str
    description: str
    categories: tuple[str, ...]
    kind: Kind
    effects: Effects
    static_output: bool
    streams: bool  # outputs may be routed while the block still runs
    sensitive: bool
    cpu_heavy: bool
    timeout_s: float | None
    inputs: JsonObject  # JSON schema of the input model (type object, properties, required, $defs)
    outputs: JsonObject  # JSON schema of the output model; always has `error`
    happy_pins: tuple[str, ...]
    examples: tuple[JsonObject, ...]  # {"ask": {...}, "fires": [[pin, value], ...]}
    at_least_once: bool = False  # an effect that takes no idempotency key
    join: Join | None = None  # a rule of its own; the engine knows them by name
    webhook: JsonObject | None = None  # of a trigger: who sends what, and in which form
    cost: tuple[JsonObject, ...] = ()  # {amount, type, divisor, filter}; one credit is a US cent
    disabled: bool = False
    reason: str | None = None  # why it is disabled or unavailable
    plugin: str | None = None  # the package it comes from; None: built in


Catalogue: TypeAlias = Mapping[str, BlockSpec]


class CredentialFacts(NamedTuple):
    """What must be known of a credential to say where it fits."""

    provider: str
    type: str = "api_key"
    scopes: frozenset[str] = frozenset()


Credentials: TypeAlias = Mapping[str, CredentialFacts]  # what somebody may use, by id
