"""Blocks that cannot be had any more."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from pilothouse.blocks.runner import Fired
from pilothouse.engine.context import StepContext
from pilothouse.engine.ports import StepFailed
from pilothouse.graph.catalogue import BlockSpec, Effects
from pilothouse.kit.json import JsonObject


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
