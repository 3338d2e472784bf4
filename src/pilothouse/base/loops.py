"""Loops that live as long as their process."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from pilothouse.kit.errors import Unavailable

log = structlog.get_logger()


async def keep_going(name: str, step: Callable[[], Awaitable[None]], *, every: float) -> None:
    """Do a step every so many seconds until cancelled. What goes wrong is logged and never ends the loop."""
    while True:
        await asyncio.sleep(every)
        try:
            await step()
        except Unavailable as outage:
            log.info(f"{name}.unavailable", reason=str(outage))
        except Exception:  # the loop's door: one bad step must not stop all later ones
            log.error(f"{name}.fault", exc_info=True)


async def end_tasks(*tasks: "asyncio.Task[object]") -> None:
    """Cancel tasks and wait until they are gone. A library may swallow a cancellation: it is told again."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)
    await asyncio.gather(*tasks, return_exceptions=True)
