"""The blocks of one run: those that ask for something in its name, and those that a person must let act."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.runner import Fired
from pilothouse.engine.context import StepContext
from pilothouse.engine.plan import open_inputs
from pilothouse.engine.ports import Blocks, Runnable
from pilothouse.engine.replay import Script
from pilothouse.features.runs.admitting import modes_of
from pilothouse.features.runs.desk import Desk
from pilothouse.features.runs.rehearsing import rehearsal_of, rehearsed
from pilothouse.features.runs.stage import StagedBlock
from pilothouse.features.runs.values import step_failed
from pilothouse.graph.catalogue import BlockSpec, Effects, Kind
from pilothouse.kit.json import JsonObject

_AT_DESK = frozenset({Kind.AGENT, Kind.AI, Kind.REVIEW})


class RunBlocks:
    """The engine's `Blocks` for one run: most are everybody's, some ask for something in this run's name."""

    __slots__ = ("_desk", "_rehearsal", "_script", "_stage")

    def __init__(self, stage: Blocks, desk: Desk) -> None:
        self._stage = stage
        self._desk = desk
        self._rehearsal = rehearsal_of(desk.run.facts)
        self._script = Script.of(desk.run)

    def get(self, block_id: str) -> Runnable:
        found = self._stage.get(block_id)
        if isinstance(found, StagedBlock):
            spec = found.spec
            if self._rehearsal is not None:
                return rehearsed(found, self._desk, self._rehearsal, self._script)
            if spec.kind in _AT_DESK:
                return replace(found, desk=self._desk)
            if spec.sensitive and modes_of(self._desk.run.facts).sensitive:
                return GatedBlock(found, self._desk)
        return found


@dataclass(frozen=True, slots=True)
class GatedBlock:
    """A sensitive block: a person is asked before it acts, also after a crash; what was approved is what it gets.

    One that writes but is told only to look asks nobody.
    """

    staged: StagedBlock
    desk: Desk

    @property
    def spec(self) -> BlockSpec:
        return self.staged.spec

    @property
    def is_generator(self) -> bool:
        return self.staged.is_generator

    def effects_of(self, inputs: JsonObject) -> Effects:
        return self.staged.effects_of(inputs)

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fired:
        return await self.staged.call(await self._allowed(inputs, ctx), ctx)

    async def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncGenerator[Fired]:
        async for fired in self.staged.stream(await self._allowed(inputs, ctx), ctx):
            yield fired

    async def _allowed(self, inputs: JsonObject, ctx: StepContext) -> JsonObject:
        """What is secret is not shown to whoever decides, and cannot be changed by them."""
        if self.spec.effects is Effects.WRITES and self.effects_of(inputs) is not Effects.WRITES:
            return inputs
        shown = open_inputs(ctx.step.node, inputs)
        try:
            allowed = await self.desk.leave_to_act(ctx, self.spec.name, shown)
        except BlockFailed as failure:
            raise step_failed(failure) from failure
        return {**allowed, **{pin: value for pin, value in inputs.items() if pin not in shown}}
