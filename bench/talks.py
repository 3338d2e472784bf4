"""Readers and speakers of sessions, by the hundred."""

import asyncio
import json
import re
import resource
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import httpx2

from bench.site import Site
from tests.faults.cutting import Ask, answered
from tests.faults.place import Person

SESSIONS = "/api/v1/chat/sessions"
AT_ONCE = 50
STAMP = re.compile(r"\d+\.\d{6}")


def allow_many_files() -> None:
    """A thousand connections are a thousand files, here and in the processes that are started from here."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def make_sessions(house: Site, count: int) -> list[tuple[Person, str]]:
    """So many idle sessions, each of one of the people in turn."""
    made: list[tuple[Person, str]] = []
    async with httpx2.AsyncClient(base_url=house.url, trust_env=False, timeout=60) as http:

        async def make(person: Person) -> tuple[Person, str]:
            answer = await http.post(SESSIONS, headers={"Authorization": f"Bearer {person.key}"})
            if answer.status_code != 201:
                raise RuntimeError(answer.text)
            return person, answer.json()["id"]

        for first in range(0, count, AT_ONCE):
            some = range(first, min(count, first + AT_ONCE))
            made += await asyncio.gather(*(make(house.people[number % len(house.people)]) for number in some))
    return made


class Listener(asyncio.Protocol):
    """Follows the log of a session and only counts what comes: a thousand of them must cost next to nothing here."""

    def __init__(self) -> None:
        self.opened: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.lost = False

    def data_received(self, data: bytes) -> None:
        if not self.opened.done():
            self.opened.set_result(data.startswith(b"HTTP/1.1 200"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        if not self.opened.done():
            self.opened.set_result(False)


@asynccontextmanager
async def listening(house: Site, sessions: list[tuple[Person, str]]) -> AsyncGenerator[list[Listener]]:
    """A reader on each of these sessions, all of them answered."""
    loop, listeners, lines = asyncio.get_running_loop(), list[Listener](), list[asyncio.Transport]()
    try:
        for first in range(0, len(sessions), AT_ONCE):
            for person, session in sessions[first : first + AT_ONCE]:
                line, listener = await loop.create_connection(Listener, "127.0.0.1", house.place.port)
                line.write(_ask(person, "GET", f"{SESSIONS}/{session}/events").written())
                listeners.append(listener)
                lines.append(line)
            if not all(await asyncio.gather(*(listener.opened for listener in listeners[first:]))):
                raise RuntimeError("a reader was refused")
        yield listeners
    finally:
        for line in lines:
            line.abort()


def _ask(person: Person, method: str, path: str, body: bytes = b"") -> Ask:
    return Ask(method, path, {"Authorization": f"Bearer {person.key}", "Content-Type": "application/json"}, body)


@dataclass(slots=True)
class Told:
    """What came of some turns: how soon the first event, and each piece with the moment it was heard."""

    first_ms: list[float] = field(default_factory=list[float])
    talking: int = 0  # turns whose model has been heard
    frames: list[float] = field(default_factory=list[float])  # when each came
    pieces: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])  # heard, said

    async def turn(self, house: Site, person: Person, session: str, message: str) -> None:
        """One message on a connection of its own, read to its end."""
        ask = _ask(person, "POST", f"{SESSIONS}/{session}/stream", json.dumps({"message": message}).encode())
        start, first, silent = time.perf_counter(), True, True
        async with aclosing(answered(house.place.port, ask.written())) as coming:
            async for status, frames in coming:
                if status != 200:
                    raise RuntimeError(f"a message was answered with {status}")
                if first:
                    self.first_ms.append((time.perf_counter() - start) * 1000)
                    first = False
                heard = time.monotonic()
                self.frames += [heard] * len(frames)
                said = [stamp for _, data in frames if '"text-delta"' in data for stamp in STAMP.findall(data)]
                self.pieces += [(heard, float(stamp)) for stamp in said]
                if said and silent:
                    self.talking += 1
                    silent = False


async def speak_steadily(
    house: Site, sessions: list[tuple[Person, str]], rate: float, message: str, told: Told
) -> None:
    """A message in each of these sessions, so many a second, whether or not those before have been answered."""
    start = time.perf_counter()
    async with asyncio.TaskGroup() as turns:
        for number, (person, session) in enumerate(sessions):
            await asyncio.sleep(max(0.0, start + number / rate - time.perf_counter()))
            turns.create_task(told.turn(house, person, session, message))
