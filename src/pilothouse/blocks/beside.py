"""Work that takes as long as its input is large."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

LITTLE: Final = 50_000  # characters or bytes that are worked off within a few milliseconds

_T = TypeVar("_T")


async def beside(size: int, work: Callable[[], _T]) -> _T:
    """Do it at once when there is little to do, else in a thread, so that the event loop goes on meanwhile."""
    return work() if size <= LITTLE else await asyncio.to_thread(work)
