"""Waiting for something that tells nobody."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def until(ask: Callable[[], bool | Awaitable[bool]], seconds: float = 10.0) -> None:
    """Ask again and again until the answer is yes; `TimeoutError` when it never is."""
    async with asyncio.timeout(seconds):
        pause = 0.001  # most answers come at once, and one that takes long need not be asked for so often
        while True:
            answer = ask()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(pause)
            pause = min(0.02, 1.5 * pause)


def stay_until(ask: Callable[[], T | None], seconds: float = 60.0, why: Callable[[], str] = str) -> T:
    """As `until`, for what other programs do while this one has nothing else to do; answers what is there at last."""
    deadline = time.monotonic() + seconds
    while (answer := ask()) is None:
        assert time.monotonic() < deadline, why()
        time.sleep(0.01)
    return answer
