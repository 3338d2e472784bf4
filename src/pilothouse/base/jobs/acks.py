"""Tells RabbitMQ which deliveries have been claimed, some at a time: each word about one is a write to its log."""

import asyncio

import aio_pika
import structlog
from aio_pika.abc import AbstractIncomingMessage

log = structlog.get_logger()

# A worker that dies in between leaves ids that are delivered again and found taken: only that costs something.
ACK_SECONDS = 0.02
MAX_WAITING = 32
# A closed channel is a `RuntimeError`, an unexpected word from the broker a `ValueError`.
BROKEN = (OSError, TimeoutError, aio_pika.exceptions.AMQPException, RuntimeError, ValueError)


class Acks:
    """Of one channel, whose deliveries are numbered 1, 2, 3 ...

    Work is claimed in the order in which it came, or nearly so: most are told by one word, "all up to this one".
    """

    def __init__(self) -> None:
        self._told = 0  # all up to this one
        self._apart: set[int] = set()  # told by themselves, after a gap
        self._waiting: dict[int, AbstractIncomingMessage] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, message: AbstractIncomingMessage) -> None:
        """This delivery has been claimed, or found taken."""
        self._waiting[message.delivery_tag or 0] = message
        if len(self._waiting) >= MAX_WAITING:
            self._tell_soon()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(ACK_SECONDS, self._tell_soon)

    async def close(self) -> None:
        """Tell what is left."""
        self._tell_soon()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _tell_soon(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        task = asyncio.get_running_loop().create_task(self._tell(waiting))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, waiting: dict[int, AbstractIncomingMessage]) -> None:
        last: AbstractIncomingMessage | None = None
        while (following := self._told + 1) in waiting or following in self._apart:
            last = waiting.pop(following, last)
            self._apart.discard(following)
            self._told = following
        self._apart |= waiting.keys()
        try:
            if last is not None:
                await last.ack(multiple=True)
            for message in waiting.values():  # one before them is still to be claimed
                await message.ack()
        except BROKEN as error:  # they will be delivered again and found taken
            log.info("bell.ack_lost", error=type(error).__name__)
