"""A conversation with AutoPilot in an installation of real processes, and what its log says when they are killed."""

import asyncio
import re
import time
from dataclasses import dataclass, field
from typing import cast

from pilothouse.app.house import House
from pilothouse.base.actor import Actor
from pilothouse.features.chat import Event, Message, NewSession, TurnBegun, events, queries
from pilothouse.features.chat.fold import fold
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIMES = frozenset({"created_at", "arrival_at", "duration_ms", "started_at", "ended_at", "attempt", "elapsed_seconds"})
_PLACES = frozenset({"first_event_id", "last_event_id", "event_id"})  # a turn that went on has more events
# A run may end before the turn that waits for it falls asleep.
_SLEEP = {events.TURN_RESUMED, events.TURN_SUSPENDED}
_NOT_COMPARED = frozenset({*_SLEEP, events.STEP_RESET, events.CONTEXT, events.TURN_QUEUED})
_DELTAS = frozenset({events.TEXT_DELTA, events.REASONING_DELTA})


@dataclass(slots=True)
class Conversation:
    """A session whose turns are worked on by other processes."""

    house: House
    actor: Actor
    session_id: str

    @classmethod
    async def begin(cls, house: House, actor: Actor) -> "Conversation":
        return cls(house, actor, (await house.chat.create_session(actor, NewSession())).id)

    async def say(self, text: str) -> str:
        begun = await self.house.chat.start_turn(self.actor, self.session_id, Message(new_id(), text, "web", 1))
        assert isinstance(begun, TurnBegun)
        return begun.turn_id

    async def ended(self, turn_id: str, seconds: float = 60) -> str:
        deadline = time.monotonic() + seconds
        while (status := await queries.turn_status(self.house.reader, turn_id)) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"turn {turn_id} has not ended: {await self.types()}")
            await asyncio.sleep(0.05)
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
