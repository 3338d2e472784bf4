"""What the engine adds to a block: one pure step, less the bare call of its function."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

from bench.agents import STORE, chain
from bench.engine_bench import Buffer, micros
from bench.report import Report, middle
from pilothouse.base.reader import SqliteReader
from pilothouse.blocks.contract import Block, BlockContext, BlockInput, BlockOutput
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.rehearsal import PreparedHttp, Rehearsal
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import accepted
from pilothouse.engine.plan import Plan, compile_plan
from pilothouse.engine.ports import Ended
from pilothouse.engine.run import Run
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.stage import Stage
from pilothouse.graph.parse import parse
from pilothouse.kit.ids import new_id
from tests.engine.toys import Lease

STEPS, ROUNDS = 100, 200


async def b10(report: Report, folder: Path) -> None:
    """One pure step of a real block, its entries made and encoded, less the block alone."""
    registry = Registry()
    stage = Stage(registry, PreparedHttp(), RunMemories(SqliteReader(folder / "nothing.db")))
    plan = compile_plan(parse(chain(STEPS)), registry)
    stage.get(STORE)
    whole = middle([await _run(plan, stage) for _ in range(ROUNDS)])
    bare = middle([await _calls(registry.load(STORE)) for _ in range(ROUNDS)])
    report.at_most("b10_step", (whole - bare) / STEPS, "ms/step", 0.1, 0.05)


async def _run(plan: Plan, stage: Stage) -> float:
    start = time.perf_counter()
    run = Run(plan).fold([accepted(micros(), {"x": "hi"})])
    outcome = await drive(run, new_id(), stage, Buffer(), Lease(), clock=micros, cancelled=asyncio.Event())
    took = time.perf_counter() - start
    if not isinstance(outcome, Ended) or outcome.status != "completed":
        raise RuntimeError(str(outcome))
    return took * 1000


async def _calls(block: Block) -> float:
    ctx, ask = Rehearsal(), block.ask.model_validate({"input": "hi"})
    function = cast(Callable[[BlockInput, BlockContext], Awaitable[BlockOutput]], block.function)
    start = time.perf_counter()
    for _ in range(STEPS):
        await function(ask, ctx)
    return (time.perf_counter() - start) * 1000
