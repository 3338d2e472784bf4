"""Why a block is not taken into the catalogue: each reason names the block and what to mend."""

import inspect
import re
import types
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from collections.abc import Sequence as ManyOf
from typing import cast, get_args, get_origin, get_type_hints

from pilothouse.blocks.example import Example
from pilothouse.blocks.pins import BlockInput, BlockOutput
from pilothouse.graph.catalogue import BlockSpec, Effects, Kind
from pilothouse.graph.fields import is_credentials
from pilothouse.graph.json_schema import as_list, as_object, members_of, resolve, types_of
from pilothouse.kit.ids import is_id
from pilothouse.kit.json import Json, JsonObject

RESERVED_ID = "45e78db5-03e9-447f-9395-308d712f5f08"  # installs code: never
_PATH_MARKS = re.compile(r"_[#$@^~]_")


class BlockRefused(Exception):
    """A block breaks the contract and is not loaded."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"block {name!r}: {reason}")
        self.name = name
        self.reason = reason


def read_function(name: str, function: Callable[..., object]) -> tuple[type[BlockInput], type[BlockOutput], bool]:
    """The input model, the output model, and whether it is an async generator."""
    is_generator = inspect.isasyncgenfunction(function)
    if not is_generator and not inspect.iscoroutinefunction(function):
        raise BlockRefused(name, "is neither an async function nor an async generator")
    hints = get_type_hints(function)
    returns = hints.pop("return", None)
    if len(hints) != 2 or len(inspect.signature(function).parameters) != 2:
        raise BlockRefused(name, "must take exactly two annotated parameters, its input and the context")
    ask = next(iter(hints.values()))
    if not _is_model(ask, BlockInput):
        raise BlockRefused(name, "its first parameter is not annotated with a BlockInput")
    if is_generator:
        returns = get_args(returns)[0] if get_origin(returns) in (AsyncIterator, AsyncGenerator) else None
    if not _is_model(returns, BlockOutput):
        raise BlockRefused(name, "its return annotation is not a BlockOutput (or an AsyncIterator of one)")
    return cast(type[BlockInput], ask), cast(type[BlockOutput], returns), is_generator


def _is_model(hint: object, base: type) -> bool:
    return isinstance(hint, type) and not isinstance(hint, types.GenericAlias) and issubclass(hint, base)


def check(spec: BlockSpec, examples: ManyOf[Example]) -> None:
    """Raise `BlockRefused` for the first rule this block breaks."""
    for reason in (
        _bad_id(spec),
        _missing_text(spec),
        *(_bad_pin(pin) for schema in (spec.inputs, spec.outputs) for pin in pins_of(schema)),
        *(_bad_input(pin, as_object(schema), spec.inputs) for pin, schema in pins_of(spec.inputs).items()),
        _bad_error(spec),
        _bad_kind(spec),
        _bad_cost(spec),
        _bad_happy_pins(spec),
        _bad_examples(spec, examples),
    ):
        if reason:
            raise BlockRefused(spec.name or spec.id, reason)


def pins_of(schema: JsonObject) -> JsonObject:
    """Pin name to schema."""
    return as_object(schema.get("properties"))


def _bad_id(spec: BlockSpec) -> str | None:
    if not is_id(spec.id):
        return f"its id {spec.id!r} is not a lowercase UUID"
    return "its id is reserved and always refused" if spec.id == RESERVED_ID else None


def _missing_text(spec: BlockSpec) -> str | None:
    if not spec.name.strip():
        return "has no name"
    if not spec.description:
        return "has no description: write a docstring"
    return None if spec.categories else "has no category"


def _bad_pin(pin: str) -> str | None:
    if _PATH_MARKS.search(pin):
        return f"pin {pin!r} holds a path mark (_#_ _$_ _@_ _^_ _~_)"
    return None


def _bad_input(pin: str, schema: JsonObject, root: JsonObject) -> str | None:
    resolved = resolve(schema, root)
    is_secret = "credentials_provider" in resolved
    if is_secret != is_credentials(pin):
        return f"pin {pin!r}: credentials fields, and only they, are named credentials or *_credentials"
    if types_of(resolved) == ["boolean"] and "default" not in schema:
        return f"pin {pin!r} is a bool without default"
    return None


def _bad_error(spec: BlockSpec) -> str | None:
    members = members_of(as_object(pins_of(spec.outputs).get("error")))
    allowed = {"string", "null"}
    if {name for member in members for name in types_of(member)} != allowed:
        return "its `error` pin is not text"
    return None


def _bad_kind(spec: BlockSpec) -> str | None:
    inputs = pins_of(spec.inputs)
    if spec.kind is Kind.TRIGGER and not as_object(inputs.get("payload")).get("hidden"):
        return "is a trigger without a hidden `payload` input"
    if (spec.kind is Kind.TRIGGER) != (spec.webhook is not None):
        return "says how events reach it when, and only when, it is a trigger"
    if spec.webhook and spec.webhook["automatic"] and sum(map(is_credentials, inputs)) != 1:
        return "needs exactly one credentials field to register its webhook"
    if spec.cpu_heavy and (spec.effects is not Effects.NONE or spec.kind is not Kind.STANDARD):
        return "is heavy and does more than compute: a helper process reaches nothing"
    filter_field = str(spec.webhook["event_filter_field"]) if spec.webhook else ""
    return f"filters events by {filter_field!r}, which is no input" if filter_field not in ("", *inputs) else None


def _bad_cost(spec: BlockSpec) -> str | None:
    for cost in spec.cost:
        amount, divisor = cost["amount"], cost["divisor"]
        if not isinstance(amount, int) or amount < 0 or not isinstance(divisor, int) or divisor < 1:
            return "a cost is a whole number of credits for a divisor of 1 or more"
        unknown: list[Json] = [pin for pin in as_object(cost["filter"]) if pin not in pins_of(spec.inputs)]
        if unknown:
            return f"a cost depends on unknown inputs: {_words(unknown)}"
    return None


def _bad_happy_pins(spec: BlockSpec) -> str | None:
    unknown = [pin for pin in spec.happy_pins if pin not in pins_of(spec.outputs)]
    return f"happy_pins names unknown pins: {', '.join(unknown)}" if unknown else None


def _bad_examples(spec: BlockSpec, examples: ManyOf[Example]) -> str | None:
    if not examples:
        return "has no example"
    if examples[0].fails or any(callable(value) for _, value in examples[0].fires):
        return "its first example must end well and hold plain values: dry runs use it"
    required = [name for name in as_list(spec.inputs.get("required")) if name not in examples[0].ask]
    if required:
        return f"its first example lacks {_words(required)}"
    if spec.outputs.get("additionalProperties"):
        return None  # its pins are known only to the agent that it is part of
    outputs = pins_of(spec.outputs)
    unknown: list[Json] = [pin for example in examples for pin, _ in example.fires if pin not in outputs]
    return f"an example fires unknown pins: {_words(unknown)}" if unknown else None


def _words(names: list[Json]) -> str:
    return ", ".join(str(name) for name in names)
