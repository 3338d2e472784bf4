"""Listens to a model while it speaks: logs what comes, and gives up on one that says nothing any more."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Final

from pilothouse.autopilot.faults import Silent, readable
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.stream import DELTA_SECONDS, ResponseStream
from pilothouse.base import failpoints
from pilothouse.base.jobs.lease import LeaseLost
from pilothouse.base.provider_http import READ_SECONDS

SILENCE_SECONDS: Final = READ_SECONDS


@asynccontextmanager
async def listening(seconds: float, heard: Callable[[], None]) -> AsyncGenerator[Callable[[], None]]:
    """Gives what is to be called at every word, and raises `Silent` when it is not called for so long.

    Who waits for bytes waits for ever: a provider's heartbeats are bytes, and no words.
    """
    loop = asyncio.get_running_loop()
    limit = asyncio.timeout(seconds)

    def spoke() -> None:
        heard()
        limit.reschedule(loop.time() + seconds)

    try:
        async with limit:
            yield spoke
    except TimeoutError:
        if not limit.expired():
            raise
        raise Silent from None


async def relay(
    provider: AsyncIterable[Any], stream: ResponseStream, record: TurnRecord, heard: Callable[[], None]
) -> None:
    """Log what comes, in pieces that are neither too small nor too late."""
    loop = asyncio.get_running_loop()
    later: asyncio.TimerHandle | None = None

    def flush() -> None:
        nonlocal later
        later = None
        with suppress(LeaseLost):  # whoever writes next is told
            record.add(*stream.flush(loop.time()))

    try:
        async with aclosing(readable(provider)) as told:
            async for event in told:
                heard()
                record.add(*stream.feed(event, loop.time()))
                if later is None and stream.open is not None and stream.open.since is not None:
                    later = loop.call_later(DELTA_SECONDS, flush)
                failpoints.hit("turn_mid_stream")
    finally:
        if later is not None:
            later.cancel()
