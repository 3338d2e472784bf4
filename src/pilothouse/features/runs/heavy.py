"""Helper processes, for blocks that compute so long that the event loop would stand still."""

import asyncio
import os
import sys
from collections.abc import Iterable
from typing import cast

import structlog

from pilothouse.blocks.apart import Answer, Context
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.runner import Fired
from pilothouse.engine.context import StepContext
from pilothouse.kit.json import JsonObject, dump_bytes, loads

log = structlog.get_logger()

MAX_ANSWER_BYTES = 64 * 1024 * 1024
_MODULE = "pilothouse.blocks.apart"


class Helpers:
    """As many processes as cores, started when first needed. A call that is given up takes its process with it."""

    def __init__(self, *, test_blocks: bool = False, plugins: Iterable[str] = (), most: int | None = None) -> None:
        self._arguments = ["--test-blocks"] if test_blocks else []
        self._arguments += [f"--plugin={name}" for name in plugins]
        self._places = asyncio.Semaphore(most or os.cpu_count() or 1)
        self._idle: list[asyncio.subprocess.Process] = []
        self._all: set[asyncio.subprocess.Process] = set()

    async def call(self, block_id: str, inputs: JsonObject, ctx: StepContext) -> Fired:
        """What the block fires for these inputs. Raises `BlockFailed`."""
        context: Context = {
            "run_id": ctx.run_id,
            "node_id": ctx.node_id,
            "step_id": str(ctx.step_id),
            "attempt": ctx.attempt,
            "is_last_attempt": ctx.is_last_attempt,
            "moment": ctx.now(),
        }
        ask = dump_bytes({"block": block_id, "inputs": inputs, "context": context}) + b"\n"
        async with self._places:
            helper = self._idle.pop() if self._idle else await self._start()
            line = b""
            try:
                line = await _ask(helper, ask)
            finally:
                if not line:  # it died, or nobody waits for it any more
                    await self._end(helper)
            if not line:
                log.warning("helper.died", run_id=ctx.run_id, step_id=ctx.step_id, code=helper.returncode)
                raise BlockFailed("crashed", "The process that ran this block died.", retryable=True)
            self._idle.append(helper)
        return _read(cast(Answer, loads(line)))

    async def close(self) -> None:
        """End all processes."""
        self._idle.clear()
        for helper in list(self._all):
            await self._end(helper)

    async def _start(self) -> asyncio.subprocess.Process:
        """With our modules, and nothing else of ours: no setting, no secret."""
        helper = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", _MODULE, *self._arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_ANSWER_BYTES,
            env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "LC_ALL": "C.UTF-8"},
        )
        self._all.add(helper)
        return helper

    async def _end(self, helper: asyncio.subprocess.Process) -> None:
        self._all.discard(helper)
        if helper.returncode is None:
            try:
                helper.kill()
            except ProcessLookupError:  # it went by itself
                log.info("helper.gone", pid=helper.pid)
        await helper.wait()


async def _ask(helper: asyncio.subprocess.Process, ask: bytes) -> bytes:
    """The line that answers; nothing when the process died."""
    assert helper.stdin is not None
    assert helper.stdout is not None
    try:
        helper.stdin.write(ask)
        await helper.stdin.drain()
    except ConnectionError:
        return b""
    return await helper.stdout.readline()


def _read(said: Answer) -> Fired:
    failed = said.get("failed")
    if failed is not None:
        raise BlockFailed(failed["code"], failed["message"], failed["detail"], retryable=failed["retryable"])
    return [(pin, value) for pin, value in said.get("fired", [])]
