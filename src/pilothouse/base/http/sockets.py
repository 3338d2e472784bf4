"""The WebSocket: many logs over one connection.

A client sends `{"op": "subscribe", "channel": "run:<id>", "after": 12}`, `{"op": "unsubscribe", "channel": ...}` or
`{"op": "ping"}`. It is sent `{"channel", "id", "event"}` for each event, and
`{"type": "subscribed", "channel", "head"}`, `{"type": "reset", "channel"}` (what is asked for is not kept: take a new
snapshot), `{"type": "error", "channel", "code", "message"}`, `{"type": "pong"}`. Who subscribes with `"batch": true` is
sent `{"channel", "events": [{"id", "event"}, ...]}` instead: what is there at once comes at once.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import anyio
from anyio.abc import TaskGroup
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from pilothouse.base.actor import Actor
from pilothouse.kit.errors import NotFound, PilothouseError, RateLimited, Unavailable
from pilothouse.kit.json import Json, JsonObject, dumps

PROTOCOL = "pilothouse.v1"
TICKET_PREFIX = "ticket."
MAX_CHANNELS = 200
MAX_ASK = 4_096
SLOW_SECONDS = 5.0
CHECK_SECONDS = 5.0
AGAIN_SECONDS = 1.0
MAX_BATCH = 100  # events in one frame

SIGNED_OUT, FORBIDDEN, TOO_MUCH, RESTART = 4401, 4403, 4429, 1012

Batch: TypeAlias = list[tuple[int, JsonObject]]


class TooManyChannels(RateLimited):
    """One connection follows at most 200 channels."""

    wire_code = "rate_limited"


class ChannelUnknown(NotFound):
    """There is no such channel."""


class Behind(NotFound):
    """What follows that event is not kept, or it has not happened: take a new snapshot."""


class Channel(Protocol):
    """One kind of log that may be followed."""

    async def open(self, actor: Actor, ref: str, after: int | None) -> int:
        """The log's head, if the actor may read it. Raises `NotFound`, or `Behind` when it cannot begin there."""
        ...

    def follow(self, actor: Actor, ref: str, after: int) -> AsyncGenerator[Batch]:
        """(id, event) of all that comes after. The first batch is empty: nothing is missed from then on."""
        ...


Channels: TypeAlias = Mapping[str, Channel]  # by the word before the colon


class Ask(BaseModel):
    """What a client sends."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    op: Literal["subscribe", "unsubscribe", "ping"]
    channel: str = Field(default="", max_length=200)
    after: int | None = Field(default=None, ge=0, le=2**53)
    batch: bool = False


class Visitor(Protocol):
    """Who is at the other end, and whether still."""

    @property
    def actor(self) -> Actor: ...

    async def is_welcome(self) -> bool:
        """Whether the session still stands."""
        ...

    def count(self) -> None:
        """Count one message of theirs; raises `RateLimited`."""
        ...


@dataclass(slots=True)
class Socket:
    """One connection."""

    socket: WebSocket
    visitor: Visitor
    channels: Channels
    stopping: asyncio.Event
    slow: float = SLOW_SECONDS
    check: float = CHECK_SECONDS
    _followed: dict[str, anyio.CancelScope] = field(default_factory=dict[str, anyio.CancelScope])
    _sending: anyio.Lock = field(default_factory=anyio.Lock)
    _tasks: TaskGroup = field(init=False)
    _code: int | None = None

    async def serve(self) -> None:
        """Until somebody ends it. Says why it ends, if the client takes that much."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            for watch in (self._listen, self._end_when_stopping, self._end_when_unwelcome):
                tasks.start_soon(self._end_all_after, watch)
        if self._code is not None:
            with suppress(RuntimeError, WebSocketDisconnect), anyio.move_on_after(1):
                await self.socket.close(self._code)

    async def _end_all_after(self, watch: Callable[[], Awaitable[None]]) -> None:
        await watch()
        self._tasks.cancel_scope.cancel()

    async def _end_when_stopping(self) -> None:
        await self.stopping.wait()
        self._code = RESTART

    async def _end_when_unwelcome(self) -> None:
        while True:
            await asyncio.sleep(self.check)
            if not await self._is_welcome():
                self._code = SIGNED_OUT
                return

    async def _is_welcome(self) -> bool:
        try:
            return await self.visitor.is_welcome()
        except Unavailable:
            return True  # while the database is away nobody can sign out either

    async def _listen(self) -> None:
        while True:
            try:
                text = await self.socket.receive_text()
                self.visitor.count()
            except (WebSocketDisconnect, KeyError):  # gone, or it speaks in bytes
                return
            except RateLimited:
                self._code = TOO_MUCH
                return
            await self._heed(text)

    async def _heed(self, text: str) -> None:
        try:
            ask = Ask.model_validate_json(text[: MAX_ASK + 1])
        except ValidationError:
            await self._tell({"type": "error", "channel": None, "code": "validation_failed", "message": "Not an op."})
            return
        match ask.op:
            case "ping":
                await self._tell({"type": "pong"})
            case "unsubscribe":
                self._unsubscribe(ask.channel)
            case "subscribe":
                await self._subscribe(ask)

    def _unsubscribe(self, name: str) -> None:
        if (scope := self._followed.pop(name, None)) is not None:
            scope.cancel()

    async def _subscribe(self, ask: Ask) -> None:
        try:
            if len(self._followed) >= MAX_CHANNELS and ask.channel not in self._followed:
                raise TooManyChannels
            channel = self._channel(ask.channel.partition(":")[0])
            head = await channel.open(self.visitor.actor, _ref(ask.channel), ask.after)
        except PilothouseError as error:
            await self._tell_error(ask.channel, error)
            return
        self._unsubscribe(ask.channel)
        scope = self._followed[ask.channel] = anyio.CancelScope()
        self._tasks.start_soon(self._follow, scope, channel, ask, head)

    def _channel(self, kind: str) -> Channel:
        if (found := self.channels.get(kind)) is None:
            raise ChannelUnknown
        return found

    async def _follow(self, scope: anyio.CancelScope, channel: Channel, ask: Ask, head: int) -> None:
        position = head if ask.after is None else ask.after
        with scope:
            try:
                position = await self._tell_all(channel, ask, position, head)
                while position is not None:  # the database was away
                    await asyncio.sleep(AGAIN_SECONDS)
                    position = await self._tell_all(channel, ask, position, None)
                await channel.open(self.visitor.actor, _ref(ask.channel), None)  # it came to its end; or is it gone?
            except PilothouseError as error:
                await self._tell_error(ask.channel, error)
        if self._followed.get(ask.channel) is scope:
            del self._followed[ask.channel]

    async def _tell_all(self, channel: Channel, ask: Ask, after: int, head: int | None) -> int | None:
        """Until the log ends: None; or until it cannot be read: the last event that was told."""
        position, name = after, ask.channel
        try:
            async with aclosing(channel.follow(self.visitor.actor, _ref(name), after)) as batches:
                await anext(batches)
                if head is not None:
                    await self._tell({"type": "subscribed", "channel": name, "head": head})
                async for batch in batches:
                    for last, frame in _frames(name, batch, together=ask.batch):
                        await self._tell(frame)
                        position = last
        except Unavailable:
            return position
        return None

    async def _tell_error(self, channel: str, error: PilothouseError) -> None:
        if isinstance(error, Behind):
            await self._tell({"type": "reset", "channel": channel})
        else:
            await self._tell({"type": "error", "channel": channel, "code": error.code, "message": error.message})

    async def _tell(self, frame: JsonObject) -> None:
        """A client that takes nothing for some seconds is cut off: it can come back and resume."""
        async with self._sending:
            with anyio.move_on_after(self.slow) as waiting, suppress(WebSocketDisconnect, RuntimeError):
                await self.socket.send_text(dumps(frame))  # if it is gone, the listener sees it too
        if waiting.cancelled_caught:
            self._tasks.cancel_scope.cancel()


def _frames(channel: str, batch: Batch, *, together: bool) -> Iterator[tuple[int, JsonObject]]:
    """What tells these events, each frame with the last event that it tells."""
    if not together:
        for event_id, event in batch:
            yield event_id, {"channel": channel, "id": event_id, "event": event}
        return
    for start in range(0, len(batch), MAX_BATCH):
        part = batch[start : start + MAX_BATCH]
        told: list[Json] = [{"id": event_id, "event": event} for event_id, event in part]
        yield part[-1][0], {"channel": channel, "events": told}


def _ref(channel: str) -> str:
    """What is followed: the part behind the colon."""
    return channel.partition(":")[2]
