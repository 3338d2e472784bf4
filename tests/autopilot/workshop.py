"""Tools for tests, and what was done with them."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from pilothouse.base.tools import ToolBox, ToolContext, ToolResult


class Done(ToolResult):
    type: Literal["done"] = "done"
    n: int = 0


class Recited(ToolResult):
    type: Literal["recited"] = "recited"
    text: str


async def recite(ctx: ToolContext, length: int) -> ToolResult:
    """Say something long."""
    return Recited(message="Recited.", text="y" * length)


@dataclass(slots=True)
class Workshop:
    """One per test."""

    tools: ToolBox = field(default_factory=ToolBox)
    done: list[int] = field(default_factory=list[int])
    left: list[int] = field(default_factory=list[int])  # dawdlers that are gone, whatever ended them
    keys: list[str] = field(default_factory=list[str])
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        async def count_up(ctx: ToolContext, n: int) -> ToolResult:
            """Count."""
            return self._did(ctx, n)

        async def risk(ctx: ToolContext, n: int) -> ToolResult:
            """Do something that must not be done twice."""
            self._did(ctx, n)
            await self.gate.wait()
            return Done(message="Risked.", n=n)

        async def rest(ctx: ToolContext, n: int) -> ToolResult:
            """Wait until somebody opens the gate."""
            self._did(ctx, n)
            await self.gate.wait()
            return Done(message="Rested.", n=n)

        async def stumble(ctx: ToolContext, n: int = 0) -> ToolResult:
            """Fail."""
            self._did(ctx, n)
            raise RuntimeError("secret")

        async def dawdle(ctx: ToolContext, n: int) -> ToolResult:
            """Take longer than the budget: until somebody opens the gate. With n=13, fail then."""
            self._did(ctx, n)
            try:
                await self.gate.wait()
            finally:
                self.left.append(n)
            if n == 13:
                raise RuntimeError("secret")
            return Done(message="At last.", n=n)

        self.tools.tool(label="Reciting")(recite)
        self.tools.tool(label="Dawdling", timeout_seconds=0.02)(dawdle)
        for function in (count_up, rest, stumble):
            self.tools.tool(label="Working")(function)
        self.tools.tool(label="Risking", repeat_safe=False)(risk)

    def _did(self, ctx: ToolContext, n: int) -> ToolResult:
        self.done.append(n)
        self.keys.append(ctx.idempotency_key)
        return Done(message="Counted.", n=n)
