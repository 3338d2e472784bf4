"""Live events between processes: Redis pub/sub over the persisted log. While Redis is down, readers read the log."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from pilothouse.base.fanout import MAX_CARRIED_BYTES, LocalFanout, Notice, Subscription, look_again
from pilothouse.base.loops import end_tasks
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dump_bytes, loads

log = structlog.get_logger()

RETRY_SECONDS = 0.5
MAX_BUFFERED = 50_000
BROKEN = (RedisError, OSError, TimeoutError)


class RedisFanout(LocalFanout):
    """One connection to publish and one to listen per process. Publishing is buffered: a pipeline per loop turn."""

    def __init__(self, url: str, *, prefix: str = "pilothouse") -> None:
        super().__init__()
        self._redis: Redis = cast(Any, Redis).from_url(url, socket_connect_timeout=3, health_check_interval=15)
        self._prefix = prefix
        self.reply_address = f"{prefix}:reply:{new_id()}"
        self._buffer: list[tuple[str, bytes]] = []
        self._replies: dict[str, list[tuple[str, str]]] = {}  # by address: one message for all that wait there
        self._wanted = asyncio.Event()
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to publish and listen; does not wait for Redis."""
        self._tasks = [asyncio.create_task(self._publish_for_ever()), asyncio.create_task(self._listen_for_ever())]

    def publish(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            body = notice.body if notice.body is not None and len(notice.body) <= MAX_CARRIED_BYTES else None
            self._send(self._channel(notice.log_id), dump_bytes([notice.first, notice.last, body]))

    def reply(self, reply_to: str, key: str, body: str) -> None:
        if reply_to == self.reply_address:
            super().reply(reply_to, key, body)
        elif len(self._replies) < MAX_BUFFERED:
            self._replies.setdefault(reply_to, []).append((key, body))
            self._wanted.set()

    def subscribe(self, log_id: str) -> Subscription:
        subscription = super().subscribe(log_id)
        self._changed.set()
        return subscription

    def unsubscribe(self, log_id: str, subscription: Subscription) -> None:
        super().unsubscribe(log_id, subscription)
        self._changed.set()

    async def close(self) -> None:
        await end_tasks(*self._tasks)
        await self._flush()
        await asyncio.gather(self._redis.aclose(), return_exceptions=True)
        await super().close()

    def _channel(self, log_id: str) -> str:
        return f"{self._prefix}:log:{log_id}"

    def _send(self, channel: str, body: bytes) -> None:
        if len(self._buffer) < MAX_BUFFERED:
            self._buffer.append((channel, body))
            self._wanted.set()

    async def _publish_for_ever(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self._flush()

    async def _flush(self) -> None:
        taken, self._buffer = self._buffer, []
        replies, self._replies = self._replies, {}
        taken += [(address, dump_bytes(answers)) for address, answers in replies.items()]
        if not taken:
            return
        try:
            pipeline = self._redis.pipeline(transaction=False)
            for channel, body in taken:
                cast(Any, pipeline).publish(channel, body)
            async with asyncio.timeout(3):
                await cast(Any, pipeline).execute()
        except BROKEN as error:
            log.warning("fanout.lost", notices=len(taken), error=type(error).__name__)
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen_for_ever(self) -> None:
        while True:
            pubsub = cast(Any, self._redis).pubsub()
            subscribing = asyncio.create_task(self._keep_subscribed(pubsub))
            try:
                await self._listen(pubsub)
            except BROKEN as error:
                log.warning("fanout.unreachable", error=type(error).__name__)
            finally:
                await end_tasks(subscribing)
                await asyncio.gather(pubsub.aclose(), return_exceptions=True)
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self, pubsub: Any) -> None:
        await pubsub.subscribe(self.reply_address)
        self._changed.set()
        while True:
            message = await pubsub.get_message(timeout=30)
            if message is not None:
                self._receive(message["type"], message["channel"].decode(), message["data"])

    async def _keep_subscribed(self, pubsub: Any) -> None:
        """Follow in Redis what is followed here. One task, so that a change cannot overtake another."""
        subscribed: set[str] = set()
        while True:
            await self._changed.wait()
            self._changed.clear()
            if not pubsub.subscribed:
                continue  # not connected yet: the listener asks again when it is
            wanted = {self._channel(log_id) for log_id in self._followers}
            try:
                if added := wanted - subscribed:
                    await pubsub.subscribe(*added)
                if removed := subscribed - wanted:
                    await pubsub.unsubscribe(*removed)
                subscribed = wanted
            except BROKEN as error:  # the listener sees it too and starts anew with everything
                log.info("fanout.not_told", error=type(error).__name__)

    def _receive(self, kind: str, channel: str, data: Any) -> None:
        log_id = channel.removeprefix(f"{self._prefix}:log:")
        if kind == "subscribe" and channel != self.reply_address:
            # What was published before Redis knew of us is only in the log.
            self.deliver(look_again(log_id))
        elif kind == "message" and channel == self.reply_address:
            for key, body in cast(Any, loads(data)):
                super().reply(channel, key, body)
        elif kind == "message":
            first, last, body = cast(Any, loads(data))
            self.deliver(Notice(log_id, first, last, body))
