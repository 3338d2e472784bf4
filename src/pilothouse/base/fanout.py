"""Live events: what was just committed, handed to whoever follows a log. The log is the history; this only wakes.

A notice may be lost or come twice; readers (`follow`) fill gaps from the log and drop what they have.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeAlias

from pilothouse.kit.json import Json

MAX_CARRIED_BYTES = 16 * 1024
MAX_UNREAD = 1_000
MAX_SEQ = 2**63 - 1


class Notice(NamedTuple):
    """Entries first..last of a log were committed; `body` is their JSON array, left out when it is large."""

    log_id: str
    first: int
    last: int
    body: str | None


def look_again(log_id: str) -> Notice:
    """A notice that makes a follower read the log: something may have been missed."""
    return Notice(log_id, 0, MAX_SEQ, None)


def log_gone(log_id: str) -> Notice:
    """A notice that there is nothing more to follow: who does looks whether there still is such a log."""
    return Notice(log_id, MAX_SEQ, MAX_SEQ, None)


class Subscription:
    """What one reader has not taken yet. When it falls far behind, notices are dropped: it reads the log instead."""

    def __init__(self) -> None:
        self._notices: list[Notice] = []
        self._bell = asyncio.Event()

    def put(self, notice: Notice) -> None:
        if len(self._notices) < MAX_UNREAD:
            self._notices.append(notice)
        else:  # too far behind to carry: the last one becomes a call to read the log
            self._notices[-1] = look_again(notice.log_id)
        self._bell.set()

    async def take(self, timeout: float) -> list[Notice]:
        """What came; an empty list after `timeout` seconds of silence."""
        if not self._notices:
            try:
                async with asyncio.timeout(timeout):
                    await self._bell.wait()
            except TimeoutError:
                return []
        self._bell.clear()
        taken, self._notices = self._notices, []
        return taken


class Fanout(Protocol):
    """Carries notices to followers and answers to waiting callers."""

    def publish(self, notices: Sequence[Notice]) -> None:
        """After the commit. Never blocks and never fails its caller."""
        ...

    def subscribe(self, log_id: str) -> Subscription: ...

    def unsubscribe(self, log_id: str, subscription: Subscription) -> None: ...

    def reply(self, reply_to: str, key: str, body: str) -> None:
        """Tell the process that waits for `key`."""
        ...

    @property
    def reply_address(self) -> str:
        """Where replies for this process go."""
        ...

    def expect(self, key: str) -> "asyncio.Future[str]":
        """A future for the reply to `key`; register before the commit that may cause it."""
        ...

    def forget(self, key: str) -> None: ...

    async def close(self) -> None: ...


class LocalFanout:
    """Within one process; also the local end of every other implementation."""

    reply_address = "local"

    def __init__(self) -> None:
        self._followers: defaultdict[str, set[Subscription]] = defaultdict(set)
        self._expected: dict[str, asyncio.Future[str]] = {}

    def publish(self, notices: Sequence[Notice]) -> None:
        if self._followers:
            for notice in notices:
                self.deliver(notice)

    def deliver(self, notice: Notice) -> None:
        for subscription in self._followers.get(notice.log_id, ()):
            subscription.put(notice)

    def subscribe(self, log_id: str) -> Subscription:
        subscription = Subscription()
        self._followers[log_id].add(subscription)
        return subscription

    def unsubscribe(self, log_id: str, subscription: Subscription) -> None:
        followers = self._followers[log_id]
        followers.discard(subscription)
        if not followers:
            del self._followers[log_id]

    def is_followed(self, log_id: str) -> bool:
        return log_id in self._followers

    def reply(self, reply_to: str, key: str, body: str) -> None:
        future = self._expected.pop(key, None)
        if future is not None and not future.done():
            future.set_result(body)

    def expect(self, key: str) -> "asyncio.Future[str]":
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._expected[key] = future
        return future

    def forget(self, key: str) -> None:
        self._expected.pop(key, None)

    async def close(self) -> None:
        for future in self._expected.values():
            future.cancel()


ReadAfter: TypeAlias = Callable[[int], Awaitable[list[tuple[int, Json]]]]
Decode: TypeAlias = Callable[[int, str], list[tuple[int, Json]]]


@contextmanager
def following(fanout: Fanout, log_id: str):
    """A subscription for as long as the block runs."""
    subscription = fanout.subscribe(log_id)
    try:
        yield subscription
    finally:
        fanout.unsubscribe(log_id, subscription)


async def follow(
    fanout: Fanout, log_id: str, after: int, read_after: ReadAfter, decode: Decode, *, quiet: float = 5.0
) -> AsyncGenerator[list[tuple[int, Json]]]:
    """Every committed entry after `after`, exactly once and in order; an empty list after each quiet spell, and when
    the log is said to be gone.

    Subscribe first, read the log second, then follow. A gap or a lost notice is filled from the log.
    """
    with following(fanout, log_id) as subscription:
        position = after
        while True:
            while batch := await read_after(position):
                position = batch[-1][0]
                yield batch
            while True:
                notices = await subscription.take(quiet)
                fresh, position, gap = _take_over(notices, position, decode)
                if fresh:
                    yield fresh
                if gap or not notices:
                    if not notices or notices[-1].first == MAX_SEQ:
                        yield []
                    break  # look into the log: something was lost, or nobody told us


def _take_over(notices: Sequence[Notice], position: int, decode: Decode) -> tuple[list[tuple[int, Json]], int, bool]:
    """What the notices add after `position`, the new position, and whether something is missing between."""
    fresh: list[tuple[int, Json]] = []
    for notice in notices:
        if notice.last <= position:
            continue
        if notice.first > position + 1 or notice.body is None:
            return fresh, position, True
        fresh += [item for item in decode(notice.first, notice.body) if item[0] > position]
        position = notice.last
    return fresh, position, False
