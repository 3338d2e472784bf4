"""What may be followed over the WebSocket: sessions, runs, and what happens to a user."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from pilothouse.base.actor import Actor
from pilothouse.base.fanout import Fanout, following
from pilothouse.base.http.sockets import Batch, Behind, Channels
from pilothouse.base.jobs.moves import micros
from pilothouse.features.chat import Conversations, SessionNotFound, user_channel
from pilothouse.features.runs import RunEvents, RunNotFound
from pilothouse.kit.errors import Conflict
from pilothouse.kit.ids import RunId, is_id
from pilothouse.kit.json import JsonObject, loads

QUIET_SECONDS = 5.0
ANYTHING: JsonObject = {"type": "user.changed"}  # hints were lost on the way: look at everything


def channels(conversations: Conversations, run_events: RunEvents, fanout: Fanout) -> Channels:
    return {
        "session": SessionChannel(conversations),
        "run": RunChannel(run_events),
        "user": UserChannel(fanout),
    }


@dataclass(frozen=True, slots=True)
class SessionChannel:
    """A session's log, as `GET /api/chat/sessions/{id}/events` has it."""

    conversations: Conversations

    async def open(self, actor: Actor, ref: str, after: int | None) -> int:
        if not is_id(ref):
            raise SessionNotFound
        try:
            return (await self.conversations.open(actor, ref, after or 0)).head
        except Conflict:
            raise Behind from None

    async def follow(self, actor: Actor, ref: str, after: int) -> AsyncGenerator[Batch]:
        yield []
        async with aclosing(self.conversations.envelopes(ref, after)) as batches:
            async for batch in batches:
                yield numbered(batch)


@dataclass(frozen=True, slots=True)
class RunChannel:
    """A run's log, as `GET /api/runs/{id}/events` has it. It ends with the run."""

    events: RunEvents

    async def open(self, actor: Actor, ref: str, after: int | None) -> int:
        if not is_id(ref):
            raise RunNotFound
        try:
            return (await self.events.open(actor, RunId(ref), after or 0))[0].head
        except Conflict:
            raise Behind from None

    async def follow(self, actor: Actor, ref: str, after: int) -> AsyncGenerator[Batch]:
        yield []
        head, plan = await self.events.open(actor, RunId(ref), after)
        if head.ended and after >= head.head:
            return
        async with aclosing(self.events.stream(RunId(ref), plan, after)) as batches:
            async for batch in batches:
                yield numbered(batch)


@dataclass(frozen=True, slots=True)
class UserChannel:
    """Hints that something of the user's changed. They are kept nowhere: whoever was away looks anew."""

    fanout: Fanout

    async def open(self, actor: Actor, ref: str, after: int | None) -> int:
        if ref or after:
            raise Behind
        return 0

    async def follow(self, actor: Actor, ref: str, after: int) -> AsyncGenerator[Batch]:
        with following(self.fanout, user_channel(actor.user_id)) as subscription:
            yield []
            while True:
                for notice in await subscription.take(QUIET_SECONDS):
                    told = [ANYTHING] if notice.body is None else cast(list[JsonObject], loads(notice.body))
                    yield [(micros(), event) for event in told]


def numbered(batch: list[JsonObject]) -> Batch:
    return [(cast(Any, item["id"]), item) for item in batch]
