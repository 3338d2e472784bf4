"""The bell on RabbitMQ: one quorum queue per kind of job, a fan-out exchange for cancels, publisher confirms.

We connect again by ourselves, within a second and with everything declared anew: what a library restores after a
broker was killed is hard to tell, and a bell that is deaf without knowing it costs every job the idle pull.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aio_pika
import structlog
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractExchange, AbstractIncomingMessage, AbstractQueue

from pilothouse.base.jobs.acks import BROKEN, Acks
from pilothouse.base.jobs.bells import OnCancel, OnWork
from pilothouse.base.loops import end_tasks, keep_going
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dump_bytes, loads

log = structlog.get_logger()

IDS_PER_MESSAGE = 64
MAX_FLYING = 4  # messages that wait for the broker's confirm
MAX_BUFFERED = 100_000
RETRY_SECONDS = 0.5
CONNECT_SECONDS = 5.0
PUBLISH_SECONDS = 5.0
DECLARE_SECONDS = 15.0  # a quorum queue needs some seconds to find its leader after a kill


class RabbitBell:
    """Publishes ids in the background. While the broker is down rings are dropped: the idle pull finds the work."""

    def __init__(self, url: str, *, prefix: str = "pilothouse", prefetch: int = 64) -> None:
        self._url = url
        self._prefix = prefix
        self._prefetch = prefetch
        self._buffer: defaultdict[str, list[str]] = defaultdict(list)
        self._wanted = asyncio.Event()
        self._line: _Line | None = None  # to publish on
        self._publisher: asyncio.Task[None] | None = None
        self._consumer: asyncio.Task[None] | None = None
        self._consumers: list[tuple[AbstractQueue, str]] = []
        self._listening: AbstractConnection | None = None
        self._flying: set[asyncio.Task[bool]] = set()
        self._acks = Acks()

    async def start(self) -> None:
        """Begin to publish; does not wait for the broker."""
        self._publisher = asyncio.create_task(keep_going("bell", self._publish_next, every=0.0), name="bell-publisher")

    def ring(self, kind: str, ids: Sequence[str]) -> None:
        self._put(kind, ids)

    def ring_cancel(self, ids: Sequence[str]) -> None:
        self._put("", ids)

    def _put(self, kind: str, ids: Sequence[str]) -> None:
        if len(self._buffer[kind]) < MAX_BUFFERED:
            self._buffer[kind].extend(ids)
            self._wanted.set()

    async def listen(self, kinds: Sequence[str], on_work: OnWork, on_cancel: OnCancel) -> None:
        self._consumer = asyncio.create_task(self._consume_for_ever(kinds, on_work, on_cancel), name="bell-consumer")

    async def stop_listening(self) -> None:
        """The connection stays, so that what was handed over can still be acknowledged."""
        if self._consumer is not None:
            await end_tasks(self._consumer)
        consumers, self._consumers = self._consumers, []
        for queue, tag in consumers:
            try:
                async with asyncio.timeout(2):
                    await queue.cancel(tag)
            except BROKEN as error:
                log.info("bell.cancel_failed", error=type(error).__name__)

    async def close(self) -> None:
        """Send what was rung last (the jobs that this process released), then go."""
        await self.stop_listening()
        if self._publisher is not None:
            await end_tasks(self._publisher)
        if self._line is not None and self._line.is_open:
            await self._publish_some(seconds=2)
        await self._acks.close()
        await asyncio.gather(*self._flying, return_exceptions=True)
        for connection in (self._line and self._line.connection, self._listening):
            await _hang_up(connection)

    async def _publish_next(self) -> None:
        await self._wanted.wait()
        self._wanted.clear()
        if self._line is not None and self._line.is_open and len(self._flying) < MAX_FLYING:
            # A confirm takes as long as the broker's disk: the next ring need not wait for it.
            task = asyncio.create_task(self._publish_some(seconds=PUBLISH_SECONDS))
            self._flying.add(task)
            task.add_done_callback(self._flying.discard)
        elif not await self._publish_some(seconds=PUBLISH_SECONDS):
            await asyncio.sleep(RETRY_SECONDS)

    async def _publish_some(self, *, seconds: float) -> bool:
        taken, self._buffer = self._buffer, defaultdict(list)
        try:
            async with asyncio.timeout(seconds):
                if self._line is None or not self._line.is_open:
                    self._line = await _Line.open(self._url, self._prefix)
                await self._line.publish(taken)
        except BROKEN as error:
            log.warning("bell.lost", error=type(error).__name__, ids=sum(map(len, taken.values())))
            line, self._line = self._line, None
            await _hang_up(line and line.connection)
            return False
        return True

    async def _consume_for_ever(self, kinds: Sequence[str], on_work: OnWork, on_cancel: OnCancel) -> None:
        while True:
            try:
                self._listening = await aio_pika.connect(self._url, timeout=CONNECT_SECONDS)
                channels = await self._consume(self._listening, kinds, on_work, on_cancel)
                await _any_closed(channels)
                log.warning("bell.deaf")
            except BROKEN as error:
                log.warning("bell.unreachable", error=type(error).__name__)
            await _hang_up(self._listening)
            await asyncio.sleep(RETRY_SECONDS)

    async def _consume(
        self, connection: AbstractConnection, kinds: Sequence[str], on_work: OnWork, on_cancel: OnCancel
    ) -> list[AbstractChannel]:
        acks = self._acks = Acks()

        def work_of(kind: str) -> Callable[[AbstractIncomingMessage], Awaitable[None]]:
            async def work(message: AbstractIncomingMessage) -> None:
                on_work(kind, _ids(message.body), lambda: acks.put(message))

            return work

        async def cancel(message: AbstractIncomingMessage) -> None:
            on_cancel(_ids(message.body))

        async with asyncio.timeout(DECLARE_SECONDS):
            # Apart from the work, so that the numbers of its deliveries have no gaps: `Acks` counts on that.
            cancels = await connection.channel(publisher_confirms=False)
            mine = await cancels.declare_queue(f"{self._prefix}.cancel.{new_id()}", exclusive=True, auto_delete=True)
            await mine.bind(await _declare_cancels(cancels, self._prefix))
            await mine.consume(cancel, no_ack=True)
            channel = await connection.channel(publisher_confirms=False)
            await channel.set_qos(prefetch_count=self._prefetch)
            queues = [(kind, await _declare(channel, self._prefix, kind)) for kind in kinds]
            self._consumers = [(queue, await queue.consume(work_of(kind))) for kind, queue in queues]
        return [channel, cancels]


class _Line:
    """A connection to publish on."""

    def __init__(self, connection: AbstractConnection, channel: AbstractChannel, cancels: AbstractExchange) -> None:
        self.connection, self._channel, self._cancels = connection, channel, cancels
        self._prefix = cancels.name.removesuffix(".cancel")
        self._declared: set[str] = set()

    @classmethod
    async def open(cls, url: str, prefix: str) -> "_Line":
        connection = await aio_pika.connect(url, timeout=CONNECT_SECONDS)
        channel = await connection.channel(publisher_confirms=True)
        return cls(connection, channel, await _declare_cancels(channel, prefix))

    @property
    def is_open(self) -> bool:
        return not (self.connection.is_closed or self._channel.is_closed)

    async def publish(self, taken: dict[str, list[str]]) -> None:
        """Send and wait for the broker's confirmations."""
        sends: list[Any] = []
        for kind, ids in taken.items():
            if kind and kind not in self._declared:
                await _declare(self._channel, self._prefix, kind)
                self._declared.add(kind)
            exchange = self._channel.default_exchange if kind else self._cancels
            for start in range(0, len(ids), IDS_PER_MESSAGE):
                body = dump_bytes(ids[start : start + IDS_PER_MESSAGE])
                message = aio_pika.Message(body, delivery_mode=aio_pika.DeliveryMode.PERSISTENT)
                # Nobody may listen for cancels: that is no fault.
                sends.append(exchange.publish(message, f"{self._prefix}.{kind}" if kind else "", mandatory=bool(kind)))
        if len(sends) == 1:
            await sends[0]
        else:
            await asyncio.gather(*sends)


async def _any_closed(channels: Sequence[AbstractChannel]) -> None:
    waits = [asyncio.ensure_future(channel.closed()) for channel in channels]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_tasks(*waits)


async def _declare_cancels(channel: AbstractChannel, prefix: str) -> AbstractExchange:
    return await channel.declare_exchange(f"{prefix}.cancel", aio_pika.ExchangeType.FANOUT, durable=True)


async def _declare(channel: AbstractChannel, prefix: str, kind: str) -> AbstractQueue:
    # No delivery limit: the database counts attempts, and a delivery is acknowledged right after the claim.
    return await channel.declare_queue(f"{prefix}.{kind}", durable=True, arguments={"x-queue-type": "quorum"})


async def _hang_up(connection: AbstractConnection | None) -> None:
    if connection is not None and not connection.is_closed:
        await asyncio.gather(connection.close(), return_exceptions=True)


def _ids(body: bytes) -> list[str]:
    found = loads(body)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []
