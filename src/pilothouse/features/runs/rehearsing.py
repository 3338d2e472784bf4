"""Dry runs: blocks that compute run truly, on a fixed clock; what reaches outside only says what it would give."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from random import Random
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias, cast

from pilothouse.blocks.context import Http
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.runner import Fired
from pilothouse.blocks.stubs import check_inputs, stub
from pilothouse.engine.context import StepContext
from pilothouse.engine.entries import REHEARSAL
from pilothouse.engine.ports import Runnable, StepFailed
from pilothouse.engine.replay import LEARNS, Script
from pilothouse.engine.run import Run
from pilothouse.features.runs.desk import Desk
from pilothouse.features.runs.files import StepFiles
from pilothouse.features.runs.memory import StepMemory
from pilothouse.features.runs.simulating import SimulatedBlock, reaches_outside
from pilothouse.features.runs.stage import StageContext, StagedBlock
from pilothouse.features.runs.throw_away import ThrowAwayFiles, ThrowAwayMemory
from pilothouse.features.runs.values import checked, step_failed
from pilothouse.graph.catalogue import BlockSpec, Effects, Kind
from pilothouse.kit.clock import from_micros
from pilothouse.kit.json import Json, JsonObject

Mode: TypeAlias = Literal["stub", "recorded", "simulate", "replay"]
AS_OF: Final = 1_767_268_800_000_000  # 2026-01-01 12:00 UTC: every dry run's moment, unless it names another
MISSING: Final = StepFailed("record_missing", "There is no record of this step with these inputs.")
_RUN_ID: Final = "00000000-0000-7000-8000-000000000001"


class Rehearsal(NamedTuple):
    """How a run is to be rehearsed; it is kept with the run, so that equal runs are equal whenever they run."""

    mode: Mode = "stub"
    as_of: int = AS_OF
    seed: int = 0

    def as_json(self) -> JsonObject:
        return {"mode": self.mode, "as_of": self.as_of, "seed": self.seed}


STUBBED: Final = Rehearsal()


def rehearsal_of(facts: JsonObject) -> Rehearsal | None:
    """From what a run was accepted with; None: it is a real one."""
    told = facts.get(REHEARSAL)
    return Rehearsal(**cast(dict[str, Any], told)) if isinstance(told, dict) else None


class NoHttp:
    """Refuses everything: nothing leaves a dry run, whatever a block declares."""

    async def request(self, method: str, url: str, **more: object) -> NoReturn:
        raise BlockFailed("dry_run", "Nothing can be reached in a dry run.")


class RehearsalContext(StageContext):
    """The same for equal steps, on any machine and day."""

    __slots__ = ("_chance", "_rehearsal", "_thrown")

    def __init__(self, step: StepContext, block: "RehearsedBlock") -> None:
        super().__init__(step, cast(Http, NoHttp()), block.memories, block.desk, files=block.files)
        self._thrown: ThrowAwayFiles | None = None
        self._rehearsal = block.rehearsal
        self._chance = Random(f"{block.rehearsal.seed}/{step.step_id}")

    @property
    def run_id(self) -> str:
        return _RUN_ID

    @property
    def random(self) -> Random:
        return self._chance

    @property
    def memory(self) -> StepMemory:
        return cast(StepMemory, ThrowAwayMemory(super().memory))

    @property
    def files(self) -> StepFiles:
        if self._thrown is None:
            self._thrown = ThrowAwayFiles(super().files, super().memory, self._step.step_id)
        return cast(StepFiles, self._thrown)

    def now(self) -> datetime:
        return from_micros(self._rehearsal.as_of)

    async def timezone(self) -> str:
        return "UTC"

    def idempotency_key(self, label: str = "") -> str:
        return sha256(f"{_RUN_ID}/{self._step.step_id}/{label}".encode()).hexdigest()

    def spend(self, provider: str, microdollars: int, tokens: Mapping[str, int] | None = None) -> None:
        """A rehearsal costs nothing."""

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        return until

    async def wait_fact(self, name: str) -> Json:
        return name


class Unrepeatable(BaseException):
    """A block asks for what was otherwise then. No `Exception`, so that its own handlers let it through."""


class ReplayContext(RehearsalContext):
    """Nothing but the inputs: whoever asks for more is given its record instead."""

    @property
    def random(self) -> Random:
        raise Unrepeatable

    @property
    def memory(self) -> StepMemory:
        raise Unrepeatable

    @property
    def files(self) -> StepFiles:
        raise Unrepeatable

    def now(self) -> datetime:
        raise Unrepeatable

    async def timezone(self) -> str:
        raise Unrepeatable

    def idempotency_key(self, label: str = "") -> str:
        raise Unrepeatable

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        raise Unrepeatable

    async def wait_fact(self, name: str) -> Json:
        raise Unrepeatable


@dataclass(frozen=True, slots=True)
class RehearsedBlock(StagedBlock):
    """A block that only computes: called truly, in a world that stands still."""

    rehearsal: Rehearsal = STUBBED

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        if not self.spec.cpu_heavy:
            return await StagedBlock.call(self, inputs, ctx)
        try:  # beside the loop, in this process: a dry run starts no other
            return checked(await asyncio.to_thread(asyncio.run, self.block.call(inputs, self._context(ctx))))
        except BlockFailed as failure:
            raise step_failed(failure) from failure

    def _context(self, ctx: StepContext, opened: Mapping[str, Any] | None = None) -> StageContext:
        return RehearsalContext(ctx, self)


@dataclass(frozen=True, slots=True)
class StubbedBlock:
    """A block that reaches outside: its inputs are judged, and what it gives is made up."""

    staged: StagedBlock
    missing: bool = False  # only records count, and there is none
    is_generator: bool = False

    @property
    def spec(self) -> BlockSpec:
        return self.staged.spec

    def effects_of(self, inputs: JsonObject) -> Effects:
        return Effects.NONE

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        if self.missing:
            raise MISSING
        try:
            check_inputs(self.spec, inputs)
        except BlockFailed as failure:
            raise step_failed(failure) from failure
        return checked(stub(self.spec))

    async def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        yield await self.call(inputs, ctx)


@dataclass(frozen=True, slots=True)
class ReplayedBlock(RehearsedBlock):
    """Computes once more; what cannot be had again, such as a moment or chance, its record says."""

    run: Run | None = None
    script: Script | None = None

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        try:
            return await RehearsedBlock.call(self, inputs, ctx)
        except Unrepeatable:
            return self._recorded(ctx)

    async def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        given = 0
        try:
            async for fired in RehearsedBlock.stream(self, inputs, ctx):
                given += len(fired)
                yield fired
        except Unrepeatable:
            yield self._recorded(ctx)[given:]

    def _recorded(self, ctx: StepContext) -> Fired:
        record = self.script and self.run and self.script.record_of(self.run, ctx.step)
        if not record:
            raise MISSING
        if record.failure is not None:
            raise StepFailed(record.failure["code"], record.failure["message"], record.failure["detail"])
        return record.fires

    def _context(self, ctx: StepContext, opened: Mapping[str, Any] | None = None) -> StageContext:
        return ReplayContext(ctx, self)


def rehearsed(staged: StagedBlock, desk: Desk, rehearsal: Rehearsal, script: Script | None) -> Runnable:
    """A block as a dry run calls it. What only computes, asks a person or runs other agents is called truly."""
    spec = staged.spec
    if rehearsal.mode == "replay":
        if spec.effects is not Effects.NONE or spec.kind in LEARNS:
            return StubbedBlock(staged, missing=True)
        parts = (staged.block, staged.http, staged.memories)
        return ReplayedBlock(*parts, rehearsal=rehearsal, run=desk.run, script=script)
    if reaches_outside(spec):
        if rehearsal.mode == "simulate":
            return SimulatedBlock(spec, desk.counter.model, desk.hold.job.user_id)
        return StubbedBlock(staged)
    at_desk = desk if spec.kind in (Kind.AGENT, Kind.REVIEW) else None
    parts = (staged.block, staged.http, staged.memories, at_desk)
    return RehearsedBlock(*parts, files=staged.files, rehearsal=rehearsal)
