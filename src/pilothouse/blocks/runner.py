"""Runs one block: fits its inputs, calls it, reads its pins, and turns what goes wrong into `BlockFailed`."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from traceback import extract_tb
from typing import TypeAlias, cast

import structlog
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from pilothouse.blocks.context import BlockContext
from pilothouse.blocks.contract import Block
from pilothouse.blocks.pins import BlockFailed, BlockInput, BlockOutput
from pilothouse.graph.catalogue import BlockSpec, Effects
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.graph.values import NotConvertible, accepts_null, coerce
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.json import Json, JsonObject

Fired: TypeAlias = list[tuple[str, Json]]

_log = structlog.stdlib.get_logger(__name__)
_PLAIN = frozenset({str, int, float, bool, type(None)})


class Runnable:
    """A block ready to run. Stateless between calls, so one serves every step of every run."""

    __slots__ = ("_awaits", "_block", "_is_open", "_pins", "_streams", "_validate", "is_generator", "spec")

    def __init__(self, block: Block) -> None:
        self.spec: BlockSpec = block.spec
        self.is_generator = block.is_generator
        self._block = block
        self._awaits = cast(Callable[[BlockInput, BlockContext], Awaitable[BlockOutput]], block.function)
        self._streams = cast(Callable[[BlockInput, BlockContext], AsyncGenerator[BlockOutput, None]], block.function)
        self._validate = block.ask.__pydantic_validator__.validate_python
        names = [(name, info.alias or name) for name, info in block.out.model_fields.items()]
        self._pins = tuple(pair for pair in names if pair[0] != "error")
        self._is_open = block.out.model_config.get("extra") == "allow"

    def effects_of(self, inputs: dict[str, Json]) -> Effects:
        """What this very step would do outside; the declared effects when the inputs are not valid."""
        narrow = self._block.effects_of
        if narrow is None:
            return self.spec.effects
        try:
            return narrow(self._ask(inputs))
        except BlockFailed:
            return self.spec.effects

    async def call(self, inputs: dict[str, Json], ctx: BlockContext) -> Fired:
        """Run to the end and give every pin that fired, in order; `error`, if set, comes last.

        Raises `BlockFailed`, and nothing else of class Exception.
        """
        if self.is_generator:
            return [fired async for part in self.stream(inputs, ctx) for fired in part]
        ask = self._ask(inputs)
        try:
            return self._fired(await self._awaits(ask, ctx))
        except Exception as cause:
            raise self._failure(cause, ctx) from cause

    async def stream(self, inputs: dict[str, Json], ctx: BlockContext) -> AsyncIterator[Fired]:
        """Give the pins of each output as soon as the block yields it; what was given stands when it fails later."""
        if not self.is_generator:
            yield await self.call(inputs, ctx)
            return
        async with aclosing(self._streams(self._ask(inputs), ctx)) as outputs:
            while True:
                try:
                    fired = self._fired(await anext(outputs))
                except StopAsyncIteration:
                    return
                except Exception as cause:
                    raise self._failure(cause, ctx) from cause
                yield fired
                if fired and fired[-1][0] == "error":
                    return

    def _ask(self, inputs: dict[str, Json]) -> BlockInput:
        try:
            return cast(BlockInput, self._validate(inputs, strict=True))
        except ValidationError:
            return self._fit(inputs)

    def _fit(self, inputs: dict[str, Json]) -> BlockInput:
        """The slow way: convert what does not fit its pin, or say which fields are wrong."""
        fitted, wrong = fit_inputs(inputs, self.spec.inputs)
        if not wrong:
            try:
                return cast(BlockInput, self._validate(fitted, strict=False))
            except ValidationError as cause:
                wrong = field_messages(cause)
        message = "; ".join(f"{pin}: {text}" for pin, text in wrong.items())
        raise BlockFailed("invalid_input", message, {"fields": dict[str, Json](wrong)})

    def _fired(self, output: BlockOutput) -> Fired:
        values, told = output.__dict__, output.__pydantic_fields_set__
        fired = [
            (pin, value if type(value := values[name]) in _PLAIN else _as_json(pin, value))
            for name, pin in self._pins
            if name in told
        ]
        if self._is_open:
            fired += [(pin, _as_json(pin, value)) for pin, value in (output.__pydantic_extra__ or {}).items()]
        if output.error is not None:
            fired.append(("error", output.error))
        return fired

    def _failure(self, cause: Exception, ctx: BlockContext) -> BlockFailed:
        if isinstance(cause, BlockFailed):
            return cause
        if isinstance(cause, PilothouseError):
            wait = cause.facts.get("retry_after")
            seconds = float(wait) if isinstance(wait, int | float) else None
            return BlockFailed(
                cause.code, cause.message, dict(cause.facts), retryable=cause.retryable, retry_after=seconds
            )
        if isinstance(cause, TimeoutError):
            return BlockFailed("timeout", "the block took too long", retryable=True)
        told = {"block": self.spec.name, "run_id": ctx.run_id, "step_id": ctx.step_id}
        if ctx.credentials:  # what it says may repeat a secret
            _log.error("block.crashed", **told, error=type(cause).__name__, at=_place_of(cause))
        else:
            _log.error("block.crashed", **told, exc_info=cause)
        return BlockFailed("internal", "internal error")


def _place_of(cause: Exception) -> list[str]:
    """Where it was raised, innermost last."""
    return [f"{frame.name}:{frame.lineno}" for frame in extract_tb(cause.__traceback__)[-5:]]


def fit_inputs(inputs: dict[str, Json], schema: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """Inputs converted to their pins, and a message for each pin that cannot be had.

    A null where the type has none means "not given", so that default or `required` applies.
    """
    fitted: JsonObject = {}
    wrong: dict[str, str] = {}
    known = as_object(schema.get("properties"))
    for pin, value in inputs.items():
        kind = as_object(known.get(pin))
        if value is None and not accepts_null(kind, schema):
            continue
        try:
            fitted[pin] = coerce(value, kind, schema)
        except NotConvertible as cause:
            wrong[pin] = str(cause)
    missing = [str(name) for name in as_list(schema.get("required")) if name not in fitted and name not in wrong]
    return fitted, wrong | {name: "is required" for name in missing}


def field_messages(cause: ValidationError) -> dict[str, str]:
    """What pydantic found, by top-level field; never the value itself."""
    found: dict[str, str] = {}
    for error in cause.errors(include_url=False, include_context=False, include_input=False):
        place = [str(part) for part in error["loc"]]
        text = error["msg"].removeprefix("Value error, ")
        found.setdefault(place[0] if place else "input", ": ".join([".".join(place[1:]), text]) if place[1:] else text)
    return found


def _as_json(pin: str, value: object) -> Json:
    """Containers are trusted to hold JSON (their types say so); any other object is written as JSON or refused."""
    if isinstance(value, list | dict):
        return cast(Json, value)
    try:
        return cast(Json, to_jsonable_python(value))
    except PydanticSerializationError as cause:
        raise BlockFailed("bad_output", f"{pin}: {type(value).__name__} is not JSON") from cause
