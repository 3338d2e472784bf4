"""Reading sessions and their logs for the doors: a page of the conversation, events from any id on, a turn's stream."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from pilothouse.base.actor import Actor
from pilothouse.base.fanout import MAX_SEQ, Fanout, follow
from pilothouse.base.logs import numbered, read_after
from pilothouse.base.reader import Reader
from pilothouse.features.chat import queries
from pilothouse.features.chat.errors import EventBeyondHead
from pilothouse.features.chat.events import Event, events_of
from pilothouse.features.chat.fold import DELTAS, Fold
from pilothouse.features.chat.heads import Heads
from pilothouse.features.chat.present import (
    REASONING,
    SessionView,
    active_json,
    event_json,
    lean,
    session_json,
    shown,
    without_reasoning,
)
from pilothouse.features.chat.queries import TurnSpan
from pilothouse.features.chat.wire import DONE, Wire, caption
from pilothouse.kit.json import Json, JsonObject

QUIET_SECONDS = 2.0
AT_ONCE = 500  # events that are read and shown before others get a turn
CAPTIONS = (10, 30, 60)


@dataclass(frozen=True, slots=True)
class Conversations:
    """One per process that answers requests."""

    reader: Reader
    fanout: Fanout
    show_reasoning: bool = True  # what models think is logged either way
    heads: Heads = field(default_factory=Heads)

    def _shown(self, event: Event) -> Event:
        """The event as clients may see it; one that is kept back stays as an empty one, for ids have no gaps."""
        return shown(event) if self.show_reasoning else without_reasoning(shown(event))

    async def open(self, actor: Actor, session_id: str, after: int) -> SessionView:
        """Check that the actor may read on from there. Raises `SessionNotFound`, `EventBeyondHead`."""
        view = await queries.get_session(self.reader, actor, session_id)
        if after > view.head:
            raise EventBeyondHead(head=view.head)
        return view

    async def get_session(self, actor: Actor, session_id: str, limit: int, before: int | None) -> JsonObject:
        """The session with its last messages before an event. Messages are whole, so no call is without its result."""
        view = await queries.get_session(self.reader, actor, session_id)
        spans = await queries.turns_before(self.reader, session_id, before, limit + 1)
        folded = await self._fold(session_id, spans, view.head)
        messages = [each for each in folded if before is None or _position(each) < before]
        return {
            "session": session_json(view),
            "messages": cast(Json, messages[-limit:]),
            "has_more": len(messages) > limit,
            "last_event_id": view.head,
            "active_turn": active_json(view.active),
        }

    async def export(self, actor: Actor, session_id: str) -> tuple[SessionView, list[JsonObject]]:
        """The session with all its messages."""
        view = await queries.get_session(self.reader, actor, session_id)
        spans = await queries.turns_before(self.reader, session_id, None, view.head + 1)
        return view, await self._fold(session_id, spans, view.head)

    async def _fold(self, session_id: str, spans: Sequence[TurnSpan], head: int) -> list[JsonObject]:
        """The messages of these turns, newest turn first, as they were at an event: whoever reads on from there is told
        of the rest. The deltas of ended blocks add nothing to what is shown.
        """
        folded = Fold()
        if not spans:
            return folded.messages
        ended = {span.id for span in spans if span.last is not None and span.last <= head}
        log = await self._read(session_id, spans[-1].first - 1, min(spans[0].last or head, head))
        for n, event in enumerate(log):
            if (event.type not in DELTAS or event.turn_id not in ended) and self._is_told(event):
                folded.see(event)
            if n % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0)  # a long log is not all that this process has to do
        return folded.messages

    def _is_told(self, event: Event) -> bool:
        return self.show_reasoning or event.type not in REASONING

    async def _read(self, session_id: str, after: int, last: int) -> list[Event]:
        rows = await self.reader.rows(
            "select first, body from segments where log_id=?1 and last > ?2 and first <= ?3 order by first",
            session_id,
            after,
            last,
        )
        entries = [entry for first, body in rows for entry in numbered(first, body)]
        return events_of((seq, entry) for seq, entry in entries if after < seq <= last)

    async def read(self, session_id: str, after: int, limit: int) -> list[JsonObject]:
        """Stored events after an id, as envelopes."""
        found = await queries.read_events(self.reader, session_id, after, limit)
        return [event_json(session_id, self._shown(event)) for event in found]

    async def follow(self, session_id: str, after: int) -> AsyncGenerator[list[Event]]:
        """Events after an id as they are committed, across turns, until the session is deleted.

        An empty list comes after each quiet spell.
        """

        head = MAX_SEQ  # after a quiet spell, as far as the log goes: most often there is nothing to read

        async def stored(position: int) -> list[tuple[int, Json]]:
            nonlocal head
            known, head = head, MAX_SEQ
            return await read_after(self.reader, session_id, position, limit=AT_ONCE) if known > position else []

        live = follow(self.fanout, session_id, after, stored, numbered, quiet=QUIET_SECONDS)
        async with aclosing(live) as batches:
            async for batch in batches:
                found = MAX_SEQ if batch else await self.heads.of(self.reader, session_id)
                if found is None:
                    return
                head = found
                events = events_of(batch)
                if events or not batch:  # a batch of trimmed entries is no news, and no silence
                    yield events

    async def envelopes(self, session_id: str, after: int) -> AsyncGenerator[list[JsonObject]]:
        """As `follow`, the way clients see events."""
        async with aclosing(self.follow(session_id, after)) as batches:
            async for batch in batches:
                yield [event_json(session_id, lean(self._shown(event))) for event in batch]

    async def turn_frames(
        self, session_id: str, turn_id: str, first_event: int, after: int = 0
    ) -> AsyncGenerator[bytes]:
        """A turn as the AI SDK reads it, from its start; what a client has seen already (`after`) is left out."""
        wire, quiet = Wire(turn_id, self.show_reasoning), Quiet()
        async with aclosing(self.follow(session_id, first_event - 1)) as batches:
            async for batch in batches:
                frames = b"".join(_frames_after(wire, batch, after))
                if batch:
                    quiet.broken()
                elif told := quiet.caption():
                    frames = told
                if frames:
                    yield frames
                if wire.ended:
                    break
        yield DONE


def _frames_after(wire: Wire, batch: Sequence[Event], after: int) -> list[bytes]:
    frames: list[bytes] = []
    for event in batch:
        if wire.ended:  # what comes after belongs to the next turn
            break
        frames.append(wire.frames(event, after))
    return frames


def _position(message: JsonObject) -> int:
    return cast(int, message["first_event_id"])


class Quiet:
    """How long nothing has happened, told at 10, 30 and 60 seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since, self._told = clock(), 0

    def broken(self) -> None:
        self._since, self._told = self._clock(), 0

    def caption(self) -> bytes:
        """What is to be told now, if anything."""
        passed = self._clock() - self._since
        due = [seconds for seconds in CAPTIONS if self._told < seconds <= passed]
        if not due:
            return b""
        self._told = due[-1]
        return caption(due[-1])
