"""Puts the catalogue's blocks on the engine's stage: the two know nothing of each other."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

import structlog

from pilothouse.base import failpoints
from pilothouse.blocks.context import Http
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.runner import Fired
from pilothouse.blocks.runner import Runnable as BlockRunnable
from pilothouse.engine.context import StepContext
from pilothouse.engine.ports import Runnable, StepFailed
from pilothouse.features.runs.helpers import Helpers
from pilothouse.features.runs.values import checked, is_writable
from pilothouse.graph.catalogue import BlockSpec, Effects
from pilothouse.kit.clock import from_micros, to_micros
from pilothouse.kit.errors import UserError
from pilothouse.kit.json import Json, JsonObject

MAX_MESSAGE = 10_000

_log = structlog.get_logger()


class StageLog:
    """What a block says, with the step that said it. Message text stays out of the process log."""

    def __init__(self, run_id: str, step_id: int) -> None:
        self._bound = _log.bind(run_id=run_id, step_id=step_id)

    def info(self, message: str, **facts: Json) -> None:
        self._bound.debug("block.said", length=len(message), facts=sorted(facts))

    def warning(self, message: str, **facts: Json) -> None:
        self._bound.debug("block.warned", length=len(message), facts=sorted(facts))


class StageContext:
    """The engine's step context, in the words of the block contract."""

    __slots__ = ("_http", "_step")

    def __init__(self, step: StepContext, http: Http) -> None:
        self._step = step
        self._http = http

    @property
    def run_id(self) -> str:
        return self._step.run_id

    @property
    def node_id(self) -> str:
        return self._step.node_id

    @property
    def step_id(self) -> str:
        return str(self._step.step_id)

    @property
    def attempt(self) -> int:
        return self._step.attempt

    @property
    def timezone(self) -> str:
        return "UTC"

    @property
    def random(self) -> Random:
        return Random()

    @property
    def http(self) -> Http:
        return self._http

    @property
    def log(self) -> StageLog:
        return StageLog(self._step.run_id, self._step.step_id)

    def now(self) -> datetime:
        return from_micros(self._step.now())

    def idempotency_key(self, label: str = "") -> str:
        return self._step.idempotency_key(label)

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Not shown yet."""

    @property
    def kept(self) -> Json:
        return self._step.kept

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        due = await self._step.wait("timer", due=to_micros(until), keep=keep)
        return from_micros(due) if isinstance(due, int) else until

    async def wait_fact(self, name: str) -> Json:
        """Wait for somebody to send a fact of this name to the run."""
        return await self._step.wait("fact", ref=name)


@dataclass(frozen=True, slots=True)
class StagedBlock:
    """A block as the engine calls it."""

    block: BlockRunnable
    http: Http
    helpers: Helpers | None = None  # where it runs, if it is a heavy one

    @property
    def spec(self) -> BlockSpec:
        return self.block.spec

    @property
    def is_generator(self) -> bool:
        return self.block.is_generator and self.helpers is None

    def effects_of(self, inputs: JsonObject) -> Effects:
        return self.block.effects_of(inputs)

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        try:
            if self.helpers is not None:
                return checked(await self.helpers.call(self.spec.id, inputs, ctx))
            fired = checked(await self.block.call(inputs, StageContext(ctx, self.http)))
        except BlockFailed as failure:
            raise _step_failed(failure) from failure
        if self.block.spec.effects is Effects.WRITES:
            failpoints.hit("effect_done_not_journaled")
        return fired

    async def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        try:
            async for fired in self.block.stream(inputs, StageContext(ctx, self.http)):
                yield checked(fired)
        except BlockFailed as failure:
            raise _step_failed(failure) from failure


@dataclass(frozen=True, slots=True)
class AbsentBlock:
    """A block that cannot be had any more; its spec says so, and the engine ends the run for it."""

    spec: BlockSpec
    is_generator: bool = False

    def effects_of(self, inputs: JsonObject) -> Effects:
        return Effects.NONE

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        raise StepFailed("disabled_block", f"{self.spec.name} is switched off.")

    async def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        yield await self.call(inputs, ctx)


class Stage:
    """The engine's `Blocks`: staged once, used by every run. Without helpers, heavy blocks run like others."""

    def __init__(self, registry: Registry, http: Http, helpers: Helpers | None = None) -> None:
        self._registry = registry
        self._http = http
        self._helpers = helpers
        self._staged: dict[str, StagedBlock] = {}

    def get(self, block_id: str) -> Runnable:
        found = self._staged.get(block_id)
        if found is None:
            try:
                block = self._registry.runnable(block_id)
                helpers = self._helpers if block.spec.cpu_heavy else None
                found = self._staged[block_id] = StagedBlock(block, self._http, helpers)
            except UserError:  # disabled since the run was admitted, or found out just now
                return AbsentBlock(replace(self._registry[block_id], disabled=True))
        return found


def _step_failed(failure: BlockFailed) -> StepFailed:
    """What is said of the failure goes into the log, so it must be short enough and possible to write."""
    message = failure.message[:MAX_MESSAGE].encode(errors="replace").decode()
    return StepFailed(
        failure.code,
        message,
        failure.detail if is_writable(failure.detail) else None,
        retryable=failure.retryable,
        retry_after=failure.retry_after,
    )
