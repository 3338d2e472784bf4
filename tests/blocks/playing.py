"""Runs a block by its name on a stage without network."""

from typing import Any

from pilothouse.blocks.registry import Registry
from pilothouse.blocks.rehearsal import Rehearsal
from pilothouse.kit.json import Json

REGISTRY = Registry(test_blocks=True)
BY_NAME = {spec.name: block_id for block_id, spec in REGISTRY.items()}


async def run(name: str, stage: Rehearsal | None = None, **inputs: Any) -> list[tuple[str, Json]]:
    return await REGISTRY.runnable(BY_NAME[name]).call(inputs, stage or Rehearsal())


async def error_of(name: str, stage: Rehearsal | None = None, **inputs: Any) -> str:
    """What it says when it does nothing but fail."""
    ((pin, message),) = await run(name, stage, **inputs)
    assert pin == "error"
    return str(message)
