"""How a block is written: a typed function from one input model to one output model (or many outputs).

Each field set on an output fires its pin, in field order; a branch is a field left alone.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, cast

from pilothouse.blocks.context import BlockContext, ChildOrder, Decision, PilotAnswer, PilotOrder, Question
from pilothouse.blocks.example import Example, Reply, plain, reply
from pilothouse.blocks.pins import AnyJson, BlockFailed, BlockInput, BlockOutput
from pilothouse.blocks.refusals import BlockRefused, check, read_function
from pilothouse.graph.catalogue import BlockSpec, Effects, Join, Kind
from pilothouse.kit.json import Json

__all__ = [
    "AnyJson",
    "Block",
    "BlockContext",
    "BlockFailed",
    "BlockInput",
    "BlockOutput",
    "BlockRefused",
    "Category",
    "ChildOrder",
    "Cost",
    "Decision",
    "Effects",
    "Example",
    "Join",
    "Kind",
    "PilotAnswer",
    "PilotOrder",
    "Question",
    "Reply",
    "Webhook",
    "block",
    "reply",
]


class Category(StrEnum):
    """Where the builder lists a block."""

    AI = "AI"
    SOCIAL = "SOCIAL"
    TEXT = "TEXT"
    SEARCH = "SEARCH"
    BASIC = "BASIC"
    INPUT = "INPUT"
    OUTPUT = "OUTPUT"
    LOGIC = "LOGIC"
    COMMUNICATION = "COMMUNICATION"
    DEVELOPER_TOOLS = "DEVELOPER_TOOLS"
    DATA = "DATA"
    HARDWARE = "HARDWARE"
    AGENT = "AGENT"
    CRM = "CRM"
    SAFETY = "SAFETY"
    PRODUCTIVITY = "PRODUCTIVITY"
    ISSUE_TRACKING = "ISSUE_TRACKING"
    MULTIMEDIA = "MULTIMEDIA"
    MARKETING = "MARKETING"


@dataclass(frozen=True, slots=True)
class Webhook:
    """How events reach a trigger. An `automatic` one is registered with the provider, by its only credentials field."""

    provider: str
    type: str
    event_format: str  # of the events it takes; `*` is any
    resource_format: str = ""
    event_filter_field: str = ""
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What using the block costs, in credits (US cents): so much for each `divisor` of the type."""

    amount: int
    type: Literal["RUN", "SECOND", "BYTE", "ITEMS", "COST_USD", "TOKENS"] = "RUN"
    divisor: int = 1
    filter: dict[str, Json] = field(default_factory=dict[str, Json])  # only when these inputs have these values


AskT = TypeVar("AskT", bound=BlockInput)
OutT = TypeVar("OutT", bound=BlockOutput)
BlockFunction: TypeAlias = (
    Callable[[AskT, BlockContext], Awaitable[OutT]] | Callable[[AskT, BlockContext], AsyncIterator[OutT]]
)


@dataclass(frozen=True, slots=True)
class Block:
    """A written block: its public face and the function behind it."""

    spec: BlockSpec
    function: Callable[[BlockInput, BlockContext], object]
    ask: type[BlockInput]
    out: type[BlockOutput]
    is_generator: bool
    effects_of: Callable[[BlockInput], Effects] | None
    examples: tuple[Example, ...]


class _Decorate(Protocol):
    def __call__(self, function: BlockFunction[AskT, OutT], /) -> Block: ...


def block(
    *,
    id: str,
    name: str,
    categories: Iterable[Category] = (),
    effects: Effects | None = None,
    kind: Kind = Kind.STANDARD,
    static_output: bool = False,
    streams: bool | None = None,
    sensitive: bool = False,
    cpu_heavy: bool = False,
    timeout_s: float | None = 1800.0,
    at_least_once: bool = False,
    join: Join | None = None,
    happy_pins: tuple[str, ...] = (),
    webhook: Webhook | None = None,
    cost: Iterable[Cost] = (),
    effects_of: Callable[[Any], Effects] | None = None,
    examples: Iterable[Example] = (),
) -> _Decorate:
    """Make a function a block. `effects` has no true default: leaving it out is refused, like every other gap.

    `effects_of` may narrow the declared effects for one input (a GET only reads).
    """
    told = tuple(examples)

    def decorate(function: BlockFunction[AskT, OutT], /) -> Block:
        ask, out, is_generator = read_function(name, cast(Callable[..., object], function))
        if effects is None:
            raise BlockRefused(name, "does not declare its effects")
        spec = BlockSpec(
            id=id,
            name=name,
            description=inspect.cleandoc(function.__doc__ or ""),
            categories=tuple(sorted(categories)),
            kind=kind,
            effects=effects,
            static_output=static_output,
            streams=(effects is not Effects.WRITES and kind is not Kind.AI) if streams is None else streams,
            sensitive=sensitive,
            cpu_heavy=cpu_heavy,
            timeout_s=timeout_s,
            inputs=ask.model_json_schema(),
            outputs=out.pins_schema(),
            happy_pins=happy_pins,
            examples=tuple(plain(example) for example in told),
            at_least_once=at_least_once,
            join=join,
            webhook=None if webhook is None else asdict(webhook),
            cost=tuple(asdict(one) for one in cost),
        )
        check(spec, told)
        typed = cast(Callable[[BlockInput, BlockContext], object], function)
        return Block(spec, typed, ask, out, is_generator, effects_of, told)

    return decorate
