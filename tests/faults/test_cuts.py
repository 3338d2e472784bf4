"""autopilot:5.1, 5.2, 5.3: readers of a turn are cut at random, come back, miss nothing, see nothing twice or early."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from statistics import median, quantiles

import pytest

from pilothouse.kit.ids import new_id
from scripts.programs import free_port
from tests.base.waiting import until
from tests.faults.cutting import Ask, Follower, Frame, heard
from tests.faults.place import Place
from tests.faults.processes import Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import CUTS, FULL, SEED
from tests.providers.script import Answer, Asked, Body, Script, Tool
from tests.providers.server import provider

RESUME_SECONDS = 0.1  # nineteen times in twenty
PACE = 0.01  # seconds between two pieces of what the model says
AT_ONCE = 2 if FULL else 1  # turns
WORDS = ("Schnee ", "fällt ", "auf die ", "雪 ", "und ", "снег ", "— leise.\n")
SESSIONS = "/api/v1/chat/sessions"


class Talker(Script):
    """A model that thinks, speaks, looks something up and speaks again, for any number of turns at once."""

    def take(self, request: Asked) -> Answer:
        if request.body["model"] != "test":
            return Answer(text=("About snow",))
        said = request.body["messages"][-1]["role"]
        if said == "tool":
            return Answer(text=WORDS * 8, pause=PACE)
        tools = (Tool("c1", "find_block", '{"query": "text"}'),)
        return Answer(thinking=WORDS * 6, text=WORDS * 8, tools=tools, pause=PACE)


@dataclass(slots=True)
class Seen:
    """What all the readers of all turns came to."""

    cuts: int = 0
    turns: int = 0
    repeated: int = 0
    replayed: int = 0
    events: int = 0
    seconds: list[float] = field(default_factory=list[float])

    def add(self, followers: list[Follower], log: list[Body]) -> None:
        """An event that was not there yet when the reader asked is waited for from its own moment on."""
        made = {event["id"]: datetime.fromisoformat(event["created_at"]).timestamp() for event in log}
        self.turns += 1
        self.events += len(log)
        for follower in followers:
            self.cuts += follower.cuts
            self.repeated += follower.repeated
            self.replayed += follower.replayed
            self.seconds += [back.heard_at - max(back.asked_at, made[back.event_id]) for back in follower.resumed]


@asynccontextmanager
async def talking(launcher: Launcher, place: Place) -> AsyncGenerator[tuple[Rig, list[int]]]:
    """An installation with a model, and the ports of its doors: two processes where there may be several."""
    async with provider(Talker([]), "openai") as url:
        told = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k", "CHAT_MODEL": "openai/test"}
        async with open_rig(launcher, replace(place, extra={**place.extra, **told})) as rig:
            for name in ("serve",) if rig.embedded else ("api", "one"):
                await rig.start(name)
            yield rig, [rig.place.port] if rig.embedded else [rig.place.port, await second_door(rig)]


async def second_door(rig: Rig) -> int:
    port = free_port()
    process = rig.processes["api2"] = Process(rig.launcher, "api2", ["api"], rig.place.folder)
    process.start(rig.place.environment(PORT=str(port)))

    async def is_ready() -> bool:
        assert process.alive, process.said()
        try:
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
        except ConnectionRefusedError:
            return False
        return True

    await until(is_ready, 40)
    return port


def is_end_of_log(frame: Frame) -> bool:
    return '"type":"turn-ended"' in frame[1]


def is_done(frame: Frame) -> bool:
    return frame[1] == "[DONE]"


async def one_turn(rig: Rig, doors: list[int], random: Random, seen: Seen) -> None:
    """Two readers of the log and two of the stream are cut; one of each is not, and says what there was to see."""
    session = (await rig.client.http.post(SESSIONS)).json()["id"]
    known = {"Authorization": f"Bearer {rig.people[0].key}"}
    said = json.dumps({"message": "tell me", "message_id": new_id()}).encode()
    send = Ask("POST", f"{SESSIONS}/{session}/stream", {**known, "Content-Type": "application/json"}, said)
    telling = asyncio.create_task(heard(doors[0], send))
    await until(lambda: is_begun(rig, session), 20)
    log, stream = (Ask("GET", f"{SESSIONS}/{session}/{name}", known) for name in ("events", "stream"))
    readers = [Follower(doors, log, random, is_end_of_log) for _ in range(2)]
    viewers = [Follower(doors, stream, random, is_done, replay=send) for _ in range(2)]
    async with asyncio.timeout(40), asyncio.TaskGroup() as tasks:
        for follower in (*readers, *viewers):
            tasks.create_task(follower.follow())
    told = await telling
    page = (await rig.client.http.get(log.path, params={"follow": "false", "limit": 1000})).json()["items"]
    end = next(place for place, event in enumerate(page, 1) if event["type"] == "turn-ended")
    judge(page[:end], told, readers, viewers)  # a title may come after it
    seen.add([*readers, *viewers], page)


async def is_begun(rig: Rig, session: str) -> bool:
    return (await rig.client.http.get(f"{SESSIONS}/{session}")).json()["active_turn"] is not None


def judge(log: list[Body], told: list[Frame], readers: list[Follower], viewers: list[Follower]) -> None:
    """Everybody saw what there was, once, in order."""
    assert [event["id"] for event in log] == list(range(1, len(log) + 1))
    for reader in readers:
        assert [number for number, _ in reader.frames] == [event["id"] for event in log]
        assert [json.loads(data) for _, data in reader.frames] == log
        assert not reader.repeated
    for viewer in viewers:
        assert viewer.frames == told
    chunks = [json.loads(data) for number, data in told if number is not None]
    for kind, words in (("reasoning-delta", WORDS * 6), ("text-delta", WORDS * 16)):
        assert "".join(chunk["delta"] for chunk in chunks if chunk["type"] == kind) == "".join(words)
    assert (chunks[-1]["type"], told[-1][1]) == ("finish", "[DONE]")


@pytest.mark.alone
@pytest.mark.timeout(600)
async def test_readers_that_are_cut_at_random_see_everything_once_and_in_order(launcher: Launcher, place: Place):
    random, seen = Random(SEED), Seen()
    async with talking(launcher, place) as (rig, doors):
        while seen.cuts < CUTS:
            await asyncio.gather(*(one_turn(rig, doors, random, seen) for _ in range(AT_ONCE)))
        await rig.quiet()
        p95 = quantiles(seen.seconds, n=20)[18]
        said = f"{seen.cuts} cuts of 4 readers a turn in {seen.turns} turns with {seen.events} events: nothing lost,"
        said += f" doubled or reordered ({seen.repeated} frames given again whole, {seen.replayed} turns replayed);"
        said += f" back after {median(seen.seconds) * 1000:.1f} ms in the median, p95 {p95 * 1000:.1f} ms,"
        said += f" worst {max(seen.seconds) * 1000:.1f} ms of {len(seen.seconds)}"
        record("figure", name="5.1 random cuts", profile=rig.profile, value=said)
        if FULL:
            assert p95 <= RESUME_SECONDS, said
