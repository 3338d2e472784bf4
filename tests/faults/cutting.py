"""Readers over plain TCP whose connection is cut anywhere: in the head, in a frame, inside a letter."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple, TypeAlias

SILENCE_SECONDS = 15.0  # heartbeats come every 8
AWAY_SECONDS = 0.5

Frame: TypeAlias = tuple[int | None, str]


class Cut(Exception):
    """The connection ended before the answer did."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, to whichever door."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    def written(self, **more: str) -> bytes:
        named = {"Host": "localhost", "Content-Length": str(len(self.body)), **self.headers, **more}
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{lines}\r\n".encode() + self.body


class Answered:
    """What the bytes that came amount to: the status, and the frames that are whole. An unfinished one is nothing."""

    def __init__(self) -> None:
        self.status = 0
        self.ended = False
        self._raw, self._text = b"", b""

    def feed(self, data: bytes) -> list[Frame]:
        self._raw += data
        if not self.status:
            head, found, rest = self._raw.partition(b"\r\n\r\n")
            if not found:
                return []
            self.status, self._raw = int(head.split(b" ", 2)[1]), rest
            self.ended = self.status == 204
        while not self.ended and self._take_chunk():
            pass
        *whole, self._text = self._text.split(b"\n\n")
        return [frame for frame in map(_frame, whole) if frame is not None]

    def _take_chunk(self) -> bool:
        size, found, rest = self._raw.partition(b"\r\n")
        length = int(size, 16) if found else 0
        if not found or len(rest) < length + 2:
            return False
        self._text, self._raw = self._text + rest[:length], rest[length + 2 :]
        self.ended = length == 0
        return True


def _frame(text: bytes) -> Frame | None:
    """None for a heartbeat, and for what is told while nothing happens: it has no id and is kept nowhere."""
    lines = dict(line.split(": ", 1) for line in text.decode().split("\n") if not line.startswith(":"))
    if "id" not in lines:
        return (None, "[DONE]") if lines.get("data") == "[DONE]" else None
    return int(lines["id"]), lines["data"]


def _is_half(frame: Frame) -> bool:
    """Whether another frame of the same event must follow. Only such a one may come again."""
    return any(f'{{"type":"{kind}"' in frame[1] for kind in ("start", "data-error", "abort"))


async def answered(port: int, ask: bytes, budget: int | None = None) -> AsyncGenerator[tuple[int, list[Frame]]]:
    """The status and the frames as they come, until the answer ends. After so many bytes the line is cut: `Cut`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer, left = Answered(), budget
    try:
        writer.write(ask)
        while not answer.ended:
            async with asyncio.timeout(SILENCE_SECONDS):
                data = await reader.read(65536 if left is None else min(65536, left))
            left = None if left is None else left - len(data)
            if frames := answer.feed(data):
                yield answer.status, frames
            if not data or left == 0:
                raise Cut
        if answer.status == 204:
            yield answer.status, []
    finally:
        writer.transport.abort()


class Resumed(NamedTuple):
    """How a reader came back: by the wall clock, when it asked, and when it had which event first."""

    asked_at: float
    heard_at: float
    event_id: int


@dataclass(slots=True)
class Follower:
    """Reads to the end, however often it is cut, and knows what it saw."""

    doors: list[int]  # ports; each time any of them
    ask: Ask
    random: Random
    is_last: Callable[[Frame], bool]
    replay: Ask | None = None  # asked when there is nothing to go on with any more
    frames: list[Frame] = field(default_factory=list[Frame])
    cuts: int = 0
    repeated: int = 0  # frames given again because their event had not come whole
    replayed: bool = False
    fruitless: int = 0  # connections since the last that brought something
    resumed: list[Resumed] = field(default_factory=list[Resumed])

    @property
    def last(self) -> int:
        return self.frames[-1][0] or 0 if self.frames else 0

    async def follow(self) -> None:
        while not (self.frames and self.is_last(self.frames[-1])):
            try:
                await self._connect()
            except Cut:
                self.cuts += 1
                if self.random.random() < 0.1:  # sometimes the turn is over when it comes back
                    await asyncio.sleep(self.random.uniform(0, AWAY_SECONDS))

    async def _connect(self) -> None:
        # Many cuts come early: in the head, and in the first frame after it. A frame may be longer than any of them.
        reach = 700 if self.random.random() < 0.3 else 1500 * 2**self.fruitless
        budget = self.random.randrange(1, reach)
        self.fruitless += 1
        named = {"Last-Event-ID": str(self.last)} if self.frames else {}
        asked_at, first = time.time(), True
        stream = answered(self.random.choice(self.doors), self.ask.written(**named), budget)
        async with aclosing(stream) as coming:
            async for status, frames in coming:
                if status == 204:
                    await self._replay()
                    return
                assert status == 200, status
                self._take(frames, asked_at if first and self.cuts else None)
                first = False
                if self.is_last(self.frames[-1]):
                    return

    def _take(self, frames: list[Frame], asked_at: float | None) -> None:
        if asked_at is not None:
            if self.frames and frames[0] == self.frames[-1] and _is_half(frames[0]):
                self.repeated += 1
                frames = frames[1:]
            if frames and frames[0][0] is not None:
                self.resumed.append(Resumed(asked_at, time.time(), frames[0][0]))
        self.frames += frames
        self.fruitless = 0

    async def _replay(self) -> None:
        """The turn ended while this reader was away: what it lacks is in the whole."""
        assert self.replay is not None
        whole = await heard(self.random.choice(self.doors), self.replay)
        assert whole[: len(self.frames)] == self.frames
        self.frames, self.replayed = whole, True


async def heard(port: int, ask: Ask) -> list[Frame]:
    """The whole answer, uncut."""
    frames: list[Frame] = []
    async with aclosing(answered(port, ask.written())) as coming:
        async for status, some in coming:
            assert status == 200, status
            frames += some
    return frames
