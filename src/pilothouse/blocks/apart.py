"""Runs heavy blocks in a process of its own: `python -m pilothouse.blocks.apart`.

It reads one ask a line from standard input and answers each with a line on standard output, until the input ends.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import BinaryIO, NoReturn, TypedDict, cast

from pilothouse.blocks.context import BlockContext
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.registry import Registry
from pilothouse.kit.clock import from_micros
from pilothouse.kit.errors import UserError
from pilothouse.kit.json import Json, JsonObject, dump_bytes, loads


class Context(TypedDict):
    """Which step asks, and when."""

    run_id: str
    node_id: str
    step_id: str
    attempt: int
    is_last_attempt: bool
    moment: int  # microseconds since 1970


class Ask(TypedDict):
    """One line of the input."""

    block: str
    inputs: JsonObject
    context: Context


class Failed(TypedDict):
    """How a step ended in failure."""

    code: str
    message: str
    detail: JsonObject
    retryable: bool


class Answer(TypedDict, total=False):
    """One line of the output: one of these."""

    fired: list[tuple[str, Json]]
    failed: Failed


NICENESS = 5  # whoever serves people goes first


@dataclass(slots=True)
class Apart:
    """What a heavy block may use: it computes, and reaches nothing."""

    run_id: str
    node_id: str
    step_id: str
    attempt: int
    is_last_attempt: bool
    moment: int
    timezone: str = "UTC"

    @property
    def random(self) -> Random:
        return Random()

    @property
    def log(self) -> "Apart":
        return self

    def now(self) -> datetime:
        return from_micros(self.moment)

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Not shown."""

    def spend(self, provider: str, microdollars: int, tokens: Mapping[str, int] | None = None) -> None:
        """Nothing can be bought from here."""

    def info(self, message: str, **facts: Json) -> None:
        """Not kept."""

    def warning(self, message: str, **facts: Json) -> None:
        """Not kept."""

    def __getattr__(self, name: str) -> NoReturn:
        raise BlockFailed("not_here", f"A heavy block only computes; it cannot use `{name}`.")


async def answer(registry: Registry, ask: Ask) -> Answer:
    """What the block fired, or how it failed."""
    context = cast(BlockContext, Apart(**ask["context"]))
    try:
        return {"fired": await registry.runnable(ask["block"]).call(ask["inputs"], context)}
    except BlockFailed as failed:
        return failure(failed.code, failed.message, failed.detail, failed.retryable)
    except UserError as refused:  # disabled, or it cannot be loaded here
        return failure("disabled_block", refused.message, {}, False)


def failure(code: str, message: str, detail: JsonObject, retryable: bool) -> Answer:
    return {"failed": {"code": code, "message": message, "detail": detail, "retryable": retryable}}


def serve(asks: BinaryIO, answers: BinaryIO, registry: Registry) -> None:
    with asyncio.Runner() as runner:
        for line in asks:
            said = runner.run(answer(registry, cast(Ask, loads(line))))
            try:
                text = dump_bytes(said)
            except TypeError:
                text = dump_bytes(failure("not_json", "What the block gave cannot be written as JSON.", {}, False))
            answers.write(text + b"\n")
            answers.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="Run heavy blocks for a server.")
    parser.add_argument("--test-blocks", action="store_true", help="know the blocks for tests")
    parser.add_argument("--plugin", action="append", default=[], help="a package that may bring blocks")
    told = parser.parse_args()
    os.nice(NICENESS)
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no answer
    serve(sys.stdin.buffer, answers, Registry(test_blocks=told.test_blocks, plugins=told.plugin))


if __name__ == "__main__":
    main()
