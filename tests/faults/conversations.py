"""A conversation with AutoPilot in an installation of real processes, and what its log says when they are killed."""

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

import httpx2

from pilothouse.app.house import House
from pilothouse.base.actor import Actor
from pilothouse.features.chat import Event, Message, NewSession, TurnBegun, events, queries
from pilothouse.features.chat.fold import fold
from pilothouse.features.chat.remembering import state_after
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json
from tests.faults.rig import Rig

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIMES = frozenset({"created_at", "arrival_at", "duration_ms", "started_at", "ended_at", "attempt", "elapsed_seconds"})
_PLACES = frozenset({"first_event_id", "last_event_id", "event_id"})  # a turn that went on has more events
# A run may end before the turn that waits for it falls asleep.
_SLEEP = {events.TURN_RESUMED, events.TURN_SUSPENDED}
_NOT_COMPARED = frozenset({*_SLEEP, events.STEP_RESET, events.CONTEXT, events.TURN_QUEUED})
_DELTAS = frozenset({events.TEXT_DELTA, events.REASONING_DELTA})


@dataclass(slots=True)
class Conversation:
    """A session whose turns are worked on by other processes.

    A process that serves hears of them over HTTP, as from anybody; a worker by the bell of this process.
    """

    house: House
    actor: Actor
    session_id: str
    http: httpx2.AsyncClient | None

    @classmethod
    async def begin(cls, rig: Rig, house: House) -> "Conversation":
        actor = rig.people[0].actor
        made = await house.chat.create_session(actor, NewSession())
        return cls(house, actor, made.id, rig.client.http if rig.embedded else None)

    async def say(self, text: str) -> str:
        if self.http is not None:
            return await self._post(self.http, text)
        begun = await self.house.chat.start_turn(self.actor, self.session_id, Message(new_id(), text, "web", 1))
        assert isinstance(begun, TurnBegun)
        return begun.turn_id

    async def _post(self, http: httpx2.AsyncClient, text: str) -> str:
        """Whoever takes the message may die before it answers; the turn is there all the same."""
        body, path = {"message": text}, f"/api/v1/chat/sessions/{self.session_id}/stream"
        with suppress(httpx2.TransportError):
            async with http.stream("POST", path, json=body) as answer:
                assert answer.status_code == 200, await answer.aread()
        sql = "select id from chat_turns where session_id=?1 order by id desc limit 1"
        return (await self.house.reader.rows(sql, self.session_id))[0][0]

    async def ended(self, turn_id: str, seconds: float = 60) -> str:
        deadline = time.monotonic() + seconds
        while (status := await queries.turn_status(self.house.reader, turn_id)) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"turn {turn_id} has not ended: {await self.types()}")
            await asyncio.sleep(0.02)
        view = await queries.get_session(self.house.reader, self.actor, self.session_id)
        assert view.state == state_after(event for event in await self.events() if event.id <= view.head)
        return status

    async def events(self) -> list[Event]:
        return await queries.read_events(self.house.reader, self.session_id, 0, 100_000)

    async def types(self) -> list[str]:
        return [event.type for event in await self.events()]


def story(log: list[Event]) -> list[Json]:
    """What happened, without ids, times, attempts and what was taken back."""
    names = Names()
    reset = {part for event in log if event.type == events.STEP_RESET for part in _parts(event)}
    told: list[Json] = []
    for event in log:
        if event.type in _NOT_COMPARED or event.type in _DELTAS or event.data.get("id") in reset:
            continue
        told.append([event.type, names.without(dict(event.data))])
    return told


def _parts(event: Event) -> list[str]:
    return cast(list[str], event.data["part_ids"])


def view(log: list[Event]) -> list[Json]:
    """What the chat shows of it, without ids and times."""
    names = Names()
    return [names.without(message) for message in fold(log)]


@dataclass(slots=True)
class Names:
    """Ids by the order in which they are first seen."""

    known: dict[str, str] = field(default_factory=dict[str, str])

    def without(self, value: Json) -> Json:
        if isinstance(value, dict):
            return {key: self.without(item) for key, item in value.items() if key not in _TIMES | _PLACES}
        if isinstance(value, list):
            return [self.without(item) for item in value]
        if isinstance(value, str):
            return _ID.sub(lambda match: self.known.setdefault(match[0], f"id-{len(self.known)}"), value)
        return value
